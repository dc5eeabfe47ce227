#include "hardness/families/junta.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/error.h"
#include "base/text/seed.h"
#include "hardness/families/registered_families.h"
#include "hardness/gadget/switch_gadget.h"

namespace hardhead::hardness {
namespace {

using attention::Index;

/// The a of m = a + 2^a.
Index address_bits(Index m) {
  for (Index a = 1; a + (Index{1} << a) <= m; ++a)
    if (a + (Index{1} << a) == m) return a;
  throw InputError(fmt::format("function=address: m={} is not a + 2^a (3, 6)", m));
}

std::int64_t value_at(JuntaFunction function, Index m, std::uint64_t z) {
  const auto bit = [z](Index j) -> std::int64_t { return (z >> j & 1) != 0 ? -1 : 1; };
  const std::int64_t parity = std::popcount(z) % 2 == 0 ? 1 : -1;
  const std::int64_t sum = m - 2 * std::popcount(z);
  switch (function) {
    case JuntaFunction::parity:
      return parity;
    case JuntaFunction::staircase: {
      std::int64_t total = 0, product = 1;
      for (Index j = 0; j < m; ++j) total += product *= bit(j);
      return total;
    }
    case JuntaFunction::majority:
      return (sum > 0) - (sum < 0);
    case JuntaFunction::conjunction:
      return sum == -m ? -1 : 1;
    case JuntaFunction::address: {
      const Index a = address_bits(m);
      return bit(a + static_cast<Index>(z & ((std::uint64_t{1} << a) - 1)));
    }
    case JuntaFunction::scaled_parity: {
      std::int64_t size = std::int64_t{1} << m;
      for (Index j = 0; j < m; ++j) size += (std::int64_t{1} << j) * bit(j);
      return parity * size;
    }
    case JuntaFunction::random:
      break;
  }
  const Stream stream(Domain::instance, 0, fmt::format("random junta m={}", m));
  return stream.below(z, 2) == 0 ? 1 : -1;
}

/// Depends on the number of -1 among the bits only: then h is that number, and m + 2 heads do.
bool is_symmetric(JuntaFunction function) {
  return function == JuntaFunction::parity || function == JuntaFunction::majority ||
         function == JuntaFunction::conjunction;
}

/// The weight of bit j in h.
std::int64_t weight_of(JuntaFunction function, Index j) {
  return is_symmetric(function) ? 1 : std::int64_t{1} << j;
}

/// H + 1.
Index junta_size(const JuntaOptions& options) {
  return is_symmetric(options.function) ? options.m + 1 : Index{1} << options.m;
}

InstanceShape junta_shape(const JuntaOptions& options) {
  if (options.m > options.d - 1)
    throw InputError(fmt::format("m={} is more than d-1={} (the hidden bits leave out the switch coordinate)",
                                 options.m, options.d - 1));
  const std::vector<std::int64_t> values = junta_values(options.function, options.m);
  if (std::ranges::all_of(values, [&](std::int64_t value) { return value == values.front(); }))
    throw InputError(fmt::format("function={}, m={} is constant: there is nothing to learn",
                                 name_of(options.function), options.m));
  const Index heads = junta_size(options) + 1;
  const GadgetSize gadget{.levels = junta_size(options),
                          .heads = heads,
                          .entries = options.m + 2,
                          .weight_bits = exact_weight_bits(heads, options.base)};
  return {.d = options.d, .k = 2, .m = heads, .forward = false, .exact_bytes = gadget_bytes(gadget)};
}

/// E (f - E f)^2 / E f^2.
Rational error_of_mean(const std::vector<std::int64_t>& values) {
  std::int64_t sum = 0, squares = 0;
  for (const std::int64_t value : values) {
    sum += value;
    squares += value * value;
  }
  return 1 - Rational(sum) * sum / (Rational(squares) * static_cast<std::int64_t>(values.size()));
}

/// g(0) .. g(H), what h is sent to: the number of -1 among the bits where the function is symmetric, else the
/// word z itself.
std::vector<std::int64_t> junta_levels(const JuntaOptions& options) {
  const std::vector<std::int64_t> values = junta_values(options.function, options.m);
  std::vector<std::int64_t> g;
  for (Index h = 0; h < junta_size(options); ++h)
    g.push_back(
        values[is_symmetric(options.function) ? (std::size_t{1} << h) - 1 : static_cast<std::size_t>(h)]);
  return g;
}

Instance junta_instance(const JuntaOptions& options) {
  junta_shape(options);  // refuses what is out of range
  const Stream stream(Domain::instance, options.seed,
                      fmt::format("junta d={} m={} {}", options.d, options.m, name_of(options.function)));
  Instance out;
  out.k = 2;
  out.hidden = draw_subset(stream, options.d - 1, options.m);
  if (is_symmetric(options.function)) std::ranges::sort(out.hidden);
  SwitchGadget gadget;
  gadget.d = options.d;
  gadget.switch_coordinate = options.d - 1;
  gadget.base = options.base;
  gadget.s.assign(static_cast<std::size_t>(options.d), 0);
  for (std::size_t j = 0; j < out.hidden.size(); ++j)
    gadget.s[static_cast<std::size_t>(out.hidden[j])] = weight_of(options.function, static_cast<Index>(j));
  const std::vector<std::int64_t> g = junta_levels(options);
  gadget.steps = exact_interpolation(std::vector<Rational>(g.begin(), g.end()), gadget.base);
  out.exact = gadget.exact_layer();
  out.layer = out.exact->rounded();
  out.teacher = gadget.teacher();
  out.null.exact_error = error_of_mean(junta_values(options.function, options.m));
  out.null.unrelated_error = out.null.exact_error;
  out.null.description =
      "knows the function, not its bits: predicts the mean label where the switch is on, 0 where it is off";
  return out;
}

}  // namespace

std::vector<std::int64_t> junta_values(JuntaFunction function, Index m) {
  if (m < 1 || m > max_junta_bits) throw InputError(fmt::format("m={} is not in 1 .. {}", m, max_junta_bits));
  std::vector<std::int64_t> out;
  for (std::uint64_t z = 0; z < std::uint64_t{1} << m; ++z) out.push_back(value_at(function, m, z));
  return out;
}

OptionTable<JuntaOptions> junta_table() {
  return OptionTable<JuntaOptions>()
      .integer("d", &JuntaOptions::d, 2, 512, "features of a token; the last, d-1, is the switch")
      .integer("m", &JuntaOptions::m, 1, max_junta_bits, "hidden bits, at most d-1")
      .choice("function", &JuntaOptions::function, "of the hidden bits")
      .integer("base", &JuntaOptions::base, 2, 16, "B: Theta_i are integer multiples of (ln B)/2")
      .integer("seed", &JuntaOptions::seed, 0, seed_end, "which coordinates");
}

Family detail::junta_family() {
  Family out = make_family(
      {.name = "junta",
       .summary = "any function of a few hidden coordinates, behind a public switch: hard by its leap",
       .hidden =
           "the m coordinates out of d-1, in the function's order; the function and all weights are public",
       .assumptions =
           "sum W_i = 0 exactly (phase 1 sees nothing); gradients of the squared loss find the "
           "coordinates one leap after the other, about d^leap queries; whoever knows the family tries "
           "all m-tuples",
       .presets = {{"junta", "a staircase of three hidden bits: leap 1"},
                   {"junta:m=4,function=scaled-parity",
                    "leap 3 for the squared loss, 1 for the absolute loss"}}},
      junta_table(), junta_shape, junta_instance);
  out.junta = [](const Spec& spec) { return junta_table().read(spec); };
  out.labels_by_h = [](const Spec& spec) -> LabelsByH {
    return {.g = junta_levels(junta_table().read(spec)),
            .name = "this function of h = <s, b>",
            .slopes = "of one slope"};
  };
  return out;
}

}  // namespace hardhead::hardness
