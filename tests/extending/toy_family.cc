// A family of instances: layers whose heads all have Theta = theta_norm / sqrt(d) I, so that a token attends
// to tokens like itself. One file in hardness/, and the line x(toy) in
// hardness/families/registered_families.h.
#include <cmath>

#include "hardness/families/nice_layer.h"
#include "hardness/families/registered_families.h"

namespace hardhead::hardness {

Family detail::toy_family() {
  return make_family(
      {.name = "toy",
       .summary = "nice, but every Theta_i is the same multiple of the identity",
       .hidden = whole_layer,
       .assumptions = "the Theta_i are not told apart, which the upper bound needs; no hardness is claimed",
       .presets = {{"toy", "two heads, three tokens of 16 features"}}},
      nice_table(), forward_shape, [](const NiceOptions& options) {
        attention::Layer layer = nice_layer(options);
        const double scale = options.theta_norm / std::sqrt(static_cast<double>(layer.d));
        for (attention::Head& head : layer.heads)
          head.theta = scale * attention::Matrix::Identity(layer.d, layer.d);
        return forward_instance(options, std::move(layer));
      });
}

}  // namespace hardhead::hardness
