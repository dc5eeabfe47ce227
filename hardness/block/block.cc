#include <algorithm>
#include <cmath>

#include "base/run/parallel.h"
#include "hardness/families/nice_layer.h"
#include "hardness/families/portable_matrix.h"
#include "hardness/families/registered_families.h"

namespace hardhead::hardness {
namespace {

using attention::Network;
using attention::Vector;

struct BlockOptions {
  NiceOptions nice;
  Index width = 32;           // h
  std::int64_t residual = 1;  // 1: u is added, and x_r to F(X)_r
  double slope = 0.9;         // below 1 N is injective, but for width below 2 d without a residual
};

/// rows x columns of norm_bound() `norm`.
Matrix bounded(const Stream& stream, std::uint64_t item, Index rows, Index columns, double norm) {
  const Matrix normals = gaussian_matrix(stream, item, rows, columns);
  return scaled(norm / norm_bound(normals), normals);
}

/// Rows of A of norm about 1. B relu(A u + a) has the Lipschitz constant |A| |B| <= slope, so that u +
/// B relu(A u + a) + b is invertible for slope < 1.
Network residual_network(const BlockOptions& o, const Stream& stream) {
  Network out;
  out.residual = true;
  out.in =
      scaled(1 / std::sqrt(static_cast<double>(o.nice.d)), gaussian_matrix(stream, 0, o.width, o.nice.d));
  out.in_bias = gaussian_matrix(stream, 1, o.width, 1);
  out.out = bounded(stream, 2, o.nice.d, o.width, o.slope / norm_bound(out.in));
  out.out_bias = gaussian_matrix(stream, 3, o.nice.d, 1);
  return out;
}

/// With p = min(d, floor(h/2)) pairs of opposite units, and others:
///
///     A = [I_p; -I_p; E],   B = [R_p, -R_p - D, C],   a >= 0 on pairs,   R orthogonal,   |C| = 1,
///
/// which loses no generality by I_p where p = d, since W_i G is met. Of a pair a unit is active everywhere,
/// so that for p = d every Jacobian is R S + P with S diagonal, its entries 1 or 2, and |P| <= |D| + |C| |E|
/// <= slope. N(u) - N(u') is a mean of these times u - u': for slope < 1 it is at least (1 - slope) |u - u'|,
/// and N is injective. With fewer pairs there are regions where fewer than d units are active, as there are
/// of any Gaussian network of about 2 d units: N is not injective.
Network plain_network(const BlockOptions& o, const Stream& stream) {
  const Index d = o.nice.d, pairs = std::min(d, o.width / 2), others = o.width - 2 * pairs;
  Network out;
  out.in = Matrix::Zero(o.width, d);
  out.out.resize(d, o.width);
  out.in_bias = scaled(0.5, gaussian_matrix(stream, 0, o.width, 1));
  const Matrix rotation = random_orthogonal(stream, 1, d), off = bounded(stream, 2, d, d, o.slope / 2);
  for (Index i = 0; i < pairs; ++i) {
    out.in(i, i) = 1;
    out.in(pairs + i, i) = -1;
    out.out.col(i) = rotation.col(i);
    out.out.col(pairs + i) = -rotation.col(i) - off.col(i);
  }
  for (Index j = 0; j < 2 * pairs; ++j) out.in_bias(j) = std::abs(out.in_bias(j));
  if (others > 0) {
    out.in.bottomRows(others) = bounded(stream, 3, others, d, o.slope / 2);
    out.out.rightCols(others) = bounded(stream, 4, d, others, 1);
  }
  out.out_bias = gaussian_matrix(stream, 5, d, 1);
  return out;
}

InstanceShape shape_of_block(const BlockOptions& options) {
  InstanceShape out = forward_shape(options.nice);
  // The layer's copies and the network's blocks of units.
  constexpr double copies = 4, bytes = sizeof(double);
  out.exact_bytes = bytes * static_cast<double>(options.width) *
                    (copies * static_cast<double>(2 * out.d + 2) +
                     static_cast<double>(threads() * out.k * attention::block_size));
  return out;
}

Instance make_block(const BlockOptions& options) {
  attention::Layer layer = nice_layer(options.nice);
  const Stream stream(Domain::instance, options.nice.seed, "block");
  layer.network = options.residual == 1 ? residual_network(options, stream) : plain_network(options, stream);
  return forward_instance(options.nice, std::move(layer));
}

}  // namespace

Family detail::block_family() {
  return make_family(
      {.name = "block",
       .summary = "a one-layer transformer: a nice layer with a random network behind it",
       .hidden = "every Theta_i and W_i, and the network",
       .assumptions =
           "T(X)_r = N(F(X)_r), N(u) = B relu(A u + a) + b; with residual=1 u + N(u) at u = x_r + F(X)_r. "
           "Injective for slope < 1, where without a residual width is at least 2 d. Without a residual W_i "
           "is met as W_i G, for any invertible G alike; no hardness is claimed",
       .presets = {{"block", "two heads of 16 features, a network of 32 units and a residual"},
                   {"block:k=2,width=48,residual=0", "48 units behind two heads, no residual"}}},
      OptionTable<BlockOptions>()
          .part(&BlockOptions::nice, shape_rows())
          .integer("width", &BlockOptions::width, 1, 1024, "h: units of the network")
          .integer("residual", &BlockOptions::residual, 0, 1, "1: x_r is added before N, and u behind it")
          .real("slope", &BlockOptions::slope, 0, 100,
                "Lipschitz constant of what N adds to a map that is invertible: below 1 N is injective")
          .part(&BlockOptions::nice, norm_rows())
          .part(&BlockOptions::nice, draw_rows()),
      shape_of_block, make_block);
}

}  // namespace hardhead::hardness
