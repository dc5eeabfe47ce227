#include "attention/layer/network.h"

#include <algorithm>
#include <vector>

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

Index NetworkShape::rows(Index d) const {
  return empty() ? 0 : first_in_bias() + (units + d - 1) / d;
}

Index NetworkShape::as_heads(Index d) const {
  return (rows(d) + 2 * d - 1) / (2 * d);
}

NetworkShape shape_of(const Layer& layer) {
  return layer.network ? NetworkShape{layer.network->width(), layer.network->residual} : NetworkShape{};
}

Network to_network(const NetworkShape& shape, const Matrix& rows) {
  return {rows.topRows(shape.units), shape.in_bias(rows),
          rows.middleRows(shape.first_out(), shape.units).transpose(), rows.row(shape.out_bias()).transpose(),
          shape.residual};
}

Matrix to_rows(const Network& network) {
  const NetworkShape shape{network.width(), network.residual};
  const Index d = network.in.cols();
  Matrix rows = Matrix::Zero(shape.rows(d), d);
  rows.topRows(shape.units) = network.in;
  rows.middleRows(shape.first_out(), shape.units) = network.out.transpose();
  rows.row(shape.out_bias()) = network.out_bias.transpose();
  shape.add_in_bias(network.in_bias, rows.topRows(rows.rows()));
  return rows;
}

double network_bytes(const NetworkShape& shape, Index d) {
  return 8 * static_cast<double>(shape.rows(d) * d);
}

}  // namespace hardhead::attention
