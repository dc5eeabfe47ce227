#include "hardness/families/nice_layer.h"
#include "hardness/families/registered_families.h"

namespace hardhead::hardness {

Family detail::nice_family() {
  return make_family(
      {.name = "nice",
       .summary = "random Gaussian heads: what the upper bound is for",
       .hidden = whole_layer,
       .assumptions =
           "independent Gaussian directions: heads incoherent and W_i well conditioned relative to each "
           "other with high probability for d well above m (hardhead certify checks); no hardness is claimed",
       .presets = {{"nice", "two heads, three tokens of 16 features"}}},
      nice_table(), forward_shape,
      [](const NiceOptions& options) { return forward_instance(options, nice_layer(options)); });
}

}  // namespace hardhead::hardness
