#include "hardness/block/block_parity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/numeric/random.h"
#include "base/text/seed.h"
#include "hardness/families/parity.h"
#include "hardness/families/registered_families.h"
#include "hardness/gadget/switch_gadget.h"

namespace hardhead::hardness {
namespace {

using attention::Index;

/// Most of m log2 B: y_m and 1 are 2 B^-m apart, which doubles must resolve for the weights that files have.
constexpr double most_block_parity_bits = 40;

/// The parameters of family `block-parity`.
struct BlockParityOptions {
  Index d = 20;            ///< features of a token; the last one is the switch
  Index m = 6;             ///< size of the hidden set, at most d - 1
  std::int64_t base = 2;   ///< B
  std::uint64_t seed = 1;  ///< which member; S is that of `parity` of the same d, m, seed
};

/// The head of the layer, before the network: one step of weight 1.
SwitchGadget step_of(const BlockParityOptions& options, const std::vector<Index>& hidden) {
  SwitchGadget out{.d = options.d,
                   .switch_coordinate = options.d - 1,
                   .base = options.base,
                   .s = std::vector<std::int64_t>(static_cast<std::size_t>(options.d), 0),
                   .steps = {{static_cast<int>(block_parity_twice_step(options.m))}, {1}, 0, {}}};
  for (const Index j : hidden) out.s[static_cast<std::size_t>(j)] = 1;
  return out;
}

/// N behind the first feature, rounded.
attention::Network network_of(const BlockParityOptions& options) {
  const UnitInterpolation units = block_parity_network(options.m, options.base);
  const auto width = static_cast<Index>(units.knots.size());
  attention::Network out{attention::Matrix::Zero(width, options.d), attention::Vector::Zero(width),
                         attention::Matrix::Zero(options.d, width), attention::Vector::Zero(options.d)};
  for (Index j = 0; j < width; ++j) {
    out.in(j, 0) = 1;
    out.in_bias(j) = round_to_nearest(-units.knots[static_cast<std::size_t>(j)]);
    out.out(0, j) = round_to_nearest(units.weights[static_cast<std::size_t>(j)]);
  }
  out.out_bias(0) = round_to_nearest(units.start);
  return out;
}

attention::Layer layer_of_set(const BlockParityOptions& options, const std::vector<Index>& hidden) {
  attention::Layer out = step_of(options, hidden).exact_layer().rounded();
  out.network = network_of(options);
  return out;
}

InstanceShape shape_of_block_parity(const BlockParityOptions& options) {
  const Index d = options.d, m = options.m;
  if (m > d - 1)
    throw InputError(
        fmt::format("m={} is more than d-1={} (the hidden set leaves out the switch coordinate)", m, d - 1));
  const double bits = static_cast<double>(m) * std::log2(static_cast<double>(options.base));
  if (bits > most_block_parity_bits)
    throw InputError(
        fmt::format("m={} with base={}: the network tells values apart that differ by {}^-{}, and "
                    "weights in double do so up to 2^-{}; choose a smaller base or m",
                    m, options.base, options.base, m, most_block_parity_bits));
  const GadgetSize gadget{.levels = m + 1, .heads = 1, .entries = m + 2, .weight_bits = 64};
  const auto units = static_cast<double>(block_parity_units(m) * (2 * d + 1));
  return {.d = d, .k = 2, .m = 1, .forward = false, .exact_bytes = gadget_bytes(gadget) + 64 * units};
}

Instance block_parity_instance(const BlockParityOptions& options) {
  shape_of_block_parity(options);  // refuses what is out of range
  const Index d = options.d, m = options.m;
  Instance out;
  out.k = 2;
  out.hidden =
      draw_subset(Stream(Domain::instance, options.seed, fmt::format("parity d={} m={}", d, m)), d - 1, m);
  std::ranges::sort(out.hidden);
  out.layer = layer_of_set(options, out.hidden);
  SwitchLabels labels;
  for (Index h = 0; h <= m; ++h) labels.on.push_back(h % 2 == 0 ? -2 : 2);
  out.teacher = switch_teacher(step_of(options, out.hidden).s, d - 1, labels);
  out.null.exact_error = 1;
  out.null.unrelated_error = 1;
  out.null.description = "knows all but the hidden set: predicts 0";
  return out;
}

OptionTable<BlockParityOptions> block_parity_table() {
  return OptionTable<BlockParityOptions>()
      .integer("d", &BlockParityOptions::d, 2, static_cast<double>(max_parity_features),
               "features of a token; the last, d-1, is the switch")
      .integer("m", &BlockParityOptions::m, 1, most_block_parity_bits,
               "size of the hidden set, at most d-1; m log2 base is at most 40")
      .integer("base", &BlockParityOptions::base, 2, 1 << 20, "B: Theta is an integer multiple of (ln B)/2")
      .integer("seed", &BlockParityOptions::seed, 0, seed_end,
               "which member: the set of parity of this seed");
}

}  // namespace

Rational block_parity_value(Index m, std::int64_t base, Index h) {
  const Rational odds = power(Rational(base), 2 * h - block_parity_twice_step(m));
  return (odds - 1) / (odds + 1);
}

UnitInterpolation block_parity_network(Index m, std::int64_t base) {
  std::vector<Rational> z = {-1}, values = {0};
  for (Index h = 0; h <= block_parity_twice_step(m); ++h) {
    z.push_back(block_parity_value(m, base, h));
    values.emplace_back(h % 2 == 0 ? -2 : 2);
  }
  z.emplace_back(1);
  values.emplace_back(0);
  UnitInterpolation out{values[0], {}, {}};
  Rational slope = 0;
  for (std::size_t i = 0; i + 1 < z.size(); ++i) {
    const Rational next = (values[i + 1] - values[i]) / (z[i + 1] - z[i]);
    out.knots.push_back(z[i]);
    out.weights.push_back(next - slope);
    slope = next;
  }
  return out;
}

Family detail::block_parity_family() {
  const Family parity = parity_family();
  Family out = make_family(
      {.name = "block-parity",
       .summary = "the parity of a hidden set of m coordinates behind one head and m + 2 or m + 3 units",
       .hidden = parity.hidden,
       .assumptions =
           "labels are those of parity:variant=exact of the same seed, so that its bound on statistical "
           "queries, about C(d-1,m) of them, holds; easy for GF(2) elimination on examples",
       .presets = {{"block-parity", "six hidden coordinates of 19, one head, nine units"},
                   {"block-parity:d=10,m=3", "three hidden coordinates of nine, five units"}},
       .hides = Hidden::parity_set},
      block_parity_table(), shape_of_block_parity, block_parity_instance);
  out.gadget = parity.gadget;
  out.hidden_behind_product = [](const Spec&, const std::vector<Index>& set) { return set; };
  out.hints = parity.hints;
  out.samples = [](const Spec& spec) {
    const BlockParityOptions options = block_parity_table().read(spec);
    return parity_samples(options.d, options.m);
  };
  out.layer_of = [](const Spec& spec, const std::vector<Index>& hidden) {
    return layer_of_set(block_parity_table().read(spec), hidden);
  };
  return out;
}

}  // namespace hardhead::hardness
