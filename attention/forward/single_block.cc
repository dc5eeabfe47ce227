#include "attention/forward/single_block.h"

#include <cmath>

#include "attention/forward/signs.h"

namespace hardhead::attention {

namespace {

constexpr Index tile_rows = 8, sums_a_group = 16;
constexpr Index group_width = 4;
using FourSigns = std::array<float, group_width>;

/// The signs of four features, by SingleBlock's pattern of them.
constexpr std::array<FourSigns, 16> signs_of_pattern = [] {
  std::array<FourSigns, 16> out{};
  for (std::size_t p = 0; p < out.size(); ++p)
    for (std::size_t t = 0; t < group_width; ++t) out[p][t] = ((p >> t) & 1) != 0 ? -1.0F : 1.0F;
  return out;
}();

}  // namespace

void SingleBlock::resize(Index features, Index tokens, Index examples, Index labelled) {
  d_ = features, k = tokens, count = examples, labelled_ = labelled;
  next_tokens = {}, next_labels = {};
  signs.assign(static_cast<std::size_t>(groups() * columns()), 0);
  y.resize(static_cast<std::size_t>(rows() * columns()));
  std::fill(y.begin() + labelled_ * columns(), y.end(), 0.0F);
}

bool SingleBlock::take(const Block& block) {
  if (block.count > block_size) return false;
  resize(block.d(), block.k, block.count);
  Signs of_block;
  if (!of_block.take(block.x)) return false;
  for (Index g = 0; g < groups(); ++g)
    for (Index a = 0; a < k; ++a)
      std::transform(of_block.group(g) + a * count, of_block.group(g) + (a + 1) * count, group(g, a),
                     [](std::uint8_t pattern) { return static_cast<std::uint8_t>(pattern >> 3); });
  double largest = 0;
  for (Index r = 0; r < k; ++r) {
    for (Index f = 0; f < d_; ++f) {
      const double* const from = block.y.row(f).data() + block.column(r, 0);
      std::transform(from, from + count, label(f, r), [](double entry) { return static_cast<float>(entry); });
    }
    largest = std::max(largest, block.label(r).colwise().squaredNorm().maxCoeff());
  }
  set_error(largest);
  return true;
}

void SingleBlock::set_error(double largest_norm2) {
  // Squares of entries below 2^-63 may be lost from a sum of floats.
  error = 1.01 * 0x1p-24 * (std::sqrt(largest_norm2) + 0x1p-63 * std::sqrt(static_cast<double>(d_)));
}

void write_as_arrays(const SingleBlock& block, float* tokens, float* labels) {
  const Index d = block.d(), whole = d / group_width, columns = block.columns();
  for (Index n = 0; n < block.count; ++n)
    for (Index a = 0; a < block.k; ++a, tokens += d, labels += d) {
      const Index place = a * block_size + n;
      const auto signs = [&](Index g) {
        return signs_of_pattern[block.signs[static_cast<std::size_t>(g * columns + place)]];
      };
      for (Index g = 0; g < whole; ++g) std::ranges::copy(signs(g), tokens + group_width * g);
      if (d % group_width != 0)
        std::copy_n(signs(whole).begin(), d % group_width, tokens + group_width * whole);
      for (Index f = 0; f < d; ++f) labels[f] = block.y[static_cast<std::size_t>(f * columns + place)];
    }
}

SingleTables::SingleTables(const Eigen::Ref<const RowMatrix>& matrix)
    : tiles_((matrix.rows() + tile_rows - 1) / tile_rows), groups_((matrix.cols() + 3) / 4) {
  const Matrix sizes = matrix.cwiseAbs();
  sum_ = sizes.sum(), norm_ = sizes.rowwise().sum().norm();
  sums_.assign(static_cast<std::size_t>(tiles_ * groups_ * tile_rows * sums_a_group), 0.0F);
  for (Index row = 0; row < matrix.rows(); ++row)
    for (Index g = 0; g < groups_; ++g) {
      double entry[4] = {};
      for (Index t = 0; t < 4 && 4 * g + t < matrix.cols(); ++t) entry[t] = matrix(row, 4 * g + t);
      float* const to =
          sums_.data() + ((row / tile_rows * groups_ + g) * tile_rows + row % tile_rows) * sums_a_group;
      for (Index p = 0; p < sums_a_group; ++p)
        to[p] = static_cast<float>(((p & 1 ? -entry[0] : entry[0]) + (p & 2 ? -entry[1] : entry[1])) +
                                   ((p & 4 ? -entry[2] : entry[2]) + (p & 8 ? -entry[3] : entry[3])));
    }
}

double single_tables_bytes(Index d) {
  return 4.0 * static_cast<double>((d + 7) / 8 * ((d + 3) / 4) * tile_rows * sums_a_group);
}

double single_block_bytes(Index d, Index k) {
  return static_cast<double>(k * block_size * ((d + 3) / 4 + 4 * ((d + 7) / 8 * 8)));
}

}  // namespace hardhead::attention
