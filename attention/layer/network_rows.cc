#include "attention/layer/network_rows.h"

namespace hardhead::attention {

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
