#include "learner/objective/least_squares.h"

#include <algorithm>
#include <cmath>

#include "attention/forward/token_products.h"
#include "base/run/parallel.h"
#include "learner/objective/blocks.h"
#include "learner/objective/theta_curvature.h"

namespace hardhead::learner {

using namespace attention;

namespace {

// How many of the first blocks have patterns and values that fit into `bytes` together.
std::size_t blocks_within(const std::vector<Block>& blocks, Index m, double bytes) {
  std::size_t count = 0;
  for (const Block& block : blocks) {
    bytes -= 8.0 * static_cast<double>(m * (block.k + block.d()) * block.k * block.count);
    if (bytes < 0) break;
    ++count;
  }
  return count;
}

double single_bytes(const std::vector<Block>& blocks, Index m) {
  if (blocks.empty()) return 0;
  std::int64_t examples = 0;
  for (const Block& block : blocks) examples += block.count;
  return SingleProducts::bytes({.d = blocks.front().d(), .k = blocks.front().k, .m = m}, examples);
}

}  // namespace

Linearisation::Linearisation(const std::vector<Block>& blocks, const Layer& layer, double kept_bytes,
                             const StopToken& stop)
    : blocks_(blocks), stop_(stop), block_loss_(layer), loss_(block_loss_.zero()) {
  const double in_single = single_bytes(blocks, layer.m());
  if (in_single <= kept_bytes / 2) single_ = SingleProducts(blocks, layer.m());
  kept_.resize(blocks_within(blocks, layer.m(), single_.empty() ? kept_bytes : kept_bytes - in_single));
  linearise();
}

void Linearisation::move_to(const Stacked& parameters) {
  block_loss_ = BlockLoss(unstack(parameters));
  linearise();
}

void Linearisation::linearise() {
  loss_ = deterministic_reduce(
      static_cast<std::int64_t>(blocks_.size()), blocks_a_run, block_loss_.zero(),
      [&](Loss& part, std::int64_t b) {
        stop_.check();
        const auto at = static_cast<std::size_t>(b);
        BlockLoss::Scratch& scratch = scratch_.local();
        const bool keep = at < kept_.size();
        Forward::Workspace& attended = keep ? kept_[at] : scratch.attended;
        // What is kept needs no scratch of its own.
        if (keep) attended.scratch.swap(scratch.attended.scratch);
        block_loss_.add(blocks_[at], attended, scratch, part);
        if (!single_.empty()) single_.attend(at, attended);
        if (keep) attended.scratch.swap(scratch.attended.scratch);
      },
      [](Loss& left, const Loss& right) { left += right; });
  unit_ = std::max(loss_.total, 1e-300);
  loss_.gradient /= unit_;
}

const Forward::Workspace& Linearisation::attended(std::int64_t block, BlockLoss::Scratch& scratch) const {
  const auto at = static_cast<std::size_t>(block);
  if (at < kept_.size()) return kept_[at];
  block_loss_.attend(blocks_[at], scratch.attended);
  return scratch.attended;
}

Stacked Linearisation::normal_product(const Stacked& v) const {
  const TokenMaps direction{RowMatrix(v)};
  return deterministic_reduce(
             static_cast<std::int64_t>(blocks_.size()), blocks_a_run,
             Stacked(Stacked::Zero(v.rows(), v.cols())),
             [&](Stacked& part, std::int64_t b) { add_normal_product(b, direction, part); },
             [](Stacked& left, const Stacked& right) { left += right; }) /
         unit_;
}

Stacked Linearisation::rough_normal_product(const Stacked& v) const {
  return single_.empty() ? normal_product(v) : Stacked(single_.product(v, stop_) / unit_);
}

void Linearisation::add_normal_product(std::int64_t b, const TokenMaps& direction, Stacked& sum) const {
  const Block& block = blocks_[static_cast<std::size_t>(b)];
  BlockLoss::Scratch& scratch = scratch_.local();
  const Forward::Workspace& at = attended(b, scratch);
  block_loss_.set_derivative(block, at, direction, scratch, stop_);
  block_loss_.add_adjoint(block, at, scratch, sum);
}

struct Linearisation::Metric final : Preconditioner {
  // Of a head: v -> C v + t <t, v>.
  struct Theta {
    Matrix c, t, solved;  // solved: C^-1 t
    Cholesky factor;

    Matrix apply(const Matrix& v) const { return c * v + t * t.cwiseProduct(v).sum(); }
    // By Sherman and Morrison.
    Matrix solve(const Matrix& v) const {
      const Matrix out = factor.solve(v);
      return out - solved * (t.cwiseProduct(out).sum() / (1 + t.cwiseProduct(solved).sum()));
    }
  };
  std::vector<Theta> theta;  // for each head
  Matrix w;                  // m d x m d
  Cholesky w_factor;

