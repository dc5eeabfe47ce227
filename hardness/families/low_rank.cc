#include <fmt/format.h>

#include "base/error.h"
#include "hardness/families/nice_layer.h"
#include "hardness/families/portable_matrix.h"
#include "hardness/families/registered_families.h"

namespace hardhead::hardness {
namespace {

struct LowRankOptions {
  NiceOptions nice;
  Index rank = 2;  // features of a query and of a key; at most d
};

Instance make(const LowRankOptions& options) {
  attention::Layer layer = nice_layer(options.nice);
  const Index rank = options.rank;
  if (rank > layer.d) throw InputError(fmt::format("rank={} is more than d={}", rank, layer.d));
  const Stream stream(Domain::instance, options.nice.seed, "low-rank");
  for (std::uint64_t item = 0; attention::Head & head : layer.heads) {
    const Matrix query = gaussian_matrix(stream, item++, layer.d, rank);
    const Matrix key = gaussian_matrix(stream, item++, rank, layer.d);
    head.theta = of_norm(product(query, key), options.nice.theta_norm);
  }
  return forward_instance(options.nice, std::move(layer));
}

}  // namespace

Family detail::low_rank_family() {
  return make_family(
      {.name = "low-rank",
       .summary = "nice, but every Theta_i is a product of Gaussian query and key maps of rank r",
       .hidden = whole_layer,
       .assumptions = "the stable rank of Theta_i is at most r; no hardness is claimed",
       .presets = {{"low-rank", "queries and keys of two features"}}},
      OptionTable<LowRankOptions>()
          .part(&LowRankOptions::nice, shape_rows().append(norm_rows()))
          .integer("rank", &LowRankOptions::rank, 1, 1024, "r, features of a query and of a key; at most d")
          .part(&LowRankOptions::nice, draw_rows()),
      forward_shape, make);
}

}  // namespace hardhead::hardness
