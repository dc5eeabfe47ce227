#include "hardness/families/parity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/text/seed.h"
#include "hardness/families/registered_families.h"
#include "hardness/gadget/switch_gadget.h"

namespace hardhead::hardness {
namespace {

using attention::Index;

/// Largest size of one exact weight, 2 (m+2)^2 log2 B bits, that an instance is made for: half a minute.
constexpr double max_weight_bits = 6e5;

SwitchGadget gadget_of(const ParityOptions& options, const std::vector<Index>& hidden) {
  SwitchGadget gadget;
  gadget.d = options.d;
  gadget.switch_coordinate = gadget.d - 1;
  gadget.base = options.base;
  gadget.s.assign(static_cast<std::size_t>(gadget.d), 0);
  for (const Index j : hidden) gadget.s[static_cast<std::size_t>(j)] = 1;

  std::vector<Rational> g;
  for (std::size_t h = 0; h <= hidden.size(); ++h) g.emplace_back(h % 2 == 0 ? 1 : -1);
  if (options.variant == ParityVariant::exact) {
    gadget.steps = exact_interpolation(g, gadget.base);
  } else {
    gadget.steps = minimal_steps(g, gadget.base);
    if (hidden.size() % 2 != 0) gadget.flat_weight = -2 * gadget.steps.offset;
  }
  return gadget;
}

/// Its levels do not depend on what is hidden: W = 0, so that they are -2 (kappa + 1) for an even h, which
/// h = 0 shows, and 4 more for an odd one.
attention::PublicGadget gadget_of_parity(const Instance& instance) {
  const Index j0 = instance.layer.d - 1;
  attention::Block block(instance.layer.d, 2, 1);
  block.x.setOnes();
  block.x(j0, 1) = -1;
  instance.teacher->label(block);
  const double even = block.y(0, 0);
  return attention::ParityGadget{j0, even, even + 4};
}

/// The parities of the first 1, 2, .. hidden features.
attention::Hints hints_of(const Instance& instance) {
  return [hidden = instance.hidden](const attention::Block& block) {
    attention::RowMatrix out(static_cast<Index>(hidden.size()), block.count);
    for (Index n = 0; n < block.count; ++n) {
      double parity = 1;
      for (std::size_t t = 0; t < hidden.size(); ++t) {
        parity *= block.token(0)(hidden[t], n) * block.token(1)(hidden[t], n);
        out(static_cast<Index>(t), n) = parity;
      }
    }
    return out;
  };
}

}  // namespace

InstanceShape parity_shape(const ParityOptions& options) {
  const Index d = options.d, m = options.m;
  if (m > d - 1)
    throw InputError(
        fmt::format("m={} is more than d-1={} (the hidden set leaves out the switch coordinate)", m, d - 1));
  if (d > max_parity_features)
    throw InputError(fmt::format("d={} is more than {}, which a layer may have", d, max_parity_features));
  const double weight_bits = exact_weight_bits(m + 2, options.base);
  if (weight_bits > max_weight_bits)
    throw InputError(
        fmt::format("m={} with base={} needs exact weights of about {:.0f} bits each, more than {:.0f}; "
                    "choose a smaller base or m",
                    m, options.base, weight_bits, max_weight_bits));
  const Index heads = options.variant == ParityVariant::exact ? m + 2 : m + m % 2;
  const GadgetSize gadget{.levels = m + 1, .heads = heads, .entries = m + 2, .weight_bits = weight_bits};
  return {.d = d, .k = 2, .m = heads, .forward = false, .exact_bytes = gadget_bytes(gadget)};
}

Instance parity_instance(const ParityOptions& options) {
  parity_shape(options);  // refuses what is out of range
  const Index d = options.d, m = options.m;
  // d and m are in the salt: members of one seed and different m must not be nested, or solving an easy one
  // (m=2) would give away elements of a hard one's hidden set.
  const Stream stream(Domain::instance, options.seed, fmt::format("parity d={} m={}", d, m));
  Instance out;
  out.k = 2;
  out.hidden = draw_subset(stream, d - 1, m);
  std::ranges::sort(out.hidden);
  const SwitchGadget gadget = gadget_of(options, out.hidden);
  out.exact = gadget.exact_layer();
  out.layer = out.exact->rounded();
  out.teacher = gadget.teacher();

  // x_{r,j0} Y_{r,1} is W - 2 kappa -+ 2 with the switch on, the sign being the parity, and W = 0 with it
  // off.
  const Rational w = gadget.weight_sum(), kappa = gadget.flat_weight == 0 ? gadget.steps.offset : Rational(0);
  out.null.exact_error = 1 / (1 + (w * w + (w - 2 * kappa) * (w - 2 * kappa)) / 4);
  out.null.unrelated_error = out.null.exact_error;
  const Rational members =
      Rational(binomial(static_cast<unsigned long>(d - 1), static_cast<unsigned long>(m)));
  out.null.description = fmt::format(
      "knows all but the hidden set: predicts {:.6g} x_(r,j0) where the switch is on, 0 where it is off "
      "(averaging all {:.6g} members as well would lower its error by one part in as many)",
      round_to_nearest(-2 * kappa), round_to_nearest(members));
  return out;
}

OptionTable<ParityOptions> parity_rows() {
  constexpr double most = 1 << 20;
  return OptionTable<ParityOptions>()
      .integer("d", &ParityOptions::d, 2, most,
               "features of a token; the last, d-1, is the switch (a layer has at most 512)")
      .integer("m", &ParityOptions::m, 1, most - 1, "size of the hidden set, at most d-1")
      .integer("base", &ParityOptions::base, 2, most, "B: Theta_i are integer multiples of (ln B)/2")
      .choice("variant", &ParityOptions::variant,
              "exact: m+2 heads; minimal: m heads (m even) or m+1 (m odd)");
}

OptionTable<ParityOptions> parity_table() {
  return parity_rows().integer("seed", &ParityOptions::seed, 0, seed_end, "which member of the family");
}

Family detail::parity_family() {
  Family out = make_family(
      {.name = "parity",
       .summary = "the parity of a hidden set of m coordinates, behind a public switch: SQ-hard",
       .hidden = "the set S of m coordinates out of d-1; all weights are public",
       .assumptions = "sum W_i = 0 exactly (phase 1 sees nothing), Theta_i alike but for one entry; hard for "
                      "statistical queries, about C(d-1,m) of them; easy for GF(2) elimination on examples",
       .presets = {{"parity", "six hidden coordinates of 19, eight heads"},
                   {"parity:m=2,variant=minimal", "two heads: the XOR of two hidden bits, easy for adam"}},
       .hides = Hidden::parity_set},
      parity_table(), parity_shape, parity_instance);
  out.gadget = gadget_of_parity;
  out.hints = hints_of;
  out.layer_of = [](const Spec& spec, const std::vector<Index>& hidden) {
    return gadget_of(parity_table().read(spec), hidden).exact_layer().rounded();
  };
  return out;
}

}  // namespace hardhead::hardness
