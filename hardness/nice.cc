#include "hardness/nice_layer.h"
#include "hardness/registered_families.h"

namespace hardhead::hardness {

Family detail::nice_family() {
  Family f;
  f.name = "nice";
  f.summary = "random Gaussian heads: what the upper bound is for";
  f.hidden = whole_layer;
  f.assumptions =
      "independent Gaussian directions: heads incoherent and W_i well conditioned relative to each other "
      "with high probability for d well above m (hardhead certify checks); no hardness is claimed";
  f.parameters = layer_parameters(norms_and({}));
  f.make = [](const Parameters& p) { return forward_instance(p, nice_layer(p)); };
  f.presets = {{"nice", "two heads, three tokens of 16 features"}};
  return f;
}

}  // namespace hardhead::hardness
