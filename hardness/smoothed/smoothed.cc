#include <fmt/format.h>

#include "base/error.h"
#include "base/text/seed.h"
#include "hardness/families/parity.h"
#include "hardness/families/registered_families.h"
#include "hardness/smoothed/perturbed_layer.h"

namespace hardhead::hardness {
namespace {

struct SmoothedOptions {
  ParityOptions parity;
  Perturbation perturbation{.sigma = 0.01};
};

bool is_parity(const Perturbation& perturbation) {
  return perturbation.sigma == 0 && perturbation.temperature == 1;
}

InstanceShape smoothed_shape(const SmoothedOptions& options) {
  if (!is_parity(options.perturbation) && !has_exact_layer(options.parity))
    throw InputError(fmt::format("variant={} with m={}: noise is added to layers with rational weights only",
                                 name_of(options.parity.variant), options.parity.m));
  InstanceShape out = parity_shape(options.parity);
  out.exact_bytes += PerturbedLayer::bytes(out.d, out.m);
  return out;
}

Instance smoothed_instance(const SmoothedOptions& options) {
  smoothed_shape(options);  // refuses what is out of range
  Instance out = parity_instance(options.parity);
  if (is_parity(options.perturbation)) return out;
  const Stream noise(Domain::instance, options.parity.seed,
                     fmt::format("smoothed d={} m={}", options.parity.d, options.parity.m));
  const auto teacher = std::make_shared<PerturbedLayer>(*out.exact, options.perturbation, noise);
  out.layer = teacher->rounded();
  out.exact.reset();
  out.teacher = teacher;
  out.null = {};
  return out;
}

OptionTable<SmoothedOptions> smoothed_table() {
  return OptionTable<SmoothedOptions>()
      .part(&SmoothedOptions::parity, parity_rows())
      .part(&SmoothedOptions::perturbation,
            OptionTable<Perturbation>({.sigma = 0.01})
                .choice("where", &Perturbation::where, "which matrices get Gaussian noise")
                .real("sigma", &Perturbation::sigma, 0, 1 << 20, "of each entry's noise")
                .real("temperature", &Perturbation::temperature, 1e-3, 1e3,
                      "what every Theta_i of the hard layer is divided by"))
      .part(&SmoothedOptions::parity,
            OptionTable<ParityOptions>().integer("seed", &ParityOptions::seed, 0, seed_end,
                                                 "which member, and which noise"));
}

}  // namespace

Family detail::smoothed_family() {
  return make_family(
      {.name = "smoothed",
       .summary = "a parity layer with Gaussian noise on Theta or W, or at another temperature",
       .hidden = "every Theta_i and W_i, and the set S that the parity layer hides",
       .assumptions =
           "no hardness is claimed but at sigma=0 and temperature=1, where it is the parity layer: "
           "any noise on W, and little on Theta, lets correlations read S from exact labels; k=2, "
           "labels by high precision. The null predictor is the best affine function of (x_r, mean "
           "row)",
       .presets = {{"smoothed", "a parity of six bits, each entry of every W_i off by 0.01"},
                   {"smoothed:where=theta,sigma=0.1", "the same for Theta"}}},
      smoothed_table(), smoothed_shape, smoothed_instance);
}

}  // namespace hardhead::hardness
