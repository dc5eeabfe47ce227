#pragma once
#include "attention/layer/layer.h"

/// Networks behind a layer of heads: which of them are one function.
///
/// # What is the same function
/// - Units in another order; a row of A and its a times c > 0, with the column of B over c; units of the same
///   row as one; units without one.
/// - Without a residual, W_i to W_i G and A to A G^-T for any invertible G: only products of both are met.
///   Where W_sum has an inverse, G = W_sum^-1 chooses W_sum = I.
/// - With a residual nothing of the kind: x_r, which is known, stands beside F(X)_r.
namespace hardhead::attention {

/// The same function with W_sum = I, without a residual and where W_sum has an inverse (of reciprocal
/// condition number at least 1e-12); with units of rows [A a] of norm 1, the signs kept, those of B = 0 left
/// out, in the lexicographic order of their rows. As it is without a network.
Layer with_canonical_network(Layer layer);

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
