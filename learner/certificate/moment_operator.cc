#include "learner/certificate/moment_operator.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "attention/forward/matrix_product.h"
#include "base/numeric/decompositions.h"
#include "base/run/parallel.h"
#include "learner/certificate/equations.h"

namespace hardhead::learner {
namespace {

// Rows that products take together, and such chunks in a partial sum.
constexpr std::int64_t rows_at_once = 512, chunks_a_sum = 16;

std::int64_t chunks_of(std::int64_t rows) {
  return (rows + rows_at_once - 1) / rows_at_once;
}

// The matrices Theta^T of all vectors, one below the other.
Matrix stacked_thetas(const Matrix& vectors, Index d) {
  Matrix out(d * vectors.cols(), d);
  for (Index c = 0; c < vectors.cols(); ++c)
    out.middleRows(c * d, d) = vectors.col(c).head(d * d).reshaped(d, d).transpose();
  return out;
}

}  // namespace

MomentOperator::MomentOperator(const Harvest& harvest, StopToken stop)
    : stop_(std::move(stop)), d_(harvest.examples.d()), equations_(harvest.examples.k - 1) {
  const Block& block = harvest.examples;
  const Index k = block.k, n = block.count;
  all_ = static_cast<double>(n * k);
  tokens_.resize(d_, n);
  differences_.resize(d_, n * equations_);
  logs_.resize(n * equations_);
  parallel_for_each_index(chunks_of(n), [&](std::int64_t chunk) {
    stop_.check();
    const Index first = chunk * rows_at_once;
    for (Index e = first; e < std::min<Index>(first + rows_at_once, n); ++e)
      independent_equation_sides(harvest, e, tokens_.col(e),
                                 differences_.middleCols(e * equations_, equations_),
                                 logs_.segment(e * equations_, equations_));
  });
  take_traces();
}

// The partial traces of M's left sides tell what no equation sees, and K.
void MomentOperator::take_traces() {
  const Index n = tokens_.cols();
  Vector lengths(n), squares(n);  // of all differences of a row, and of its token
  for (Index e = 0; e < n; ++e) {
    lengths(e) = differences_.middleCols(e * equations_, equations_).squaredNorm();
    squares(e) = tokens_.col(e).squaredNorm();
  }
  const auto sum = [&](const Matrix& columns, const auto& weight) {
    return deterministic_reduce(
        chunks_of(columns.cols()), chunks_a_sum, Matrix(Matrix::Zero(d_, d_)),
        [&](Matrix& out, std::int64_t chunk) {
          stop_.check();
          const Index first = chunk * rows_at_once,
                      count = std::min<Index>(rows_at_once, columns.cols() - first);
          Matrix scaled = columns.middleCols(first, count);
          for (Index i = 0; i < count; ++i) scaled.col(i) *= weight(first + i) / all_;
          add_product(out, scaled, columns.middleCols(first, count).transpose());
        },
        [](Matrix& left, const Matrix& right) { left += right; });
  };
  const Matrix of_tokens = sum(tokens_, [&](Index e) { return lengths(e); });
  const Matrix of_differences = sum(differences_, [&](Index a) { return squares(a / equations_); });
  const double trace = of_tokens.trace(), size = static_cast<double>(d_ * d_), mean = trace / size;
  const Matrix p = projection_on_span(of_tokens), q = projection_on_span(of_differences),
               all = Matrix::Identity(d_, d_);
  if (p != all || q != all) {
    seen_tokens_ = p, seen_differences_ = q;
    unseen_ = mean;
  }
  scale_ = mean + unseen_ * (1 - p.trace() * q.trace() / size);
  unit_ = std::sqrt(scale_ / std::max(logs_.squaredNorm() / all_, 1e-300));

  constexpr double rounding = 1e-12;
  const Eigenpairs token_eigen = symmetric_eigen(of_tokens),
                   difference_eigen = symmetric_eigen(of_differences);
  token_axes_ = token_eigen.vectors, difference_axes_ = difference_eigen.vectors;
  inverse_ = token_eigen.values * difference_eigen.values.transpose() / trace;
  inverse_ = (inverse_.array() > rounding * mean).select(inverse_.cwiseInverse(), 1 / mean);
}

// Adds to `sums`, stacked like `thetas`, and to its last column, of which every vector has one number.
void MomentOperator::add_rows(std::int64_t first, Index count, const Matrix& thetas, const Vector& units,
                              Matrix& sums) const {
  const Index vectors = units.size();
  const auto tokens = tokens_.middleCols(first, count);
  Matrix pulled = Matrix::Zero(thetas.rows(), count);  // sum_a y_a z_a
  const Matrix queries = thetas * tokens;              // Theta^T x_r
  for (Index e = 0; e < count; ++e)
    for (Index a = (first + e) * equations_; a < (first + e + 1) * equations_; ++a)
      for (Index c = 0; c < vectors; ++c) {
        const auto z = differences_.col(a);
        const double y = queries.col(e).segment(c * d_, d_).dot(z) - units(c) * logs_(a);
        pulled.col(e).segment(c * d_, d_) += y * z;
        sums(c, d_) -= unit_ * logs_(a) * y;
      }
  add_product(sums.leftCols(d_), pulled, tokens.transpose());
}

// The sums over all rows: Theta^T of every vector stacked, and the last entries in the last column.
Matrix MomentOperator::summed(const Matrix& vectors) const {
  const Matrix thetas = stacked_thetas(vectors, d_);
  const Vector units = unit_ * vectors.row(d_ * d_).transpose();
  const Index n = tokens_.cols();
  return deterministic_reduce(
      chunks_of(n), chunks_a_sum, Matrix(Matrix::Zero(thetas.rows(), d_ + 1)),
      [&](Matrix& out, std::int64_t chunk) {
        stop_.check();
        const std::int64_t first = chunk * rows_at_once;
        add_rows(first, std::min<Index>(rows_at_once, n - first), thetas, units, out);
      },
      [](Matrix& left, const Matrix& right) { left += right; });
}

Matrix MomentOperator::product(const Matrix& vectors) const {
  const Matrix sums = summed(vectors) / all_;
  Matrix out(vectors.rows(), vectors.cols());
  for (Index c = 0; c < vectors.cols(); ++c) {
    Matrix image = sums.block(c * d_, 0, d_, d_).transpose();
    if (unseen_ > 0) {
      const auto theta = vectors.col(c).head(d_ * d_).reshaped(d_, d_);
      image += unseen_ * (theta - seen_tokens_ * theta * seen_differences_);
    }
    out.col(c).head(d_ * d_) = image.reshaped();
    out(d_ * d_, c) = sums(c, d_);
  }
  return out;
}

Matrix MomentOperator::precondition(const Matrix& vectors) const {
  Matrix out(vectors.rows(), vectors.cols());
  for (Index c = 0; c < vectors.cols(); ++c) {
    const auto theta = vectors.col(c).head(d_ * d_).reshaped(d_, d_);
    const Matrix on_axes = (token_axes_.transpose() * theta * difference_axes_).cwiseProduct(inverse_);
    out.col(c).head(d_ * d_) = (token_axes_ * on_axes * difference_axes_.transpose()).reshaped();
    out(d_ * d_, c) = vectors(d_ * d_, c) / scale_;
  }
  return out;
}

double moment_operator_bytes(Index d, Index k, std::int64_t rows, Index vectors) {
  const auto features = static_cast<double>(d), equations = static_cast<double>(k - 1),
             all = static_cast<double>(rows), many = static_cast<double>(vectors);
  const double sides = all * (features * (1 + equations) + equations + 2);
  const double small = 8 * features * features;
  const double sums = many * features * (features + 1);
  const double chunk = 2 * many * features * static_cast<double>(rows_at_once);
  const double partial = static_cast<double>(most_partial_results(chunks_of(rows), chunks_a_sum));
  return 8 * (sides + small + (partial + 2) * sums + threads() * chunk);
}

}  // namespace hardhead::learner
