#pragma once
#include <Eigen/Core>

#include "attention/layer/layer.h"

namespace hardhead::attention {

/// A network of one hidden layer, and how its numbers stand as rows of d: those of A; those of B^T; b; a, d
/// numbers a row, the last row filled up with zeros that count for nothing.
struct NetworkShape {
  Index units = 0;        ///< h; 0: there is no network
  bool residual = false;  ///< Network::residual

  bool empty() const { return units == 0; }              ///< no network
  Index rows(Index d) const;                             ///< all of them
  Index as_heads(Index d) const;                         ///< heads of at least as many numbers
  Index first_out() const { return units; }              ///< of B^T
  Index out_bias() const { return 2 * units; }           ///< b
  Index first_in_bias() const { return 2 * units + 1; }  ///< of a

  /// a, of the rows of a network.
  template <class Rows>
  auto in_bias(const Eigen::MatrixBase<Rows>& rows) const {
    Eigen::Vector<typename Rows::Scalar, Eigen::Dynamic> out(units);
    for (Index j = 0; j < units; ++j) out(j) = rows(first_in_bias() + j / rows.cols(), j % rows.cols());
    return out;
  }
  /// Adds to a.
  template <class Rows, class Values>
  void add_in_bias(const Eigen::MatrixBase<Values>& values, Eigen::MatrixBase<Rows>&& rows) const {
    for (Index j = 0; j < units; ++j) rows(first_in_bias() + j / rows.cols(), j % rows.cols()) += values(j);
  }
};

/// The shape of a layer's network.
NetworkShape shape_of(const Layer& layer);
/// The network of these rows, and its rows.
Network to_network(const NetworkShape& shape, const Matrix& rows);
Matrix to_rows(const Network& network);  ///< see to_network()

/// Bytes of a network.
double network_bytes(const NetworkShape& shape, Index d);

}  // namespace hardhead::attention
