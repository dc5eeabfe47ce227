#include "learner/factors/factors.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "base/numeric/decompositions.h"
#include "learner/algorithm.h"

namespace hardhead::learner {

Layer Factors::layer(const Stacked& parameters) const {
  Layer out{parameters.cols(), {}};
  const auto rows = [&](Index first, Index count) { return parameters.middleRows(first, count); };
  for (Index i = 0; i < m; ++i)
    out.heads.push_back({rows(query(i), form).transpose() * rows(key(i), form),
                         rows(values(i), value).transpose() * rows(output(i), value)});
  return out;
}

std::int64_t counting_bound(const Factors& factors, Index d, Index k) {
  return (factors.unknowns(d) + k * d - 1) / (k * d);
}

std::int64_t pattern_bound(const Factors& factors, Index d, Index k) {
  check_tokens(k);
  const Index weights = k * (k - 1);
  return (factors.form * (2 * d - factors.form) + weights - 1) / weights;
}

namespace {

// Singular values and right singular vectors of a matrix, ascending.
class RightSpace {
 public:
  explicit RightSpace(const Matrix& matrix) : squares_(symmetric_eigen(matrix.transpose() * matrix)) {}

  // Singular values above `small` times the largest; at least 1.
  Index rank(double small) const {
    const Vector& squares = squares_.values;
    const auto kept = (squares.array() > small * small * squares.maxCoeff()).count();
    return std::max<Index>(1, kept);
  }

  // Writes `matrix` = left right^T of this rank, both transposed.
  void split(const Matrix& matrix, Eigen::Ref<Matrix> left_t, Eigen::Ref<Matrix> right_t) const {
    const Index rank = left_t.rows();
    // Columns are divided by these roots: not by those of rounding errors.
    const double least = std::max(0x1p-52 * squares_.values.maxCoeff(), std::numeric_limits<double>::min());
    const Vector roots = squares_.values.tail(rank).cwiseMax(least).array().pow(0.25);
    const auto vectors = squares_.vectors.rightCols(rank);
    left_t = (matrix * vectors * roots.cwiseInverse().asDiagonal()).transpose();
    right_t = (vectors * roots.asDiagonal()).transpose();
  }

 private:
  Eigenpairs squares_;
};

std::vector<RightSpace> right_spaces(const Layer& layer, Matrix Head::* part, const StopToken& stop) {
  std::vector<RightSpace> out;
  for (const Head& head : layer.heads) {
    stop.check();
    out.emplace_back(head.*part);
  }
  return out;
}

Index least_rank(const std::vector<RightSpace>& spaces, Index most, double small) {
  Index rank = 1;
  for (const RightSpace& space : spaces) rank = std::max(rank, space.rank(small));
  return small > 0 ? std::min(rank, most) : most;
}

}  // namespace

FactoredHeads without_spare_rank(const Layer& layer, const Factors& most, double small,
                                 const StopToken& stop) {
  const std::vector<RightSpace> forms = right_spaces(layer, &Head::theta, stop),
                                values = right_spaces(layer, &Head::w, stop);
  const Factors factors{layer.m(), least_rank(forms, most.form, small),
                        least_rank(values, most.value, small)};
  Stacked parameters(factors.rows(), layer.d);
  const auto rows = [&](Index first, Index count) { return parameters.middleRows(first, count); };
  for (Index i = 0; i < factors.m; ++i) {
    const auto head = static_cast<std::size_t>(i);
    forms[head].split(layer.heads[head].theta, rows(factors.query(i), factors.form),
                      rows(factors.key(i), factors.form));
    values[head].split(layer.heads[head].w, rows(factors.values(i), factors.value),
                       rows(factors.output(i), factors.value));
  }
  return {factors, std::move(parameters)};
}

}  // namespace hardhead::learner
