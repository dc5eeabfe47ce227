#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "learner/registered_methods.h"

namespace hardhead::learner {
namespace {

struct FlipOptions {};

/// Y_{1,1} / x_{1,j0} for pairs of tokens that differ in the switch and in one more feature each: x1 is all
/// ones. It is the level of h = s_f (hardness/hardness.h), since b has one other entry that is 1.
std::vector<double> ask_levels(ValueOracle& oracle, Index switch_coordinate,
                               const std::vector<Index>& features) {
  const auto count = static_cast<Index>(features.size());
  Block block(oracle.d(), 2, count);
  block.x.setOnes();
  for (Index n = 0; n < count; ++n) {
    block.x(switch_coordinate, block.column(1, n)) = -1;
    block.x(features[static_cast<std::size_t>(n)], block.column(1, n)) = -1;
  }
  oracle.ask(block);
  const auto row = block.y.row(0).head(count);
  return {row.begin(), row.end()};
}

/// S: h is 1 where the feature is in it, 0 where it is not.
std::vector<std::int64_t> read_set(ValueOracle& oracle, const ParityGadget& gadget) {
  std::vector<Index> features;
  for (Index f = 0; f < oracle.d(); ++f)
    if (f != gadget.switch_coordinate) features.push_back(f);
  const std::vector<double> levels = ask_levels(oracle, gadget.switch_coordinate, features);
  std::vector<std::int64_t> out;
  for (std::size_t i = 0; i < features.size(); ++i)
    if (std::abs(levels[i] - gadget.odd) < std::abs(levels[i] - gadget.even)) out.push_back(features[i]);
  return out;
}

/// The numbers w of Z_q that show these labels of the bits that were asked: floor(p (2^e w mod q) / q), -1
/// for a bit that was not.
std::vector<std::int64_t> numbers_with(const std::vector<std::int64_t>& labels,
                                       const RoundingGadget& gadget) {
  std::vector<std::int64_t> out;
  for (std::int64_t w = 0; w < gadget.q; ++w) {
    bool fits = true;
    for (std::size_t e = 0; e < labels.size(); ++e)
      fits &= labels[e] < 0 || labels[e] == gadget.p * ((w << e) % gadget.q) / gadget.q;
    if (fits) out.push_back(w);
  }
  return out;
}

/// Asks bit e of every number that more than one w of Z_q still fits, e = 0, b, 2 b, .. with b = floor(log2
/// p): a label shows the b highest binary digits of 2^e w where p = 2^b. Then the bits that were left out,
/// for other p.
///
/// It ends with one w each: two different w differ by 2^t odd, and for 2^e w with e = l - 1 - t they differ
/// by q/2, so that p (2^e w) / q differs by p/2 >= 1, and so do the labels.
std::vector<std::int64_t> read_secret(ValueOracle& oracle, const RoundingGadget& gadget) {
  const auto bits = static_cast<std::size_t>(std::countr_zero(static_cast<std::uint64_t>(gadget.q)));
  const auto stride = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(gadget.p)) - 1);
  std::vector<std::size_t> order;
  for (std::size_t first = 0; first < stride; ++first)
    for (std::size_t e = first; e < bits; e += stride) order.push_back(e);
  const auto n = static_cast<std::size_t>(gadget.n);
  std::vector<std::vector<std::int64_t>> labels(n, std::vector<std::int64_t>(bits, -1));
  for (const std::size_t e : order) {
    std::vector<Index> features;
    std::vector<std::size_t> open;
    for (std::size_t j = 0; j < n; ++j)
      if (numbers_with(labels[j], gadget).size() > 1) {
        open.push_back(j);
        features.push_back(static_cast<Index>(j * bits + e));
      }
    if (open.empty()) break;
    const std::vector<double> levels = ask_levels(oracle, gadget.switch_coordinate, features);
    for (std::size_t i = 0; i < open.size(); ++i) labels[open[i]][e] = std::llround(levels[i] / -2);
  }
  std::vector<std::int64_t> out;
  for (std::size_t j = 0; j < n; ++j) {
    const std::vector<std::int64_t> fitting = numbers_with(labels[j], gadget);
    if (fitting.size() != 1)
      throw Failed{
          fmt::format("the labels of entry {} of the secret are those of {} numbers: they are not those of "
                      "learning with rounding, or answers are too far off",
                      j, fitting.size())};
    out.push_back(fitting.front());
  }
  return out;
}

class Flip final : public ValueAlgorithm {
 public:
  explicit Flip(const FlipOptions&) {}

  Needs needs() const override { return {.tokens = 2, .gadget = true}; }

  void run(const ValueRun& run) const override {
    run.recorder.phase("flip", [&](Phase&) {
      Report& report = run.recorder.report();
      ValueOracle& oracle = *run.values;
      if (const auto* parity = std::get_if<ParityGadget>(&oracle.gadget())) {
        report.hidden = read_set(oracle, *parity);
        report.message = fmt::format("The hidden set has {} features.", report.hidden->size());
      } else {
        report.hidden = read_secret(oracle, std::get<RoundingGadget>(oracle.gadget()));
        report.message = "The secret was read, entry by entry.";
      }
    });
  }

  // The layer of what it finds is the family's.
  std::optional<RunMemory> predicted_memory(LayerShape layer, const Task&) const override {
    return RunMemory{.work = attention::example_bytes(layer.d, 2, layer.d),
                     .report = attention::layer_bytes(layer.d, layer.m),
                     .heads = layer.m,
                     .queries_at_once = layer.d};
  }
};

}  // namespace

// Ours. Each query flips one bit of the hidden linear form with the switch on, so it shows g at one weight
// s_f.
const Method flip_method = method_of<Flip>(
    "flip", "what a hard family hides: flips one feature at a time with the switch on",
    "exact; d - 1 queries for a parity, n ceil(log2 q / log2 p) for learning with rounding where p is "
    "a power of two, at most n log2 q for any p",
    OptionTable<FlipOptions>());

}  // namespace hardhead::learner
