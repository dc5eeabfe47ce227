#include "learner/objective/variable_projection.h"

#include <tbb/enumerable_thread_specific.h>

#include <algorithm>

#include "attention/forward/forward.h"
#include "attention/forward/matrix_product.h"
#include "attention/forward/token_products.h"
#include "base/numeric/decompositions.h"
#include "learner/objective/blocks.h"
#include "learner/objective/cholesky.h"
#include "learner/objective/linear_w.h"

namespace hardhead::learner {
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
  Problem(const std::vector<Block>& blocks, const AffineHull& flat, const StopToken& stop)
      : blocks_(blocks), flat_(flat), stop_(stop) {
    const Index d = flat.offset.rows();
    directions_.resize(dimension() * d, d);
    for (Index l = 0; l < dimension(); ++l)
      directions_.middleRows(l * d, d) = flat.directions[static_cast<std::size_t>(l)].transpose();
  }

  Index dimension() const { return static_cast<Index>(flat_.directions.size()); }

  Layer fitted(const Matrix& coordinates) const {
    std::vector<Matrix> thetas;
    for (Index i = 0; i < coordinates.cols(); ++i) thetas.push_back(flat_.point(coordinates.col(i)));
    return fit_w(blocks_, thetas, stop_);
  }

  Local linearise(Layer layer) const {
    const Index d = layer.d, m = layer.m(), size = m * d, unknowns = m * dimension();
    const Forward forward(layer);
    tbb::enumerable_thread_specific<Scratch> scratches;
    const Sums sum = sum_over_blocks(blocks_.size(),
                                     Sums{Matrix::Zero(size, size), RowMatrix::Zero(unknowns * d, size),
                                          Matrix::Zero(unknowns, unknowns), Vector::Zero(unknowns)},
                                     stop_, [&](Sums& part, std::size_t b) {
                                       Scratch& scratch = scratches.local();
                                       forward.attend(blocks_[b], scratch.at);
                                       add_block(layer, blocks_[b], scratch, part);
                                     });
    return projected(std::move(layer), sum);
  }

 private:
  // Sums over the blocks.
  struct Sums {
    Matrix zz;         // G
    RowMatrix images;  // row a d + f: row f of A_a
    Matrix normal;
    Vector gradient;
    double error = 0, total = 0;

    void operator+=(const Sums& other) {
      zz += other.zz;
      images += other.images;
      normal += other.normal;
      gradient += other.gradient;
      error += other.error;
      total += other.total;
    }
  };

  // Of one thread, kept from block to block.
  struct Scratch {
    Forward::Workspace at;
    RowMatrix residual, queries, logits, change, z;
    RowMatrix jacobian;  // row (i dimension + l) d + f: feature f of J_{i,l}
  };

  void add_block(const Layer& layer, const Block& block, Scratch& scratch, Sums& part) const {
    const Index d = layer.d, m = layer.m(), unknowns = m * dimension(), columns = block.k * block.count;
    RowMatrix& residual = scratch.residual;
    residual = block.y;
    for (Index i = 0; i < m; ++i)
      residual.noalias() -=
          layer.heads[static_cast<std::size_t>(i)].w.transpose() * scratch.at.z.middleRows(i * d, d);
    fill_jacobian(layer, block, scratch);
    const RowMatrix& jacobian = scratch.jacobian;
    add_product(part.zz, scratch.at.z, scratch.at.z.transpose());
    add_product(part.images, jacobian, scratch.at.z.transpose());
    // One unknown a row: its whole column of the Jacobian.
    const Eigen::Map<const RowMatrix> flattened(jacobian.data(), unknowns, d * columns);
    add_product(part.normal, flattened, flattened.transpose());
    part.gradient.noalias() += flattened * Eigen::Map<const Vector>(residual.data(), d * columns);
    part.error += residual.squaredNorm();
    part.total += block.y.squaredNorm();
  }

