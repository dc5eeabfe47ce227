#include <fmt/format.h>

#include "base/error.h"
#include "hardness/nice_layer.h"
#include "hardness/portable_matrix.h"
#include "hardness/registered_families.h"

namespace hardhead::hardness {
namespace {

Instance make(const Parameters& p) {
  attention::Layer layer = nice_layer(p);
  const Index rank = p.integer("rank");
  if (rank > layer.d)
    throw InputError(fmt::format("spec '{}': rank={} is more than d={}", p.canonical().str(), rank, layer.d));
  const Stream stream(Domain::instance, static_cast<std::uint64_t>(p.integer("seed")), "low-rank");
  for (std::uint64_t item = 0; attention::Head & head : layer.heads) {
    const Matrix query = gaussian_matrix(stream, item++, layer.d, rank);
    const Matrix key = gaussian_matrix(stream, item++, rank, layer.d);
    head.theta = of_norm(product(query, key), p.real("theta_norm"));
  }
  return forward_instance(p, std::move(layer));
}

}  // namespace

Family detail::low_rank_family() {
  Family f;
  f.name = "low-rank";
  f.summary = "nice, but every Theta_i is a product of Gaussian query and key maps of rank r";
  f.hidden = whole_layer;
  f.assumptions = "the stable rank of Theta_i is at most r; no hardness is claimed";
  f.parameters = layer_parameters(
      norms_and({Parameter::integer("rank", 2, 1, 1024, "r, features of a query and of a key; at most d")}));
  f.make = make;
  f.presets = {{"low-rank", "queries and keys of two features"}};
  return f;
}

}  // namespace hardhead::hardness
