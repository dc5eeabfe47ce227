#include "learner/loss.h"

#include "attention/token_products.h"
#include "base/parallel.h"

namespace hardhead::learner {

using namespace attention;

Stacked stack(const Layer& layer) {
  const Index d = layer.d, m = layer.m();
  Stacked out(2 * m * d, d);
  for (Index i = 0; i < m; ++i) {
    out.middleRows(i * d, d) = layer.heads[static_cast<std::size_t>(i)].theta.transpose();
    out.middleRows((m + i) * d, d) = layer.heads[static_cast<std::size_t>(i)].w;
  }
  return out;
}

Layer unstack(const Stacked& stacked) {
  Layer layer;
  layer.d = stacked.cols();
  const Index m = stacked.rows() / (2 * layer.d);
  for (Index i = 0; i < m; ++i)
    layer.heads.push_back({stacked.middleRows(i * layer.d, layer.d).transpose(),
                           stacked.middleRows((m + i) * layer.d, layer.d)});
  return layer;
}

Loss& Loss::operator+=(const Loss& other) {
  error += other.error;
  total += other.total;
  gradient += other.gradient;
  return *this;
}

BlockLoss::BlockLoss(const Layer& layer) : forward_(layer), w_(stack(layer).bottomRows(layer.m() * layer.d)) {
  w_t_ = w_.transpose();
}

void BlockLoss::attend(const Block& block, Forward::Workspace& attended) const {
  forward_.attend(block, attended);
}

void BlockLoss::add(const Block& block, Forward::Workspace& attended, Scratch& scratch, Loss& sum) const {
  attend(block, attended);
  scratch.residual = -block.y;
  sum.total += scratch.residual.squaredNorm();
  scratch.residual.noalias() += w_t_ * attended.z;
  sum.error += scratch.residual.squaredNorm();
  add_adjoint(block, attended, scratch, sum.gradient);
}

void BlockLoss::add_adjoint(const Block& block, const Forward::Workspace& attended, Scratch& scratch,
                            Stacked& gradient) const {
  const Index d = block.d(), k = block.k, columns = k * block.count, md = w_.rows();
  RowMatrix& g = scratch.heads;
  g.resize(md, columns);
  scratch.logits.resize(k, columns);
  g.noalias() = w_ * scratch.residual;
  for (Index i = 0; i < m(); ++i) {
    token_products(g.middleRows(i * d, d), block.x, k, block.count, scratch.logits);
    softmax_jacobian(attended.p.middleRows(i * k, k), scratch.logits);
    token_mixtures(scratch.logits, block.x, k, block.count, g.middleRows(i * d, d));
  }
  gradient.topRows(md).noalias() += g * block.x.transpose();
  gradient.bottomRows(md).noalias() += attended.z * scratch.residual.transpose();
}

Loss loss(const std::vector<Block>& blocks, const Layer& layer, LossScratch& scratch) {
  const BlockLoss block_loss(layer);
  return deterministic_reduce(
      static_cast<std::int64_t>(blocks.size()), 4, block_loss.zero(),
      [&](Loss& part, std::int64_t b) {
        BlockLoss::Scratch& own = scratch.local();
        block_loss.add(blocks[static_cast<std::size_t>(b)], own.attended, own, part);
      },
      [](Loss& left, const Loss& right) { left += right; });
}

}  // namespace hardhead::learner
