#include "learner/variable_projection.h"

#include <algorithm>
#include <cmath>

#include "attention/forward.h"
#include "attention/token_products.h"
#include "base/parallel.h"
#include "learner/linear_w.h"

namespace hardhead::learner {

using namespace attention;

namespace {

// The projected problem at one point: Gauss-Newton matrix and gradient over the coordinates, head by head.
struct Local {
  Layer layer;
  double error = 1;
  Matrix normal;
  Vector gradient;
};

class Problem {
 public:
  Problem(const std::vector<Block>& blocks, const AffineHull& flat) : blocks_(blocks), flat_(flat) {
    const Index d = flat.offset.rows();
    directions_.resize(dimension() * d, d);
    for (Index l = 0; l < dimension(); ++l)
      directions_.middleRows(l * d, d) = flat.directions[static_cast<std::size_t>(l)].transpose();
  }

  Index dimension() const { return static_cast<Index>(flat_.directions.size()); }

  Layer fitted(const Matrix& coordinates) const {
    std::vector<Matrix> thetas;
    for (Index i = 0; i < coordinates.cols(); ++i) thetas.push_back(flat_.point(coordinates.col(i)));
    return fit_w(blocks_, thetas);
  }

  Local linearise(Layer layer) const {
    const Index d = layer.d, m = layer.m(), size = m * d, unknowns = m * dimension();
    struct Sums {
      Matrix zz;         // G
      RowMatrix images;  // row a d + f: row f of A_a
      Matrix normal;
      Vector gradient;
      double error = 0, total = 0;
    };
    const Forward forward(layer);
    const Sums sum = deterministic_reduce(
        static_cast<std::int64_t>(blocks_.size()), 4,
        Sums{Matrix::Zero(size, size), RowMatrix::Zero(unknowns * d, size), Matrix::Zero(unknowns, unknowns),
             Vector::Zero(unknowns)},
        [&](Sums& part, std::int64_t b) {
          const Block& block = blocks_[static_cast<std::size_t>(b)];
          const Index k = block.k, columns = k * block.count;
          Forward::Workspace at;
          forward.attend(block, at);
          RowMatrix residual = block.y;
          for (Index i = 0; i < m; ++i)
            residual.noalias() -=
                layer.heads[static_cast<std::size_t>(i)].w.transpose() * at.z.middleRows(i * d, d);
          const RowMatrix queries = directions_ * block.x;
          RowMatrix logits(k, columns), change(k, columns), z(d, columns), jacobian(unknowns * d, columns);
          for (Index l = 0; l < dimension(); ++l) {
            token_products(queries.middleRows(l * d, d), block.x, k, block.count, logits);
            for (Index i = 0; i < m; ++i) {
              change = logits;
              softmax_jacobian(at.p.middleRows(i * k, k), change);
              token_mixtures(change, block.x, k, block.count, z);
              jacobian.middleRows((i * dimension() + l) * d, d).noalias() =
                  layer.heads[static_cast<std::size_t>(i)].w.transpose() * z;
            }
          }
          part.zz.noalias() += at.z * at.z.transpose();
          part.images.noalias() += jacobian * at.z.transpose();
          // One unknown a row: its whole column of the Jacobian.
          const Eigen::Map<const RowMatrix> flattened(jacobian.data(), unknowns, d * columns);
          part.normal.noalias() += flattened * flattened.transpose();
          part.gradient.noalias() += flattened * Eigen::Map<const Vector>(residual.data(), d * columns);
          part.error += residual.squaredNorm();
          part.total += block.y.squaredNorm();
        },
        [](Sums& left, const Sums& right) {
          left.zz += right.zz;
          left.images += right.images;
          left.normal += right.normal;
          left.gradient += right.gradient;
          left.error += right.error;
          left.total += right.total;
        });
    Matrix gram = sum.zz;
    gram.diagonal().array() += 1e-12 * gram.trace() / static_cast<double>(size);
    const Matrix half = gram.llt().matrixL().solve(sum.images.transpose());
    const double total = std::max(sum.total, 1e-300);
    Local out{std::move(layer), sum.error / total, sum.normal, sum.gradient / total};
    for (Index a = 0; a < unknowns; ++a)
      for (Index b = 0; b < unknowns; ++b)
        out.normal(a, b) -= half.middleCols(a * d, d).cwiseProduct(half.middleCols(b * d, d)).sum();
    out.normal /= total;
    return out;
  }

 private:
  const std::vector<Block>& blocks_;
  const AffineHull& flat_;
  RowMatrix directions_;  // transposes on top of each other
};

}  // namespace

ProjectionResult variable_projection(const std::vector<Block>& blocks, const AffineHull& flat,
                                     const Matrix& start, const ProjectionOptions& options,
                                     const RunControl& control) {
  const Problem problem(blocks, flat);
  ProjectionResult out{.coordinates = start, .layer = problem.fitted(start)};
  if (problem.dimension() == 0) {
    out.error = relative_error(blocks, out.layer);
    return out;
  }
  Local at = problem.linearise(out.layer);
  out.error = at.error;
  double damping = 1e-3;
  for (; out.iterations < options.iterations; ++out.iterations) {
    control.check();
    Matrix damped = at.normal;
    damped.diagonal() *= 1 + damping;
    damped.diagonal().array() += 1e-14 * at.normal.diagonal().sum();
    const Vector step = damped.ldlt().solve(at.gradient);
    // The decrease that the model promises is at least this.
    if (!(step.dot(at.gradient) > options.least_improvement * out.error)) break;
    const Matrix trial = out.coordinates + step.reshaped(out.coordinates.rows(), out.coordinates.cols());
    Local next = problem.linearise(problem.fitted(trial));
    if (!(next.error < out.error)) {
      damping *= 8;
      continue;
    }
    damping = std::max(damping / 10, 1e-12);
    out.coordinates = trial;
    out.error = next.error;
    at = std::move(next);
  }
  out.layer = std::move(at.layer);
  return out;
}

}  // namespace hardhead::learner