  void fill_jacobian(const Layer& layer, const Block& block, Scratch& scratch) const {
    const Index d = layer.d, m = layer.m(), k = block.k, columns = k * block.count;
    set_product(scratch.queries, directions_, block.x);
    scratch.logits.resize(k, columns);
    scratch.z.resize(d, columns);
    scratch.jacobian.resize(m * dimension() * d, columns);
    for (Index l = 0; l < dimension(); ++l) {
      token_products(scratch.queries.middleRows(l * d, d), block.x, k, block.count, scratch.logits);
      for (Index i = 0; i < m; ++i) {
        scratch.change = scratch.logits;
        softmax_jacobian(scratch.at.p.middleRows(i * k, k), scratch.change);
        token_mixtures(scratch.change, block.x, k, block.count, scratch.z);
        set_product(scratch.jacobian.middleRows((i * dimension() + l) * d, d),
                    layer.heads[static_cast<std::size_t>(i)].w.transpose(), scratch.z);
      }
    }
  }

  // The W_i eliminated.
  static Local projected(Layer layer, const Sums& sum) {
    const Index d = layer.d, unknowns = sum.gradient.size();
    Matrix gram = sum.zz;
    gram.diagonal().array() += 1e-12 * gram.trace() / static_cast<double>(gram.rows());
    const Matrix half =
        Cholesky(std::move(gram)).factor().triangularView<Eigen::Lower>().solve(sum.images.transpose());
    const double total = std::max(sum.total, 1e-300);
    Local out{std::move(layer), sum.error / total, sum.normal, sum.gradient / total};
    for (Index a = 0; a < unknowns; ++a)
      for (Index b = 0; b < unknowns; ++b)
        out.normal(a, b) -= half.middleCols(a * d, d).cwiseProduct(half.middleCols(b * d, d)).sum();
    out.normal /= total;
    return out;
  }

  const std::vector<Block>& blocks_;
  const AffineHull& flat_;
  const StopToken& stop_;
  RowMatrix directions_;  // transposes on top of each other
};

}  // namespace

ProjectionResult variable_projection(const std::vector<Block>& blocks, const AffineHull& flat,
                                     const Matrix& start, const RunContext& context) {
  constexpr int most_steps = 30;
  constexpr double least_improvement = 1e-3;
  const Problem problem(blocks, flat, context.stop);
  ProjectionResult out{.coordinates = start, .layer = problem.fitted(start)};
  if (problem.dimension() == 0) {
    out.error = relative_error(blocks, out.layer, context.stop);
    return out;
  }
  Local at = problem.linearise(out.layer);
  out.error = at.error;
  double damping = 1e-3;
  for (; out.iterations < most_steps; ++out.iterations) {
    context.stop.check();
    Matrix damped = at.normal;
    damped.diagonal() *= 1 + damping;
    damped.diagonal().array() += 1e-14 * at.normal.diagonal().sum();
    const Vector step = ldlt_solve(damped, at.gradient);
    // The decrease that the model promises is at least this.
    if (!(step.dot(at.gradient) > least_improvement * out.error)) break;
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

double variable_projection_bytes(const PassShape& shape, std::int64_t examples, Index dimension) {
  const auto [d, k, m, signs] = shape;
  const auto size = static_cast<double>(m * d), unknowns = static_cast<double>(m * dimension);
  const double sums = 8 * (size * size + unknowns * static_cast<double>(d) * size + unknowns * unknowns);
  const double column = 8 * static_cast<double>(k * block_size);
  const double scratch =
      workspace_bytes(shape).attend +
      column * (static_cast<double>((dimension + 2) * d + 2 * k) + unknowns * static_cast<double>(d));
  // The sums of a point, a copy of theirs, its factor and what it solves.
  constexpr std::int64_t copies = 3;
  return forward_bytes(shape) + threads() * scratch +
         sums * static_cast<double>(copies + most_partial_results(blocks_of(examples), blocks_a_run));
}

}  // namespace hardhead::learner
