// A family of instances: layers whose heads all have Theta = theta_norm / sqrt(d) I, so that a token attends to tokens like
// itself. One file in hardness/, and the line x(toy) in hardness/registered_families.h.
#include <cmath>

#include "hardness/nice_layer.h"
#include "hardness/registered_families.h"

namespace hardhead::hardness {

Family detail::toy_family() {
  Family f;
  f.name = "toy";
  f.summary = "nice, but every Theta_i is the same multiple of the identity";
  f.hidden = whole_layer;
  f.assumptions = "the Theta_i are not told apart, which the upper bound needs; no hardness is claimed";
  f.parameters = layer_parameters(norms_and({}));
  f.make = [](const Parameters& p) {
    attention::Layer layer = nice_layer(p);
    const double scale = p.real("theta_norm") / std::sqrt(static_cast<double>(layer.d));
    for (attention::Head& head : layer.heads)
      head.theta = scale * attention::Matrix::Identity(layer.d, layer.d);
    return forward_instance(p, std::move(layer));
  };
  f.presets = {{"toy", "two heads, three tokens of 16 features"}};
  return f;
}

}  // namespace hardhead::hardness
