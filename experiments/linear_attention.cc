#include "experiments/linear_attention.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <utility>

#include "base/error.h"
#include "base/numeric/decompositions.h"

namespace hardhead::experiments {
namespace {

using attention::Block;
using attention::Index;

constexpr std::int64_t max_features = 4096;

/// The b <= c of the features. Tokens of signs have G_bb = k for every b.
std::vector<std::pair<Index, Index>> gram_entries(Index d, attention::Inputs inputs) {
  std::vector<std::pair<Index, Index>> out;
  for (Index b = 0; b < d; ++b)
    for (Index c = b; c < d; ++c)
      if (b < c || b == 0 || inputs != attention::Inputs::boolean) out.emplace_back(b, c);
  return out;
}

/// Features of every row of the examples, (k n) x features, and their labels, (k n) x d.
std::pair<Eigen::MatrixXd, Eigen::MatrixXd> rows_of(const attention::SampleSource& source, std::int64_t first,
                                                    std::int64_t count) {
  Block block(source.d(), source.k(), static_cast<Index>(count));
  source.read(first, block);
  const auto entries = gram_entries(source.d(), source.inputs());
  const Index d = source.d(), width = static_cast<Index>(entries.size());
  Eigen::MatrixXd features(block.x.cols(), d * width), labels(block.x.cols(), d);
  for (Index n = 0; n < block.count; ++n) {
    Eigen::RowVectorXd gram(width);
    for (Index j = 0; j < width; ++j) {
      const auto [b, c] = entries[static_cast<std::size_t>(j)];
      gram[j] = 0;
      for (Index s = 0; s < block.k; ++s)
        gram[j] += block.x(b, block.column(s, n)) * block.x(c, block.column(s, n));
    }
    for (Index r = 0; r < block.k; ++r) {
      const Index row = block.column(r, n);
      for (Index a = 0; a < d; ++a) features.row(row).segment(a * width, width) = block.x(a, row) * gram;
      labels.row(row) = block.y.col(row).transpose();
    }
  }
  return {std::move(features), std::move(labels)};
}

}  // namespace

void LinearAttention::label(Block& block) const {
  const Index d = block.d();
  block.y.setZero();
  for (Index n = 0; n < block.count; ++n) {
    Eigen::MatrixXd x(block.k, d);
    for (Index r = 0; r < block.k; ++r) x.row(r) = block.x.col(block.column(r, n)).transpose();
    Eigen::MatrixXd y = Eigen::MatrixXd::Zero(block.k, d);
    for (const attention::Head& head : layer_.heads) y += (x * head.theta * x.transpose()) * (x * head.w);
    for (Index r = 0; r < block.k; ++r) block.y.col(block.column(r, n)) = y.row(r).transpose();
  }
}

std::int64_t cubic_features(Index d, attention::Inputs inputs) {
  return d * std::ssize(gram_entries(d, inputs));
}

CubicRegression regress_on_cubics(const attention::SampleSource& source, std::int64_t examples) {
  constexpr std::int64_t tested = 1000;
  if (examples < 1) throw InputError(fmt::format("regression on {} examples: at least 1", examples));
  if (const std::int64_t width = cubic_features(source.d(), source.inputs()); width > max_features)
    throw InputError(
        fmt::format("d={} makes {} cubic features, more than {}", source.d(), width, max_features));
  CubicRegression out;
  const auto [features, labels] = rows_of(source, 0, examples);
  Eigen::MatrixXd moment = features.transpose() * features / static_cast<double>(features.rows());
  const Eigen::VectorXd scale = moment.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
  moment = scale.asDiagonal() * moment * scale.asDiagonal();
  const Eigenpairs eigen = symmetric_eigen(moment);
  out.least_eigenvalue = eigen.values[0];

  // The minimiser of least norm: eigenvalues that are rounding are left out.
  const Eigen::VectorXd inverse =
      (eigen.values.array() > CubicRegression::rounding).select(eigen.values.array().inverse(), 0.0);
  const Eigen::MatrixXd right =
      scale.asDiagonal() * (features.transpose() * labels) / static_cast<double>(features.rows());
  const Eigen::MatrixXd coefficients =
      scale.asDiagonal() * (eigen.vectors * (inverse.asDiagonal() * (eigen.vectors.transpose() * right)));

  const auto [fresh, wanted] = rows_of(source, examples, tested);
  out.test_error = (fresh * coefficients - wanted).squaredNorm() / wanted.squaredNorm();
  return out;
}

}  // namespace hardhead::experiments
