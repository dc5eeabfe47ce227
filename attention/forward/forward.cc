#include "attention/forward/forward.h"

#include <algorithm>

#include "attention/forward/token_products.h"

namespace hardhead::attention {
namespace {

RowMatrix stacked(const Layer& layer, Matrix Head::* part) {
  layer.validate();
  RowMatrix out(layer.m() * layer.d, layer.d);
  for (Index i = 0; i < layer.m(); ++i)
    out.middleRows(i * layer.d, layer.d) = (layer.heads[static_cast<std::size_t>(i)].*part).transpose();
  return out;
}

RowMatrix side_by_side(const Layer& layer) {
  RowMatrix out(layer.d, layer.m() * layer.d);
  for (Index i = 0; i < layer.m(); ++i)
    out.middleCols(i * layer.d, layer.d) = layer.heads[static_cast<std::size_t>(i)].w.transpose();
  return out;
}

void softmax(Eigen::Ref<RowMatrix> p) {
  auto logits = p.array();
  logits.rowwise() -= logits.colwise().maxCoeff().eval();
  logits = logits.exp();
  logits.rowwise() *= logits.colwise().sum().inverse().eval();
}

}  // namespace

Forward::Forward(const Layer& layer)
    : theta_t_(stacked(layer, &Head::theta)), w_t_(stacked(layer, &Head::w)), w_side_(side_by_side(layer)) {}

// The patterns of some heads; leaves q = Theta^T X in scratch.
void Forward::patterns(const Block& block, Index first, Index heads, Workspace& ws) const {
  const Index k = block.k;
  ws.scratch.resize(heads * d(), k * block.count);
  theta_t_.apply(first, block, ws.signs, ws.scratch);
  for (Index i = 0; i < heads; ++i) {
    auto p = ws.p.middleRows((first + i) * k, k);
    token_products(ws.scratch.middleRows(i * d(), d()), block.x, k, block.count, p);
    softmax(p);
  }
}

void Forward::apply(Block& block, Workspace& ws) const {
  const Index k = block.k, columns = k * block.count, at_once = maps_at_once(block.d(), block.k);
  ws.signs.take(block.x);
  ws.p.resize(m() * k, columns);
  for (Index first = 0; first < m(); first += at_once) {
    const Index heads = std::min(at_once, m() - first);
    patterns(block, first, heads, ws);
    const bool by_values = !ws.signs.empty();
    if (by_values) w_t_.apply(first, block, ws.signs, ws.scratch);
    for (Index i = 0; i < heads; ++i) {
      const auto p = ws.p.middleRows((first + i) * k, k);
      auto part = ws.scratch.middleRows(i * d(), d());
      if (!by_values)
        token_mixtures(p, block.x, k, block.count, part);
      else if (first + i == 0)
        token_mixtures(p, part, k, block.count, block.y);
      else
        add_token_mixtures(p, part, k, block.count, block.y);
    }
    if (by_values) continue;
    if (first == 0)
      block.y.noalias() = w_side_.middleCols(0, heads * d()) * ws.scratch;
    else
      block.y.noalias() += w_side_.middleCols(first * d(), heads * d()) * ws.scratch;
  }
}

void Forward::attend(const Block& block, Workspace& ws) const {
  const Index k = block.k, columns = k * block.count, at_once = maps_at_once(block.d(), block.k);
  ws.signs.take(block.x);
  ws.p.resize(m() * k, columns);
  ws.z.resize(m() * d(), columns);
  for (Index first = 0; first < m(); first += at_once)
    patterns(block, first, std::min(at_once, m() - first), ws);
  for (Index i = 0; i < m(); ++i)
    token_mixtures(ws.p.middleRows(i * k, k), block.x, k, block.count, ws.z.middleRows(i * d(), d()));
}

void Forward::attend_values(const Block& block, Workspace& ws) const {
  const Index k = block.k, columns = k * block.count, at_once = maps_at_once(block.d(), block.k);
  ws.transposed = {};
  if (ws.signs.take(block.x)) ws.transposed.take_transposed(ws.signs);
  ws.p.resize(m() * k, columns);
  ws.v.resize(m() * d(), columns);
  for (Index first = 0; first < m(); first += at_once)
    patterns(block, first, std::min(at_once, m() - first), ws);
  w_t_.apply(0, block, ws.signs, ws.v);
}

void attend_one(const Matrix& theta, const Block& block, Forward::Workspace& ws) {
  const Index columns = block.k * block.count;
  ws.scratch.resize(block.d(), columns);
  ws.p.resize(block.k, columns);
  ws.z.resize(block.d(), columns);
  ws.scratch.noalias() = theta.transpose() * block.x;
  token_products(ws.scratch, block.x, block.k, block.count, ws.p);
  softmax(ws.p);
  token_mixtures(ws.p, block.x, block.k, block.count, ws.z);
}

}  // namespace hardhead::attention
