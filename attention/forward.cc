#include "attention/forward.h"

#include "attention/token_products.h"

namespace hardhead::attention {
namespace {

// From q = Theta^T X of one head: its patterns p and mean tokens z.
void attend_rows(const Block& block, Eigen::Ref<const RowMatrix> q, Eigen::Ref<RowMatrix> p,
                 Eigen::Ref<RowMatrix> z) {
  token_products(q, block.x, block.k, block.count, p);
  auto logits = p.array();
  logits.rowwise() -= logits.colwise().maxCoeff().eval();
  logits = logits.exp();
  logits.rowwise() *= logits.colwise().sum().inverse().eval();
  token_mixtures(p, block.x, block.k, block.count, z);
}

}  // namespace

Forward::Forward(const Layer& layer) : d_(layer.d), m_(layer.m()), theta_t_(m_ * d_, d_), w_t_(d_, m_ * d_) {
  layer.validate();
  for (Index i = 0; i < m_; ++i) {
    theta_t_.middleRows(i * d_, d_) = layer.heads[static_cast<std::size_t>(i)].theta.transpose();
    w_t_.middleCols(i * d_, d_) = layer.heads[static_cast<std::size_t>(i)].w.transpose();
  }
}

void Forward::attend(const Block& block, Workspace& ws) const {
  const Index columns = block.k * block.count;
  ws.q.resize(m_ * d_, columns);
  ws.z.resize(m_ * d_, columns);
  ws.p.resize(m_ * block.k, columns);
  ws.q.noalias() = theta_t_ * block.x;
  for (Index i = 0; i < m_; ++i)
    attend_rows(block, ws.q.middleRows(i * d_, d_), ws.p.middleRows(i * block.k, block.k),
                ws.z.middleRows(i * d_, d_));
}

void Forward::apply(Block& block, Workspace& ws) const {
  attend(block, ws);
  block.y.noalias() = w_t_ * ws.z;
}

void attend_one(const Matrix& theta, const Block& block, Forward::Workspace& ws) {
  const Index columns = block.k * block.count;
  ws.q.resize(block.d(), columns);
  ws.z.resize(block.d(), columns);
  ws.p.resize(block.k, columns);
  ws.q.noalias() = theta.transpose() * block.x;
  attend_rows(block, ws.q, ws.p, ws.z);
}

}  // namespace hardhead::attention
