#include "study/problem/null_predictor.h"

#include <algorithm>
#include <cmath>

#include "attention/samples/reduce_blocks.h"
#include "attention/samples/relative_error.h"
#include "learner/objective/cholesky.h"

namespace hardhead::study {
namespace {

using attention::Block;
using attention::Index;
using attention::Matrix;
using attention::RowMatrix;

/// Features of every row of a block, (1 + 2d) x (k count), columns as in Block.
RowMatrix features(const Block& block) {
  const Index d = block.d();
  RowMatrix mean = block.token(0);
  for (Index a = 1; a < block.k; ++a) mean += block.token(a);
  mean /= static_cast<double>(block.k);
  RowMatrix phi(1 + 2 * d, block.x.cols());
  phi.row(0).setOnes();
  phi.middleRows(1, d) = block.x;
  phi.bottomRows(d) = mean.replicate(1, block.k);
  return phi;
}

/// Sums pairs over examples 0 .. count - 1.
template <class Value, class Accumulate>
Value over_blocks(const attention::SampleSource& source, std::int64_t count, const Value& identity,
                  const Accumulate& accumulate, const RunContext& context) {
  return attention::reduce_blocks(
      {source, 0, std::min(count, source.size())},
      Reduction{identity,
                [&](Value& partial, std::int64_t, const Block& block) { accumulate(partial, block); },
                [](Value& left, const Value& right) {
                  left.first += right.first;
                  left.second += right.second;
                }},
      context, "null predictor");
}

/// Least squares over all rows of examples 0 .. count - 1, of which there may be fewer.
AffinePredictor fit_affine(const attention::SampleSource& source, std::int64_t count,
                           const RunContext& context) {
  const Index d = source.d(), n = 1 + 2 * d;
  const std::pair<Matrix, Matrix> zero{Matrix::Zero(n, n), Matrix::Zero(n, d)};
  const auto [gram, moment] = over_blocks(  // of the Gram matrix the lower triangle
      source, count, zero,
      [](auto& partial, const Block& block) {
        const RowMatrix phi = features(block);
        partial.first.template selfadjointView<Eigen::Lower>().rankUpdate(phi);
        partial.second.noalias() += phi * block.y.transpose();
      },
      context);
  // Where features are dependent (k = 1, few examples) the Gram matrix is singular; the least ridge that a
  // Cholesky factor survives leaves predictions as they are.
  constexpr double ridge = 1e-12;
  const double scale = ridge * gram.diagonal().maxCoeff();
  return {learner::Cholesky(gram + scale * Matrix::Identity(n, n)).solve(moment)};
}

/// The relative squared error of a predictor, sum ||Y - Yhat||^2 / sum ||Y||^2 on examples 0 .. count - 1.
double error_of(const AffinePredictor& predictor, const attention::SampleSource& source, std::int64_t count,
                const RunContext& context) {
  const auto [residual, label] = over_blocks(
      source, count, std::pair<double, double>{},
      [&](auto& partial, const Block& block) {
        partial.first += (block.y - predictions(predictor, block)).squaredNorm();
        partial.second += block.y.squaredNorm();
      },
      context);
  return attention::relative_error(residual, label);
}

}  // namespace

double label_rms(const attention::SampleSource& source, std::int64_t count, const RunContext& context) {
  const auto add = [](double& sum, std::int64_t, const Block& block) { sum += block.y.squaredNorm(); };
  const auto join = [](double& left, double right) { left += right; };
  const double sum =
      attention::reduce_blocks({source, 0, count}, Reduction{0.0, add, join}, context, "labels");
  return std::sqrt(sum / static_cast<double>(count * source.k() * source.d()));
}

RowMatrix predictions(const AffinePredictor& predictor, const Block& block) {
  return predictor.coefficients.transpose() * features(block);
}

NullError null_error(const hardness::NullPredictor& null, const attention::SampleSource& fit,
                     std::int64_t fit_count, const attention::SampleSource& test, std::int64_t test_count,
                     const RunContext& context) {
  if (null.exact_error) return {round_to_nearest(*null.exact_error)};
  AffinePredictor affine = fit_affine(fit, fit_count, context);
  const double error = error_of(affine, test, test_count, context);
  if (!(error < 1)) return {};
  return {error, std::move(affine)};
}

double null_error_bytes(Index d, Index k, std::int64_t fit_count) {
  const auto features = static_cast<double>(1 + 2 * d),
             tokens = static_cast<double>(k * attention::block_size);
  const double matrix = 8 * features * features, sums = matrix + 8 * features * static_cast<double>(d);
  // A block's features, means and predictions; in the end a matrix with its ridge, and its factor.
  const double scratch = 8 * (features + static_cast<double>(2 * d)) * tokens;
  return attention::reduce_blocks_bytes(d, k, fit_count, sums, scratch) + 2 * matrix;
}

}  // namespace hardhead::study
