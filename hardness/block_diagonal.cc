#include <fmt/format.h>

#include "base/error.h"
#include "hardness/nice_layer.h"
#include "hardness/portable_matrix.h"
#include "hardness/registered_families.h"

namespace hardhead::hardness {
namespace {

/// A nice layer of which every Theta_i keeps its diagonal blocks, all of one size, and its norm.
Instance make(const Parameters& p, Index blocks) {
  attention::Layer layer = nice_layer(p);
  if (layer.d % blocks != 0)
    throw InputError(
        fmt::format("spec '{}': blocks={} does not divide d={}", p.canonical().str(), blocks, layer.d));
  const Index size = layer.d / blocks;
  for (attention::Head& head : layer.heads) {
    for (Index b = 0; b < layer.d; ++b)
      for (Index a = 0; a < layer.d; ++a)
        if (a / size != b / size) head.theta(a, b) = 0;
    head.theta = of_norm(head.theta, p.real("theta_norm"));
  }
  return forward_instance(p, std::move(layer));
}

Family common() {
  Family f;
  f.hidden = whole_layer;
  f.assumptions =
      "stable rank and incoherence fall with the size of the blocks, and so does the distance from a lattice "
      "(most entries are 0): about 1/sqrt(blocks) of a full matrix's; no hardness is claimed";
  return f;
}

}  // namespace

Family detail::diagonal_family() {
  Family f = common();
  f.name = "diagonal";
  f.summary = "nice, but every Theta_i is diagonal: a token's features attend to their own kind";
  f.parameters = layer_parameters(norms_and({}));
  f.make = [](const Parameters& p) { return make(p, p.integer("d")); };
  f.presets = {{"diagonal", "two heads, three tokens of 16 features"}};
  return f;
}

Family detail::block_diagonal_family() {
  Family f = common();
  f.name = "block-diagonal";
  f.summary = "nice, but every Theta_i is block-diagonal: blocks=1 is nice, blocks=d is diagonal";
  f.parameters = layer_parameters(norms_and(
      {Parameter::integer("blocks", 4, 1, 1024, "blocks of equal size on the diagonal; divides d")}));
  f.make = [](const Parameters& p) { return make(p, p.integer("blocks")); };
  f.presets = {{"block-diagonal", "four blocks of four features"}};
  return f;
}

}  // namespace hardhead::hardness
