#include "attention/forward/forward.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "attention/forward/matrix_product.h"
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

/// T(X) in block.y, which holds F(X). Bits of a column do not depend on the others.
void apply_network(const Network& network, Block& block) {
  if (network.residual) block.y += block.x;
  RowMatrix units;
  set_product(units, network.in, block.y);
  units = (units.colwise() + network.in_bias).cwiseMax(0).eval();
  RowMatrix out;
  set_product(out, network.out, units);
  out.colwise() += network.out_bias;
  if (network.residual)
    block.y += out;
  else
    block.y = out;
}

}  // namespace

struct TokenMaps::Tables {
  std::once_flag made;
  std::vector<SignTables> of_matrix;
};

TokenMaps::TokenMaps(RowMatrix stacked) : stacked_(std::move(stacked)), tables_(std::make_shared<Tables>()) {}

void TokenMaps::apply(Index first, const Block& block, const Signs& signs, Eigen::Ref<RowMatrix> out) const {
  if (signs.empty()) {
    set_product(out, stacked_.middleRows(first * d(), out.rows()), block.x);
    return;
  }
  for (Index row = 0; row < out.rows(); row += d())
    tables()[static_cast<std::size_t>(first + row / d())].apply(signs, out.middleRows(row, d()));
}

const std::vector<SignTables>& TokenMaps::tables() const {
  std::call_once(tables_->made, [&] {
    for (Index i = 0; i < count(); ++i) tables_->of_matrix.emplace_back(stacked_.middleRows(i * d(), d()));
  });
  return tables_->of_matrix;
}

Index maps_at_once(Index d, Index k) {
  return std::max<Index>(1, Index{512} * 1024 / (8 * d * k * block_size));
}

Forward::Forward(const Layer& layer)
    : theta_t_(stacked(layer, &Head::theta)),
      w_t_(stacked(layer, &Head::w)),
      w_side_(side_by_side(layer)),
      network_(layer.network) {}

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

void Forward::all_patterns(const Block& block, Workspace& ws) const {
  ws.p.resize(m() * block.k, block.k * block.count);
  if (!ws.signs.empty()) {
    for (Index i = 0; i < m(); ++i) {
      auto p = ws.p.middleRows(i * block.k, block.k);
      sign_token_products(theta_t_.tables()[static_cast<std::size_t>(i)], ws.signs, block, p);
      softmax(p);
    }
    return;
  }
  const Index at_once = maps_at_once(d(), block.k);
  for (Index first = 0; first < m(); first += at_once)
    patterns(block, first, std::min(at_once, m() - first), ws);
}

void Forward::apply(Block& block, Workspace& ws) const {
  apply_heads(block, ws);
  if (network_) apply_network(*network_, block);
}

void Forward::apply_heads(Block& block, Workspace& ws) const {
  const Index k = block.k, at_once = maps_at_once(d(), k);
  if (ws.signs.take(block.x)) {
    all_patterns(block, ws);
    return sign_token_mixtures(w_t_.tables(), ws.signs, ws.p, ws.scratch, block);
  }
  ws.p.resize(m() * k, k * block.count);
  for (Index first = 0; first < m(); first += at_once) {
    const Index heads = std::min(at_once, m() - first);
    patterns(block, first, heads, ws);
    for (Index i = 0; i < heads; ++i)
      token_mixtures(ws.p.middleRows((first + i) * k, k), block.x, k, block.count,
                     ws.scratch.middleRows(i * d(), d()));
    if (first == 0)
      set_product(block.y, w_side_.middleCols(0, heads * d()), ws.scratch);
    else
      add_product(block.y, w_side_.middleCols(first * d(), heads * d()), ws.scratch);
  }
}

void Forward::attend(const Block& block, Workspace& ws) const {
  const Index k = block.k;
  ws.signs.take(block.x);
  ws.z.resize(m() * d(), k * block.count);
  all_patterns(block, ws);
  for (Index i = 0; i < m(); ++i)
    token_mixtures(ws.p.middleRows(i * k, k), block.x, k, block.count, ws.z.middleRows(i * d(), d()));
}

void Forward::attend_values(const Block& block, Workspace& ws) const {
  ws.transposed = {};
  if (ws.signs.take(block.x)) ws.transposed.take_transposed(ws.signs);
  ws.v.resize(m() * d(), block.k * block.count);
  all_patterns(block, ws);
  w_t_.apply(0, block, ws.signs, ws.v);
}

void attend_one(const Matrix& theta, const Block& block, Forward::Workspace& ws) {
  const Index columns = block.k * block.count;
  ws.scratch.resize(block.d(), columns);
  ws.p.resize(block.k, columns);
  ws.z.resize(block.d(), columns);
  set_product(ws.scratch, theta.transpose(), block.x);
  token_products(ws.scratch, block.x, block.k, block.count, ws.p);
  softmax(ws.p);
  token_mixtures(ws.p, block.x, block.k, block.count, ws.z);
}

}  // namespace hardhead::attention
