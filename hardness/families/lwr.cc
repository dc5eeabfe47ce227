#include "hardness/families/lwr.h"

#include "base/error.h"
#include "hardness/families/registered_families.h"

namespace hardhead::hardness {
namespace {

OptionTable<LwrOptions> lwr_table() {
  return lwr_rows().part(&LwrOptions::rounding,
                         rounding_seed("which secret; plain LWR samples of it have the same"));
}

RoundingOptions options_of(const Spec& spec) {
  switch (find_family(spec.name).hides) {
    case Hidden::lwr_secret:
      return lwr_table().read(spec).rounding;
    case Hidden::staircase_secret:
      return staircase_table().read(spec);
    default:
      throw InputError("an instance of the families lwr or staircase is expected");
  }
}

attention::PublicGadget gadget_of_rounding(const Instance& instance) {
  const lwe::ProblemParameters p = rounding_problem(instance.spec).parameters;
  return attention::RoundingGadget{instance.layer.d - 1, p.n, p.q, p.p};
}

attention::Layer layer_of(const Spec& spec, const std::vector<attention::Index>& hidden) {
  const LwrOptions options = lwr_table().read(spec);
  std::vector<lwe::Residue> secret;
  for (const attention::Index w : hidden) secret.push_back(static_cast<lwe::Residue>(w));
  return exact_rounding_instance(rounding_problem(options.rounding, std::move(secret)),
                                 options.heads == LwrHeads::padded)
      .layer;
}

}  // namespace

OptionTable<LwrOptions> lwr_rows() {
  return OptionTable<LwrOptions>()
      .part(&LwrOptions::rounding, rounding_rows({}))
      .choice("heads", &LwrOptions::heads, "H + 2, or heads of weight 0 up to the largest H of such secrets");
}

InstanceShape lwr_shape(const LwrOptions& options) {
  return exact_rounding_shape(rounding_problem(options.rounding), options.heads == LwrHeads::padded);
}

Instance lwr_instance(const LwrOptions& options) {
  return exact_rounding_instance(rounding_problem(options.rounding), options.heads == LwrHeads::padded);
}

RoundingProblem rounding_problem(const Spec& spec) {
  const RoundingOptions options = options_of(spec);
  RoundingProblem out;
  naming(spec, [&] { out = rounding_problem(options); });
  return out;
}

Family detail::lwr_family() {
  Family out = make_family(
      {.name = "lwr",
       .summary =
           "learning with rounding as an attention layer, by exact interpolation: the LWE-based hard family",
       .hidden = "the secret w in Z_q^n; without heads=padded the number of heads shows H, a function of w",
       .assumptions = "sum W_i = 0 exactly (phase 1 sees nothing), labels exactly those of LWR; hard if LWR "
                      "with these n, q, p is, which for small n it is not: hardhead lwe attack says which "
                      "attack breaks it",
       .presets = {{"lwr", "8 numbers mod 16, two levels, 33 features"},
                   {"lwr:n=3", "small enough for exhaustive search by hand"},
                   {"lwr:n=8,secret=binary", "a small secret: fewer heads"}},
       .hides = Hidden::lwr_secret},
      lwr_table(), lwr_shape, lwr_instance);
  out.gadget = gadget_of_rounding;
  out.layer_of = layer_of;
  out.samples = [](const Spec& spec) { return samples_of(spec, lwe::ProblemKind::lwr); };
  out.labels_by_h = [](const Spec& spec) -> LabelsByH {
    return {
        .g = rounding_problem(spec).labels(), .name = "the labels of this secret", .slopes = "of one slope"};
  };
  return out;
}

}  // namespace hardhead::hardness
