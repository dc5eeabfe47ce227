#include "learner/objective/theta_curvature.h"

#include <cmath>
#include <vector>

#include "attention/forward/matrix_product.h"
#include "learner/objective/lanes.h"

namespace hardhead::learner {
namespace {

using Row = Eigen::Array<float, 1, Eigen::Dynamic>;  // a number of each example
using Rows = std::vector<Row>;

// The largest entry, so that squares of any labels are single numbers.
double unit_of(const Eigen::Ref<const RowMatrix>& values) {
  const double largest = values.cwiseAbs().maxCoeff();
  return largest > 0 ? largest : 1;
}

// With D_j = x_j - x_k and V_j = W^T D_j for j < k, C_r = D S_r D^T where S_r = diag(p_r) - p_r p_r^T, so
// that an example's share of `spread` is D (sum_r S_r V^T V S_r) D^T. And with a = S_r D^T x_r, C_r W u_r is
// D S_r V^T V a / sqrt(a^T V^T V a). In single precision: no more is asked of a preconditioner.
class BlockCurvature {
  auto& entry(auto& rows, Index j, Index l) const { return rows[static_cast<std::size_t>(j * last_ + l)]; }
  auto part(const FloatMatrix& tokens, Index j) const { return tokens.middleCols(j * n_, n_); }
  auto share(Index r, Index j) const { return p_.row(j).segment(r * n_, n_).array(); }

  // Of tokens 1 .. k - 1, what they have beside the last one, over `unit`: (rows) x ((k - 1) count).
  FloatMatrix beside_the_last(const Eigen::Ref<const RowMatrix>& tokens, double unit) const {
    FloatMatrix out(tokens.rows(), last_ * n_);
    for (Index j = 0; j < last_; ++j)
      out.middleCols(j * n_, n_) =
          ((tokens.middleCols(j * n_, n_) - tokens.middleCols(last_ * n_, n_)) / unit).cast<float>();
    return out;
  }

 public:
  BlockCurvature(const Block& block, const Eigen::Ref<const RowMatrix>& p,
                 const Eigen::Ref<const RowMatrix>& values, const Eigen::Ref<const RowMatrix>& images)
      : block_(block),
        n_(block.count),
        last_(block.k - 1),
        p_(p.unaryExpr(&without_denormals).cast<float>()),
        differences_(beside_the_last(block.x, 1)),
        pulled_(FloatMatrix::Zero(block.d(), n_)),
        own_tokens_(block.d(), n_),
        gram_(static_cast<std::size_t>(last_ * last_)),
        of_row_(gram_.size()),
        sum_(gram_.size(), Row::Zero(n_)) {
    const double of_values = unit_of(values), of_images = unit_of(images);
    unit_ = of_values * of_images;
    const FloatMatrix v = beside_the_last(values, of_values), image = beside_the_last(images, of_images);
    for (Index j = 0; j < last_; ++j)  // V^T V
      for (Index l = 0; l < last_; ++l)
        entry(gram_, j, l) = part(v, j).cwiseProduct(part(image, l)).colwise().sum();
    for (Index r = 0; r < block.k; ++r) add_row(r);
  }

  void add_to(ThetaCurvature& sums) const {
    FloatMatrix scaled = FloatMatrix::Zero(block_.d(), last_ * n_), product;
    for (Index j = 0; j < last_; ++j)
      for (Index l = 0; l < last_; ++l)
        scaled.middleCols(j * n_, n_).array() += part(differences_, l).array().rowwise() * entry(sum_, j, l);
    set_product(product, scaled, differences_.transpose());
    sums.spread += unit_ / 2 * (product + product.transpose()).cast<double>();
    set_product(product, pulled_, own_tokens_.transpose());
    sums.common += std::sqrt(unit_) * product.cast<double>();
  }

 private:
  void add_row(Index r) {
    for (Index l = 0; l < last_; ++l) {  // S_r V^T V
      Row mean = Row::Zero(n_);
      for (Index j = 0; j < last_; ++j) mean += share(r, j) * entry(gram_, j, l);
      for (Index j = 0; j < last_; ++j) entry(of_row_, j, l) = share(r, j) * (entry(gram_, j, l) - mean);
    }
    for (Index j = 0; j < last_; ++j) {  // S_r V^T V S_r
      Row mean = Row::Zero(n_);
      for (Index l = 0; l < last_; ++l) mean += share(r, l) * entry(of_row_, j, l);
      for (Index l = 0; l < last_; ++l) entry(sum_, j, l) += share(r, l) * (entry(of_row_, j, l) - mean);
    }
    pull(r);
  }

  // C_r W u_r, and x_r, of the examples from r / k to (r + 1) / k of all.
  void pull(Index r) {
    const Index first = r * n_ / block_.k, count = (r + 1) * n_ / block_.k - first;
    const auto here = [&](const auto& row) { return row.segment(first, count); };
    const auto difference = [&](Index j) { return differences_.middleCols(j * n_ + first, count); };
    auto own_token = own_tokens_.middleCols(first, count);
    own_token = block_.token(r).middleCols(first, count).template cast<float>();
    Rows a(static_cast<std::size_t>(last_));
    const auto own = [&](Index j) -> Row& { return a[static_cast<std::size_t>(j)]; };
    Row mean = Row::Zero(count), square = mean;
    for (Index j = 0; j < last_; ++j) {
      own(j) = difference(j).cwiseProduct(own_token).colwise().sum();
      mean += here(share(r, j)) * own(j);
    }
    for (Index j = 0; j < last_; ++j) own(j) = here(share(r, j)) * (own(j) - mean);
    for (Index j = 0; j < last_; ++j)
      for (Index l = 0; l < last_; ++l) square += own(j) * here(entry(gram_, j, l)) * own(l);
    const Row norm = square.max(1e-30F).sqrt();
    for (Index j = 0; j < last_; ++j) {
      Row weight = Row::Zero(count);
      for (Index l = 0; l < last_; ++l) weight += here(entry(of_row_, j, l)) * own(l);
      pulled_.middleCols(first, count).array() += difference(j).array().rowwise() * (weight / norm);
    }
  }

  const Block& block_;
  Index n_, last_;
  double unit_ = 1;  // of V^T V
  FloatMatrix p_, differences_, pulled_, own_tokens_;
  Rows gram_, of_row_, sum_;
};

}  // namespace

ThetaCurvature::ThetaCurvature(Index d) : spread(Matrix::Zero(d, d)), common(Matrix::Zero(d, d)) {}

ThetaCurvature& ThetaCurvature::operator+=(const ThetaCurvature& other) {
  spread += other.spread;
  common += other.common;
  return *this;
}

void ThetaCurvature::add(const Block& block, const Eigen::Ref<const RowMatrix>& p,
                         const Eigen::Ref<const RowMatrix>& values,
                         const Eigen::Ref<const RowMatrix>& images) {
  BlockCurvature(block, p, values, images).add_to(*this);
}

}  // namespace hardhead::learner