  Stacked apply(const Stacked& v) const override;
  Stacked solve(const Stacked& v) const override;
};

std::unique_ptr<const Linearised::Preconditioner> Linearisation::preconditioner() const {
  const Index d = block_loss_.d(), m = block_loss_.m();
  const auto blocks = static_cast<std::int64_t>(blocks_.size());
  auto out = std::make_unique<Metric>();
  using Curvatures = std::vector<ThetaCurvature>;
  const Curvatures curvatures = deterministic_reduce(
      blocks, blocks_a_run, Curvatures(static_cast<std::size_t>(m), ThetaCurvature(d)),
      [&](Curvatures& part, std::int64_t b) {
        stop_.check();
        const Block& block = blocks_[static_cast<std::size_t>(b)];
        const Forward::Workspace& at = attended(b, scratch_.local());
        for (Index i = 0; i < m; ++i) {
          const auto values = at.v.middleRows(i * d, d);
          part[static_cast<std::size_t>(i)].add(block, at.p.middleRows(i * block.k, block.k), values, values);
        }
      },
      [](Curvatures& left, const Curvatures& right) {
        for (std::size_t i = 0; i < left.size(); ++i) left[i] += right[i];
      });
  double rows = 0, examples = 0;
  for (const Block& block : blocks_) {
    rows += static_cast<double>(block.x.cols());
    examples += static_cast<double>(block.count);
  }
  for (const auto& [spread, common] : curvatures) {
    Metric::Theta head{spread / unit_, std::sqrt(rows / unit_) / examples * common, {}, {}};
    head.c.diagonal().array() += 1e-8 * (head.c.trace() / static_cast<double>(d) + 1e-300);
    head.factor = Cholesky(head.c);
    head.solved = head.factor.solve(head.t);
    out->theta.push_back(std::move(head));
  }
  out->w = deterministic_reduce(
      blocks, blocks_a_run, Matrix(Matrix::Zero(m * d, m * d)),
      [&](Matrix& part, std::int64_t b) {
        stop_.check();
        const Block& block = blocks_[static_cast<std::size_t>(b)];
        BlockLoss::Scratch& scratch = scratch_.local();
        const Forward::Workspace& at = attended(b, scratch);
        scratch.heads.resize(m * d, block.k * block.count);
        for (Index i = 0; i < m; ++i)
          token_mixtures(at.p.middleRows(i * block.k, block.k), block.x, block.k, block.count,
                         scratch.heads.middleRows(i * d, d));
        part.selfadjointView<Eigen::Lower>().rankUpdate(scratch.heads);
      },
      [](Matrix& left, const Matrix& right) { left += right; });
  out->w.triangularView<Eigen::StrictlyUpper>() = out->w.transpose();
  out->w /= unit_;
  out->w.diagonal().array() += 1e-8 * (out->w.trace() / static_cast<double>(m * d) + 1e-300);
  out->w_factor = Cholesky(out->w, stop_);
  return out;
}

namespace {

// The W_i^T of a stack side by side, d x (m d), and back.
Matrix w_side_by_side(const Stacked& v) {
  const Index d = v.cols(), m = v.rows() / (2 * d);
  Matrix out(d, m * d);
  for (Index i = 0; i < m; ++i) out.middleCols(i * d, d) = v.middleRows((m + i) * d, d);
  return out;
}

void set_w(Stacked& v, const Matrix& side_by_side) {
  const Index d = v.cols(), m = v.rows() / (2 * d);
  for (Index i = 0; i < m; ++i) v.middleRows((m + i) * d, d) = side_by_side.middleCols(i * d, d);
}

}  // namespace

// Row b of Theta_i^T multiplies x_r, and mixes with other rows b by the covariance factor; the rows of all
// W_i mix by the Gram matrix of the mean tokens.
Stacked Linearisation::Metric::apply(const Stacked& v) const {
  Stacked out(v.rows(), v.cols());
  const Index d = v.cols(), m = static_cast<Index>(theta.size());
  for (Index i = 0; i < m; ++i)
    out.middleRows(i * d, d) = theta[static_cast<std::size_t>(i)].apply(v.middleRows(i * d, d));
  set_w(out, w_side_by_side(v) * w);
  return out;
}

Stacked Linearisation::Metric::solve(const Stacked& v) const {
  Stacked out(v.rows(), v.cols());
  const Index d = v.cols(), m = static_cast<Index>(theta.size());
  for (Index i = 0; i < m; ++i)
    out.middleRows(i * d, d) = theta[static_cast<std::size_t>(i)].solve(v.middleRows(i * d, d));
  set_w(out, w_factor.solve(w_side_by_side(v).transpose()).transpose());
  return out;
}

Linearisation::Bytes Linearisation::bytes(const PassShape& shape, std::int64_t examples, double kept_bytes) {
  const auto [d, k, m, signs] = shape;
  const std::int64_t blocks = blocks_of(examples);
  const double column = 8 * static_cast<double>(k * block_size), layer = layer_bytes(d, m),
               size = static_cast<double>(m * d);
  // Patterns and values; the signs beside them are not in kept_bytes.
  const double of_block = column * static_cast<double>(m * (k + d)),
               sign_bytes = static_cast<double>(k * block_size * (d + 8)) / 2;
  const double in_single = SingleProducts::bytes(shape, examples),
               kept_in_single = in_single <= kept_bytes / 2 ? in_single : 0,
               kept = std::min(kept_bytes - kept_in_single, of_block * static_cast<double>(blocks));
  // The preconditioner has mean tokens of all heads at once.
  const double scratch = block_loss_bytes(shape) + column * size;
  const auto sums = [&](std::int64_t count, std::int64_t grain) {
    return static_cast<double>(most_partial_results(count, grain));
  };
  const double normal_product = token_maps_bytes(d, 2 * m, signs) + (sums(blocks, blocks_a_run) + 1) * layer;
  const double curvature =
      sums(blocks, blocks_a_run) * layer +
      threads() * (3 * column * static_cast<double>(d) + 3 * column * static_cast<double>(k));
  const double gram = sums(blocks, blocks_a_run) * 8 * size * size;
  return {
      .itself = forward_bytes(shape) + 2 * layer + kept + kept / of_block * sign_bytes + kept_in_single +
                threads() * scratch,
      .preconditioner = 2 * layer + 2 * 8 * size * size,
      .work = std::max({normal_product, SingleProducts::product_bytes(shape, examples), curvature, gram})};
}

}  // namespace hardhead::learner
