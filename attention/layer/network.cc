#include "attention/layer/network.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "base/numeric/decompositions.h"

namespace hardhead::attention {
namespace {

void set_w_sum_to_identity(Layer& layer) {
  constexpr double least_rcond = 1e-12;
  const Matrix w_sum = layer.w_sum();
  const SingularValues spectrum = singular_values(w_sum, SingularVectors::none);
  if (!(spectrum.values(layer.d - 1) > least_rcond * spectrum.values(0))) return;
  const Matrix inverse_sum = inverse(w_sum);
  for (Head& head : layer.heads) head.w = (head.w * inverse_sum).eval();
  layer.network->in = (layer.network->in * w_sum.transpose()).eval();
}

}  // namespace

Layer with_canonical_network(Layer layer) {
  if (!layer.network) return layer;
  layer.validate();
  if (!layer.network->residual) set_w_sum_to_identity(layer);
  const Network& given = *layer.network;
  Matrix rows(given.width(), layer.d + 1);
  rows << given.in, given.in_bias;
  std::vector<Index> units;
  for (Index j = 0; j < given.width(); ++j)
    if (!given.out.col(j).isZero(0)) units.push_back(j);
  if (units.empty()) units.push_back(0);
  const Vector norms = rows.rowwise().norm().unaryExpr([](double n) { return n > 0 ? n : 1; });
  rows = (norms.cwiseInverse().asDiagonal() * rows).eval();
  std::ranges::sort(units, [&](Index a, Index b) {
    const Vector one = rows.row(a), other = rows.row(b);
    return std::ranges::lexicographical_compare(one, other);
  });
  Network out = given;
  const auto width = static_cast<Index>(units.size());
  out.in.resize(width, layer.d);
  out.in_bias.resize(width);
  out.out.resize(layer.d, width);
  for (Index j = 0; j < width; ++j) {
    const Index unit = units[static_cast<std::size_t>(j)];
    out.in.row(j) = rows.row(unit).head(layer.d);
    out.in_bias(j) = rows(unit, layer.d);
    out.out.col(j) = norms(unit) * given.out.col(unit);
  }
  layer.network = std::move(out);
  return layer;
}

void heads_alone(const Layer& layer, const std::string& what) {
  if (layer.network)
    throw InputError(
        fmt::format("{}: this layer has a network of {} units behind its heads, and {} speaks "
                    "of heads alone",
                    what, layer.network->width(), what));
}

}  // namespace hardhead::attention
