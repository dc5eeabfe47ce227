#include "learner/objective/least_squares.h"

#include <algorithm>

#include "attention/forward/token_products.h"
#include "learner/objective/theta_curvature.h"

namespace hardhead::learner {

Linearisation::Linearisation(const std::vector<Block>& blocks, const Layer& layer, double kept_bytes,
                             const StopToken& stop)
    : LinearisedOnBlocks(blocks, Stacked::Zero(2 * layer.m() * layer.d, layer.d), stop), block_loss_(layer) {
  const PassShape shape = pass_shape(layer.m());
  const double in_single = SingleProducts::bytes(shape, examples_in(blocks));
  if (in_single <= kept_bytes / 2) single_ = SingleProducts(blocks, layer.m());
  kept_.resize(
      blocks_within(single_.empty() ? kept_bytes : kept_bytes - in_single, shape.m * (shape.k + shape.d)));
  linearise();
}

void Linearisation::move_to(const Stacked& parameters) {
  block_loss_ = BlockLoss(unstack(parameters));
  linearise();
}

void Linearisation::linearise() {
  set_loss([&](Loss& part, std::size_t b) {
    BlockLoss::Scratch& scratch = scratch_.local();
    const bool keep = b < kept_.size();
    Forward::Workspace& attended = keep ? kept_[b] : scratch.attended;
    // What is kept needs no scratch of its own.
    if (keep) attended.scratch.swap(scratch.attended.scratch);
    block_loss_.add(blocks_[b], attended, scratch, part);
    if (!single_.empty()) single_.attend(b, attended);
    if (keep) attended.scratch.swap(scratch.attended.scratch);
  });
}

const Forward::Workspace& Linearisation::attended(std::size_t block, BlockLoss::Scratch& scratch) const {
  if (block < kept_.size()) return kept_[block];
  block_loss_.attend(blocks_[block], scratch.attended);
  return scratch.attended;
}

Stacked Linearisation::normal_product(const Stacked& v) const {
  const TokenMaps direction{RowMatrix(v)};
  return relative_sum([&](Stacked& part, std::size_t b) {
    BlockLoss::Scratch& scratch = scratch_.local();
    const Forward::Workspace& at = attended(b, scratch);
    block_loss_.set_derivative(blocks_[b], at, direction, scratch, stop_);
    block_loss_.add_adjoint(blocks_[b], at, scratch, part);
  });
}

Stacked Linearisation::rough_normal_product(const Stacked& v) const {
  return single_.empty() ? normal_product(v) : Stacked(single_.product(v, stop_) / unit_);
}

struct Linearisation::Metric final : Preconditioner {
  // Of a head: v -> C v + t <t, v>.
  struct Theta {
    RidgedMatrix c;
    Matrix t, solved;  // solved: C^-1 t

    Matrix apply(const Matrix& v) const { return c.matrix * v + t * t.cwiseProduct(v).sum(); }
    // By Sherman and Morrison.
    Matrix solve(const Matrix& v) const {
      const Matrix out = c.factor.solve(v);
      return out - solved * (t.cwiseProduct(out).sum() / (1 + t.cwiseProduct(solved).sum()));
    }
  };
  std::vector<Theta> theta;  // for each head
  RidgedMatrix w;            // m d x m d

  // Row b of Theta_i^T multiplies x_r, and mixes with other rows b by the covariance factor; the rows of all
  // W_i, which are given side by side, mix by the Gram matrix of the mean tokens.
  Stacked mapped(const Stacked& v, const auto& of_theta, const auto& of_w) const {
    const Index d = v.cols(), m = static_cast<Index>(theta.size());
    Stacked out(v.rows(), d);
    Matrix side_by_side(d, m * d);
    for (Index i = 0; i < m; ++i) {
      out.middleRows(i * d, d) = of_theta(theta[static_cast<std::size_t>(i)], v.middleRows(i * d, d));
      side_by_side.middleCols(i * d, d) = v.middleRows((m + i) * d, d);
    }
    side_by_side = of_w(side_by_side);
    for (Index i = 0; i < m; ++i) out.middleRows((m + i) * d, d) = side_by_side.middleCols(i * d, d);
    return out;
  }
  Stacked apply(const Stacked& v) const override {
    return mapped(
        v, [](const Theta& one, const Matrix& of) { return one.apply(of); },
        [&](const Matrix& of) -> Matrix { return of * w.matrix; });
  }
  Stacked solve(const Stacked& v) const override {
    return mapped(
        v, [](const Theta& one, const Matrix& of) { return one.solve(of); },
        [&](const Matrix& of) -> Matrix { return w.factor.solve(of.transpose()).transpose(); });
  }
};

std::unique_ptr<const Linearised::Preconditioner> Linearisation::preconditioner() const {
  const Index d = block_loss_.d(), m = block_loss_.m();
  auto out = std::make_unique<Metric>();
  using Curvatures = std::vector<ThetaCurvature>;
  const Curvatures curvatures = summed(
      Curvatures(static_cast<std::size_t>(m), ThetaCurvature(d)), [&](Curvatures& part, std::size_t b) {
        const Block& block = blocks_[b];
        const Forward::Workspace& at = attended(b, scratch_.local());
        for (Index i = 0; i < m; ++i) {
          const auto values = at.v.middleRows(i * d, d);
          part[static_cast<std::size_t>(i)].add(block, at.p.middleRows(i * block.k, block.k), values, values);
        }
      });
  for (const auto& [spread, common] : curvatures) {
    Metric::Theta head{RidgedMatrix(spread / unit_), common_scale() * common, {}};
    head.solved = head.c.factor.solve(head.t);
    out->theta.push_back(std::move(head));
  }
  Matrix w = summed(Matrix(Matrix::Zero(m * d, m * d)), [&](Matrix& part, std::size_t b) {
    const Block& block = blocks_[b];
    BlockLoss::Scratch& scratch = scratch_.local();
    const Forward::Workspace& at = attended(b, scratch);
    scratch.heads.resize(m * d, block.k * block.count);
    for (Index i = 0; i < m; ++i)
      token_mixtures(at.p.middleRows(i * block.k, block.k), block.x, block.k, block.count,
                     scratch.heads.middleRows(i * d, d));
    part.selfadjointView<Eigen::Lower>().rankUpdate(scratch.heads);
  });
  w.triangularView<Eigen::StrictlyUpper>() = w.transpose();
  w /= unit_;
  out->w = RidgedMatrix(std::move(w), stop_);
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
