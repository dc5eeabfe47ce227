#include <fmt/format.h>

#include <cmath>

#include "base/error.h"
#include "hardness/families/nice_layer.h"
#include "hardness/families/portable_matrix.h"
#include "hardness/families/registered_families.h"

namespace hardhead::hardness {
namespace {

struct TransformerOptions {
  NiceOptions nice;  // its norms are not used
  double gain = 1;   // factor of query and key maps
};

/// Theta_i = gain^2 Wq_i^T Wk_i / sqrt(d_h),   W_i = Wv_i^T Wo_i^T,   d_h = d / m,
///
/// Wq_i, Wk_i, Wv_i (d_h x d) being the rows, and Wo_i (d x d_h) the columns, of head i in d x d maps with
/// entries uniform on +-sqrt(6 / (d + d)) (Xavier): all entries have variance 1/d.
Instance make(const TransformerOptions& options) {
  const Index d = options.nice.d, m = options.nice.m;
  if (d % m != 0) throw InputError(fmt::format("m={} does not divide d={}", m, d));
  const Index head_size = d / m;
  const double bound = std::sqrt(3.0 / static_cast<double>(d));
  const double logit_scale = options.gain * options.gain / std::sqrt(static_cast<double>(head_size));
  const Stream stream(Domain::instance, options.nice.seed, "transformer");
  attention::Layer layer{d, {}};
  for (std::uint64_t item = 0; layer.m() < m;) {
    const auto into_head = [&] { return uniform_matrix(stream, item++, d, head_size, bound); };
    const auto out_of_head = [&] { return uniform_matrix(stream, item++, head_size, d, bound); };
    const Matrix query = into_head(), key = out_of_head(), value = into_head(), output = out_of_head();
    layer.heads.push_back({scaled(logit_scale, product(query, key)), product(value, output)});
  }
  return forward_instance(options.nice, std::move(layer));
}

}  // namespace

Family detail::transformer_family() {
  return make_family(
      {.name = "transformer",
       .summary =
           "heads as standard implementations start them: Xavier-uniform query, key, value and output maps",
       .hidden = whole_layer,
       .assumptions = "Theta_i and W_i have rank d/m and ||Theta_i|| is about gain^2, ||W_i|| about "
                      "sqrt(d/m); what holds is for hardhead certify to say; no hardness is claimed",
       .presets = {{"transformer", "two heads of eight features"},
                   {"transformer:d=64,m=8", "eight heads of eight features"}}},
      OptionTable<TransformerOptions>()
          .part(&TransformerOptions::nice, shape_rows())
          .real("gain", &TransformerOptions::gain, 1e-3, 1e3,
                "factor of query and key maps (0.7071 where they are drawn packed with the value map)")
          .part(&TransformerOptions::nice, draw_rows()),
      forward_shape, make);
}

}  // namespace hardhead::hardness
