#include "learner/mobius/common_signs.h"

#include <fmt/format.h>

#include <algorithm>

#include "attention/forward/matrix_product.h"
#include "base/numeric/decompositions.h"
#include "learner/stoppable.h"

namespace hardhead::learner::mobius {
namespace {

Stream stream_of(std::uint64_t seed, std::string_view what) {
  return {Domain::learner, seed, fmt::format("mobius {}", what)};
}

// Matrices of as many rows, side by side.
Matrix side_by_side(const CommonSigns::Each& parts) {
  Index columns = 0;
  for (const Matrix& part : parts) columns += part.cols();
  Matrix out(parts.front().rows(), columns);
  Index first = 0;
  for (const Matrix& part : parts) {
    out.middleCols(first, part.cols()) = part;
    first += part.cols();
  }
  return out;
}

// The columns that belong to each part.
CommonSigns::Each apart(const Matrix& joined, const CommonSigns::Each& parts) {
  CommonSigns::Each out;
  Index first = 0;
  for (const Matrix& part : parts) {
    out.emplace_back(joined.middleCols(first, part.cols()));
    first += part.cols();
  }
  return out;
}

}  // namespace

CommonSigns::CommonSigns(const Matrix& w_sum, Index scouts, std::uint64_t seed)
    : w_sum_(w_sum),
      seed_(seed),
      scout_(draw_signs(stream_of(seed, "scout"), 0, scouts, w_sum.rows()), w_sum) {}

// Rows of signs, and the same with the signs of a quarter of the features turned, which are alike in all
// rows. Of two features at least, so that there is another one than the feature that is asked about.
Matrix CommonSigns::turned(std::uint64_t draw) const {
  const Index pairs = counts_.pairs, size = std::min(d(), std::max<Index>(2, d() / 4));
  Matrix x(2 * pairs, d());
  x.topRows(pairs) = draw_signs(stream_of(seed_, fmt::format("signs {}", draw)), 0, pairs, d());
  x.bottomRows(pairs) = x.topRows(pairs);
  for (const Index f : draw_subset(stream_of(seed_, fmt::format("block {}", draw)), d(), size)) {
    const double sign = x(0, f);
    x.col(f).head(pairs).setConstant(sign);
    x.col(f).tail(pairs).setConstant(-sign);
  }
  return x;
}

void CommonSigns::append(const Matrix& rows) {
  const Index before = x_.rows();
  x_.conservativeResize(before + rows.rows(), d());
  x_.bottomRows(rows.rows()) = rows;
}

// What is to be asked costs nothing until it is asked, so that dependent columns are drawn again.
void CommonSigns::draw(const QueryCounts& counts, const StopToken& stop) {
  constexpr std::uint64_t most_draws = 50;
  const auto size = static_cast<double>(d());
  const double operations = 2 * size * size * size;
  counts_ = counts;
  const Matrix fill = draw_signs(stream_of(seed_, "fill"), 0, counts.fill, d());
  while (draws_ < most_draws) {
    x_ = scout_.x;
    append(fill);
    append(turned(draws_++));
    const auto rank = stoppable(operations, stop, [&]() -> std::vector<Matrix> {
      return {Matrix::Constant(1, 1, static_cast<double>(numerical_rank(x_)))};
    });
    if (static_cast<Index>(rank.front()(0, 0)) == d()) break;
  }
  first_ = {x_, w_sum_};
  rest_ = {x_.bottomRows(x_.rows() - counts.scout), w_sum_};
}

void CommonSigns::draw_block() {
  later_.emplace_back(turned(draws_++), w_sum_);
  append(later_.back().x);
}

CommonSigns::Each CommonSigns::times(const std::vector<Index>& features, const std::vector<Index>& blocks,
                                     const Each& u) const {
  const Index most = first_pair(*std::max_element(blocks.begin(), blocks.end()));
  Matrix product;
  set_product(product, x_.topRows(most), side_by_side(u));
  Each out;
  Index first = 0;
  for (std::size_t n = 0; n < features.size(); ++n) {
    const Index count = first_pair(blocks[n]), m = u[n].cols();
    const auto mine = product.block(0, first, count, m);
    const Vector own = x_.col(features[n]).head(count);
    Matrix& both = out.emplace_back(2 * count, m);
    both.topRows(count) = mine + (1 - own.array()).matrix() * u[n].row(features[n]);
    both.bottomRows(count) = (1 + own.array()).matrix() * u[n].row(features[n]) - mine;
    first += m;
  }
  return out;
}

CommonSigns::Each CommonSigns::adjoint(const std::vector<Index>& features, const std::vector<Index>& blocks,
                                       const Each& s) const {
  const Index most = first_pair(*std::max_element(blocks.begin(), blocks.end()));
  Each differences;
  for (std::size_t n = 0; n < features.size(); ++n) {
    const Index count = first_pair(blocks[n]);
    Matrix& difference = differences.emplace_back(Matrix::Zero(most, s[n].cols()));
    difference.topRows(count) = s[n].topRows(count) - s[n].bottomRows(count);
  }
  Matrix product;
  set_product(product, x_.topRows(most).transpose(), side_by_side(differences));
  Each out = apart(product, differences);
  // Column j of Z_j is 1.
  for (std::size_t n = 0; n < features.size(); ++n) out[n].row(features[n]) = s[n].colwise().sum();
  return out;
}

Matrix CommonSigns::weighted_gram(Index feature, Index blocks, const Vector& weight) const {
  const Index count = first_pair(blocks);
  const auto x = x_.topRows(count);
  const Vector sum = weight.head(count) + weight.tail(count),
               difference = weight.head(count) - weight.tail(count);
  const Matrix weighted = sum.asDiagonal() * x;
  Matrix out;
  set_product(out, x.transpose(), weighted);
  out.col(feature) = x.transpose() * difference;
  out.row(feature) = out.col(feature).transpose();
  out(feature, feature) = sum.sum();
  return out;
}

}  // namespace hardhead::learner::mobius
