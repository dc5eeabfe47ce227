#include "hardness/families/parity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/text/seed.h"
#include "hardness/families/registered_families.h"
#include "hardness/gadget/compact_heads.h"
#include "hardness/gadget/switch_gadget.h"

namespace hardhead::hardness {
namespace {

using attention::Index;

/// Largest size of one exact weight, 2 (m+2)^2 log2 B bits, that an instance is made for: half a minute.
constexpr double max_weight_bits = 6e5;

bool is_compact(ParityVariant variant) {
  return variant == ParityVariant::compact || variant == ParityVariant::compact_exact;
}

/// Whether labels are those of `exact` up to a constant.
bool is_shifted(const ParityOptions& options) {
  return options.variant == ParityVariant::compact ||
         (options.variant == ParityVariant::minimal && options.m % 2 == 0);
}

/// The layer and the labels of a variant.
struct ParityLayer {
  attention::Layer layer;
  std::optional<attention::ExactLayer> exact;
  std::shared_ptr<const attention::Teacher> teacher;
  /// Means of x_{r,j0} Y_{r,1} where the switch is on, and off: W - 2 kappa and W.
  Rational on = 0, off = 0;
};

/// (-1)^h for h = 0 .. m.
std::vector<std::int64_t> parity_levels(Index m) {
  std::vector<std::int64_t> g;
  for (Index h = 0; h <= m; ++h) g.push_back(h % 2 == 0 ? 1 : -1);
  return g;
}

ParityLayer compact_parity(const ParityOptions& options, const std::vector<std::int64_t>& s) {
  const Index j0 = options.d - 1;
  CompactLayer made = compact_layer(s, j0, options.base, options.variant == ParityVariant::compact_exact);
  SwitchLabels labels;
  labels.off = round_to_nearest(made.weight_sum);
  for (Index h = 0; h <= options.m; ++h) labels.on.push_back(h % 2 == 0 ? -2 : 2);  // kappa = W/2
  return {.layer = std::move(made.layer),
          .exact = std::move(made.exact),
          .teacher = switch_teacher(s, j0, labels),
          .on = 0,
          .off = made.weight_sum};
}

ParityLayer parity_of_steps(const ParityOptions& options, const std::vector<std::int64_t>& s) {
  SwitchGadget gadget{
      .d = options.d, .switch_coordinate = options.d - 1, .base = options.base, .s = s, .steps = {}};
  const std::vector<std::int64_t> parity = parity_levels(options.m);
  const std::vector<Rational> g(parity.begin(), parity.end());
  if (options.variant == ParityVariant::exact) {
    gadget.steps = exact_interpolation(g, gadget.base);
  } else {
    gadget.steps = minimal_steps(g, gadget.base);
    if (options.m % 2 != 0) gadget.flat_weight = -2 * gadget.steps.offset;
  }
  ParityLayer out;
  out.exact = gadget.exact_layer();
  out.teacher = gadget.teacher();
  out.layer = out.exact->rounded();
  const Rational kappa = gadget.flat_weight == 0 ? gadget.steps.offset : Rational(0);
  out.off = gadget.weight_sum();
  out.on = out.off - 2 * kappa;
  return out;
}

ParityLayer parity_layer(const ParityOptions& options, const std::vector<Index>& hidden) {
  std::vector<std::int64_t> s(static_cast<std::size_t>(options.d), 0);
  for (const Index j : hidden) s[static_cast<std::size_t>(j)] = 1;
  return is_compact(options.variant) ? compact_parity(options, s) : parity_of_steps(options, s);
}

/// What heads the labels need. `compact` meets the parity up to a constant, `minimal` does for an even m.
LabelsByH labels_of_parity(const Spec& spec) {
  const ParityOptions options = parity_table().read(spec);
  const bool shifted = is_shifted(options);
  return {.g = parity_levels(options.m),
          .shifted = shifted,
          .name = shifted ? "the parity up to a constant" : "these labels",
          .slopes = is_compact(options.variant) && options.m > 1 ? "of two slopes" : "of one slope"};
}

/// Its levels do not depend on what is hidden: they are W - 2 (kappa + 1) for an even h, which h = 0 shows,
/// and 4 more for an odd one.
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

bool has_exact_layer(const ParityOptions& options) {
  return !is_compact(options.variant) || options.m <= 3;
}

Index parity_heads(ParityVariant variant, Index m) {
  switch (variant) {
    case ParityVariant::minimal:
      return m + m % 2;
    case ParityVariant::compact:
      return compact_heads(m);
    case ParityVariant::compact_exact:
      return compact_heads(m) + 1;
    case ParityVariant::exact:
      break;
  }
  return m + 2;
}

Index bits_behind_heads(ParityVariant variant, Index heads) {
  Index m = 0;
  while (parity_heads(variant, m + 1) <= heads || parity_heads(variant, m + 2) <= heads) ++m;
  return m;
}

Index densest_known_bits(Index heads) {
  constexpr Index of_nearly_equal_slopes[] = {6, 9, 11};
  if (heads >= 3 && heads <= 5) return of_nearly_equal_slopes[heads - 3];
  return bits_behind_heads(ParityVariant::compact, heads);
}

std::vector<QueriesBehindHeads> queries_behind_heads(sq::ParityGoal goal, Index heads, const Rational& tau) {
  std::vector<QueriesBehindHeads> out;
  const auto add = [&](const std::string& way, Index bits) {
    bits = std::min<Index>(bits, goal.d - 1);
    if (bits < 1) return;
    goal.m =
        std::min<Index>(bits, std::max<Index>(1, (goal.d - 1) / 2));  // C(d-1, m) is largest in the middle
    out.push_back({way, heads, bits, sq::parity_query_bound(goal, tau)});
  };
  for (const ParityVariant variant : {ParityVariant::exact, ParityVariant::minimal, ParityVariant::compact})
    add(std::string(name_of(variant)), bits_behind_heads(variant, heads));
  if (densest_known_bits(heads) > bits_behind_heads(ParityVariant::compact, heads))
    add("densest known", densest_known_bits(heads));
  return out;
}

InstanceShape parity_shape(const ParityOptions& options) {
  const Index d = options.d, m = options.m;
  if (m > d - 1)
    throw InputError(
        fmt::format("m={} is more than d-1={} (the hidden set leaves out the switch coordinate)", m, d - 1));
  if (d > max_parity_features)
    throw InputError(fmt::format("d={} is more than {}, which a layer may have", d, max_parity_features));
  const Index heads = parity_heads(options.variant, m);
  if (is_compact(options.variant)) {
    check_compact(m, options.base);
    const GadgetSize gadget{.levels = m + 1, .heads = heads, .entries = m + 2, .weight_bits = 640};
    return {
        .d = d, .k = 2, .m = heads, .forward = false, .exact_bytes = gadget_bytes(gadget) + compact_bytes(m)};
  }
  const double weight_bits = exact_weight_bits(m + 2, options.base);
  if (weight_bits > max_weight_bits)
    throw InputError(
        fmt::format("m={} with base={} needs exact weights of about {:.0f} bits each, more than {:.0f}; "
                    "choose a smaller base or m",
                    m, options.base, weight_bits, max_weight_bits));
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
  ParityLayer made = parity_layer(options, out.hidden);
  out.layer = std::move(made.layer);
  out.exact = std::move(made.exact);
  out.teacher = std::move(made.teacher);
  // x_{r,j0} Y_{r,1} is `on` -+ 2 with the switch on, the sign being the parity, and `off` with it off.
  out.null.exact_error = 1 / (1 + (made.off * made.off + made.on * made.on) / 4);
  out.null.unrelated_error = out.null.exact_error;
  const Rational members =
      Rational(binomial(static_cast<unsigned long>(d - 1), static_cast<unsigned long>(m)));
  out.null.description = fmt::format(
      "knows all but the hidden set: predicts {:.6g} x_(r,j0) where the switch is on, {} where it is off "
      "(averaging all {:.6g} members as well would lower its error by one part in as many)",
      round_to_nearest(made.on),
      made.off == 0 ? "0" : fmt::format("{:.6g} x_(r,j0)", round_to_nearest(made.off)),
      round_to_nearest(members));
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
              "heads; exact: m+2; minimal: m (m even) or m+1 (m odd); compact: floor(m/2)+1 of two slopes, "
              "W not 0; compact-exact: one more, W = 0 (compact: m up to 64, base up to 16)");
}

SamplesBehindSwitch parity_samples(Index d, Index m) {
  return {.problem = {.problem = lwe::ProblemKind::lpn,
                      .n = d - 1,
                      .q = 2,
                      .secret = lwe::SecretKind::fixed_weight,
                      .weight = m,
                      .rate = 0},
          .levels = 2,
          .first = -2,
          .step = 4};
}

OptionTable<ParityOptions> parity_table() {
  return parity_rows().integer("seed", &ParityOptions::seed, 0, seed_end, "which member of the family");
}

Family detail::parity_family() {
  Family out = make_family(
      {.name = "parity",
       .summary = "the parity of a hidden set of m coordinates, behind a public switch: SQ-hard",
       .hidden = "the set S of m coordinates out of d-1; all weights are public",
       .assumptions =
           "sum W_i = 0 exactly (phase 1 sees nothing) but for variant=compact, Theta_i alike but for one "
           "entry or, for compact variants, of two slopes; hard for statistical queries, about C(d-1,m) of "
           "them; easy for GF(2) elimination on examples",
       .presets = {{"parity", "six hidden coordinates of 19, eight heads"},
                   {"parity:m=2,variant=minimal", "two heads: the XOR of two hidden bits, easy for adam"}},
       .hides = Hidden::parity_set},
      parity_table(), parity_shape, parity_instance);
  out.gadget = gadget_of_parity;
  out.hints = hints_of;
  out.labels_by_h = labels_of_parity;
  out.layer_of = [](const Spec& spec, const std::vector<Index>& hidden) {
    return parity_layer(parity_table().read(spec), hidden).layer;
  };
  out.hidden_behind_product = [](const Spec&, const std::vector<Index>& set) { return set; };
  out.samples = [](const Spec& spec) {
    const ParityOptions options = parity_table().read(spec);
    SamplesBehindSwitch samples = parity_samples(options.d, options.m);
    samples.shifted = is_shifted(options);
    return samples;
  };
  return out;
}

}  // namespace hardhead::hardness
