#include <fmt/format.h>

#include "base/error.h"
#include "hardness/families/nice_layer.h"
#include "hardness/families/portable_matrix.h"
#include "hardness/families/registered_families.h"

namespace hardhead::hardness {
namespace {

struct BlockDiagonalOptions {
  NiceOptions nice;
  Index blocks = 4;  // of equal size; divides d
};

/// A nice layer of which every Theta_i keeps its diagonal blocks, all of one size, and its norm.
Instance make(const BlockDiagonalOptions& options) {
  const Index blocks = options.blocks;
  attention::Layer layer = nice_layer(options.nice);
  if (layer.d % blocks != 0) throw InputError(fmt::format("blocks={} does not divide d={}", blocks, layer.d));
  const Index size = layer.d / blocks;
  for (attention::Head& head : layer.heads) {
    for (Index b = 0; b < layer.d; ++b)
      for (Index a = 0; a < layer.d; ++a)
        if (a / size != b / size) head.theta(a, b) = 0;
    head.theta = of_norm(head.theta, options.nice.theta_norm);
  }
  return forward_instance(options.nice, std::move(layer));
}

constexpr const char* assumptions =
    "stable rank and incoherence fall with the size of the blocks, and so does the distance from a lattice "
    "(most entries are 0): about 1/sqrt(blocks) of a full matrix's; no hardness is claimed";

}  // namespace

Family detail::diagonal_family() {
  return make_family(
      {.name = "diagonal",
       .summary = "nice, but every Theta_i is diagonal: a token's features attend to their own kind",
       .hidden = whole_layer,
       .assumptions = assumptions,
       .presets = {{"diagonal", "two heads, three tokens of 16 features"}}},
      nice_table(), forward_shape, [](const NiceOptions& options) { return make({options, options.d}); });
}

Family detail::block_diagonal_family() {
  return make_family(
      {.name = "block-diagonal",
       .summary = "nice, but every Theta_i is block-diagonal: blocks=1 is nice, blocks=d is diagonal",
       .hidden = whole_layer,
       .assumptions = assumptions,
       .presets = {{"block-diagonal", "four blocks of four features"}}},
      OptionTable<BlockDiagonalOptions>()
          .part(&BlockDiagonalOptions::nice, shape_rows().append(norm_rows()))
          .integer("blocks", &BlockDiagonalOptions::blocks, 1, 1024,
                   "blocks of equal size on the diagonal; divides d")
          .part(&BlockDiagonalOptions::nice, draw_rows()),
      forward_shape, make);
}

}  // namespace hardhead::hardness
