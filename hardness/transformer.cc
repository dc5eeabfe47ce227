#include <fmt/format.h>

#include <cmath>

#include "base/error.h"
#include "hardness/nice_layer.h"
#include "hardness/portable_matrix.h"
#include "hardness/registered_families.h"

namespace hardhead::hardness {
namespace {

/// Theta_i = gain^2 Wq_i^T Wk_i / sqrt(d_h),   W_i = Wv_i^T Wo_i^T,   d_h = d / m,
///
/// Wq_i, Wk_i, Wv_i (d_h x d) being the rows, and Wo_i (d x d_h) the columns, of head i in d x d maps with
/// entries uniform on +-sqrt(6 / (d + d)) (Xavier): all entries have variance 1/d.
Instance make(const Parameters& p) {
  const Index d = p.integer("d"), m = p.integer("m");
  if (d % m != 0)
    throw InputError(fmt::format("spec '{}': m={} does not divide d={}", p.canonical().str(), m, d));
  const Index head_size = d / m;
  const double bound = std::sqrt(3.0 / static_cast<double>(d));
  const double logit_scale = p.real("gain") * p.real("gain") / std::sqrt(static_cast<double>(head_size));
  const Stream stream(Domain::instance, static_cast<std::uint64_t>(p.integer("seed")), "transformer");
  attention::Layer layer{d, {}};
  for (std::uint64_t item = 0; layer.m() < m;) {
    const auto into_head = [&] { return uniform_matrix(stream, item++, d, head_size, bound); };
    const auto out_of_head = [&] { return uniform_matrix(stream, item++, head_size, d, bound); };
    const Matrix query = into_head(), key = out_of_head(), value = into_head(), output = out_of_head();
    layer.heads.push_back({scaled(logit_scale, product(query, key)), product(value, output)});
  }
  return forward_instance(p, std::move(layer));
}

}  // namespace

Family detail::transformer_family() {
  Family f;
  f.name = "transformer";
  f.summary =
      "heads as standard implementations start them: Xavier-uniform query, key, value and output maps";
  f.hidden = whole_layer;
  f.assumptions =
      "Theta_i and W_i have rank d/m and ||Theta_i|| is about gain^2, ||W_i|| about sqrt(d/m); what holds is for "
      "hardhead certify to say; no hardness is claimed";
  f.parameters = layer_parameters({Parameter::real(
      "gain", 1, 1e-3, 1e3,
      "factor of query and key maps (0.7071 where they are drawn packed with the value map)")});
  f.make = make;
  f.presets = {{"transformer", "two heads of eight features"},
               {"transformer:d=64,m=8", "eight heads of eight features"}};
  return f;
}

}  // namespace hardhead::hardness
