#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "hardness/families/nice_layer.h"
#include "hardness/families/portable_matrix.h"
#include "hardness/families/registered_families.h"

namespace hardhead::hardness {
namespace {

/// A uniformly random permutation matrix with uniformly random signs.
Matrix random_signed_permutation(const Stream& stream, std::uint64_t item, Index d) {
  std::vector<double> keys(static_cast<std::size_t>(2 * d));
  stream.uniforms(item, keys);
  std::vector<Index> order(static_cast<std::size_t>(d));
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index a, Index b) {  // equal keys by index
    return std::pair(keys[static_cast<std::size_t>(a)], a) < std::pair(keys[static_cast<std::size_t>(b)], b);
  });
  Matrix out = Matrix::Zero(d, d);
  for (Index a = 0; a < d; ++a)
    out(a, order[static_cast<std::size_t>(a)]) = keys[static_cast<std::size_t>(d + a)] < 0.5 ? -1 : 1;
  return out;
}

/// A nice layer whose Theta_i are drawn by `draw` from the stream of that name.
Instance make(const NiceOptions& options, const char* name,
              Matrix (*draw)(const Stream&, std::uint64_t, Index)) {
  attention::Layer layer = nice_layer(options);
  const Stream stream(Domain::instance, options.seed, name);
  for (std::uint64_t item = 0; attention::Head & head : layer.heads)
    head.theta = of_norm(draw(stream, item++, layer.d), options.theta_norm);
  return forward_instance(options, std::move(layer));
}

}  // namespace

Family detail::orthogonal_family() {
  return make_family(
      {.name = "orthogonal",
       .summary = "nice, but every Theta_i is a multiple of a random orthogonal matrix",
       .hidden = whole_layer,
       .assumptions =
           "the largest stable rank there is, d, and columns of equal norm; no hardness is claimed",
       .presets = {{"orthogonal", "two heads, three tokens of 16 features"}}},
      nice_table(), forward_shape,
      [](const NiceOptions& options) { return make(options, "orthogonal", random_orthogonal); });
}

Family detail::permutation_family() {
  return make_family(
      {.name = "permutation",
       .summary = "nice, but every Theta_i is a multiple of a random permutation matrix with random signs",
       .hidden = whole_layer,
       .assumptions =
           "stable rank d and columns of equal norm, as orthogonal, but all entries on a lattice: 0 and "
           "+-theta_norm/sqrt(d); no hardness is claimed",
       .presets = {{"permutation", "two heads, three tokens of 16 features"}}},
      nice_table(), forward_shape,
      [](const NiceOptions& options) { return make(options, "permutation", random_signed_permutation); });
}

}  // namespace hardhead::hardness
