#include "learner/objective/loss.h"

#include <algorithm>

#include "attention/forward/matrix_product.h"
#include "attention/forward/token_products.h"
#include "learner/objective/blocks.h"

namespace hardhead::learner {

Stacked stack(const Layer& layer) {
  const Index d = layer.d, m = layer.m();
  Stacked out(2 * m * d, d);
  for (Index i = 0; i < m; ++i) {
    out.middleRows(i * d, d) = layer.heads[static_cast<std::size_t>(i)].theta.transpose();
    out.middleRows((m + i) * d, d) = layer.heads[static_cast<std::size_t>(i)].w.transpose();
  }
  return out;
}

Layer unstack(const Stacked& stacked) {
  Layer layer;
  layer.d = stacked.cols();
  const Index m = stacked.rows() / (2 * layer.d);
  for (Index i = 0; i < m; ++i)
    layer.heads.push_back({stacked.middleRows(i * layer.d, layer.d).transpose(),
                           stacked.middleRows((m + i) * layer.d, layer.d).transpose()});
  return layer;
}

Loss& Loss::operator+=(const Loss& other) {
  error += other.error;
  total += other.total;
  gradient += other.gradient;
  return *this;
}

namespace {

// sum += left * x^T.
void add_outer(const Eigen::Ref<const RowMatrix>& left, const Block& block, const Signs& transposed,
               Eigen::Ref<Matrix> sum) {
  if (transposed.empty())
    add_product(sum, left, block.x.transpose());
  else
    add_sign_outer(left, transposed, sum);
}

// H_i of one head: d x (k count), from residuals u.
void attention_adjoint(const Block& block, const Forward::Workspace& attended, Index head, const RowMatrix& u,
                       RowMatrix& logits, Eigen::Ref<RowMatrix> h) {
  const Index d = block.d(), k = block.k;
  logits.resize(k, k * block.count);
  token_products(u, attended.v.middleRows(head * d, d), k, block.count, logits);
  softmax_jacobian(attended.p.middleRows(head * k, k), logits);
  token_mixtures(logits, block.x, k, block.count, h);
}

}  // namespace

void BlockLoss::add(const Block& block, Forward::Workspace& attended, Scratch& scratch, Loss& sum) const {
  const Index k = block.k;
  attend(block, attended);
  scratch.residual = -block.y;
  sum.total += scratch.residual.squaredNorm();
  for (Index i = 0; i < m(); ++i)
    add_token_mixtures(attended.p.middleRows(i * k, k), attended.v.middleRows(i * d(), d()), k, block.count,
                       scratch.residual);
  sum.error += scratch.residual.squaredNorm();
  add_adjoint(block, attended, scratch, sum.gradient);
}

void BlockLoss::set_derivative(const Block& block, const Forward::Workspace& attended,
                               const TokenMaps& direction, Scratch& scratch, const StopToken& stop) const {
  const Index d = block.d(), k = block.k, columns = k * block.count, at_once = maps_at_once(d, k);
  scratch.logits.resize(k, columns);
  scratch.residual.setZero(d, columns);
  for (Index first = 0; first < m(); first += at_once) {
    stop.check();
    const Index rows = std::min(at_once, m() - first) * d;
    scratch.heads.resize(2 * rows, columns);
    direction.apply(first, block, attended.signs, scratch.heads.topRows(rows));
    direction.apply(m() + first, block, attended.signs, scratch.heads.bottomRows(rows));
    for (Index row = 0; row < rows; row += d) {
      const Index i = first + row / d;
      const auto p = attended.p.middleRows(i * k, k);
      token_products(scratch.heads.middleRows(row, d), block.x, k, block.count, scratch.logits);
      softmax_jacobian(p, scratch.logits);
      add_token_mixtures(scratch.logits, attended.v.middleRows(i * d, d), k, block.count, scratch.residual);
      add_token_mixtures(p, scratch.heads.middleRows(rows + row, d), k, block.count, scratch.residual);
    }
  }
}

void BlockLoss::add_adjoint(const Block& block, const Forward::Workspace& attended, Scratch& scratch,
                            Stacked& gradient) const {
  const Index d = block.d(), k = block.k, at_once = maps_at_once(block.d(), block.k);
  for (Index first = 0; first < m(); first += at_once) {
    const Index rows = std::min(at_once, m() - first) * d;
    scratch.heads.resize(2 * rows, k * block.count);
    for (Index row = 0; row < rows; row += d) {
      const Index i = first + row / d;
      attention_adjoint(block, attended, i, scratch.residual, scratch.logits,
                        scratch.heads.middleRows(row, d));
      token_mixtures_adjoint(attended.p.middleRows(i * k, k), scratch.residual, k, block.count,
                             scratch.heads.middleRows(rows + row, d));
    }
    add_outer(scratch.heads.topRows(rows), block, attended.transposed, gradient.middleRows(first * d, rows));
    add_outer(scratch.heads.bottomRows(rows), block, attended.transposed,
              gradient.middleRows((m() + first) * d, rows));
  }
}

double block_loss_bytes(const PassShape& shape) {
  const auto [d, k, m, signs] = shape;
  const double column = 8 * static_cast<double>(k * block_size);
  return workspace_bytes(shape).values +
         column * static_cast<double>(2 * std::min(m, maps_at_once(d, k)) * d + k + d);
}

double loss_bytes(const PassShape& shape, std::int64_t examples) {
  const auto sums = static_cast<double>(most_partial_results(blocks_of(examples), blocks_a_run));
  return forward_bytes(shape) + threads() * block_loss_bytes(shape) + sums * layer_bytes(shape.d, shape.m);
}

Loss loss(const std::vector<Block>& blocks, const Layer& layer, LossScratch& scratch, const StopToken& stop) {
  const BlockLoss block_loss(layer);
  const Loss zero(Stacked::Zero(2 * layer.m() * layer.d, layer.d));
  return sum_over_blocks(blocks.size(), zero, stop, [&](Loss& part, std::size_t b) {
    BlockLoss::Scratch& own = scratch.local();
    block_loss.add(blocks[b], own.attended, own, part);
  });
}

}  // namespace hardhead::learner
