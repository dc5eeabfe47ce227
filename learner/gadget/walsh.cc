// Correlations with products of bits, for labels behind a switch: a baseline that is told the gadget
// (behind_switch.h), and of the layer nothing.
#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "learner/cost.h"
#include "learner/gadget/behind_switch.h"
#include "learner/objective/blocks.h"
#include "learner/registered_methods.h"

namespace hardhead::learner {
namespace {

struct WalshOptions {
  std::int64_t size = 0;
  double sets = walsh::most_sets;
};

constexpr std::int64_t own_examples = 100'000;

/// Examples with the switch on, 64 in a word: a column of words for each feature but the switch, whose bits
/// are [z_j = -1], and one whose bits are [the label is the larger of its two values].
struct BitColumns {
  Index features = 0, words = 0;
  std::int64_t count = 0;
  std::vector<std::uint64_t> bits{}, label{};
  double low = 0, high = 0;  ///< the two values behind the switch

  const std::uint64_t* column(Index j) const { return bits.data() + j * words; }
};

struct Seen {
  const Block* block;
  Index example;
  double value;
};

/// What a set says of labels.
struct Product {
  std::vector<Index> set;    ///< features, ascending
  Index switch_at = 0;       ///< j0
  double odd = 0, even = 0;  ///< the label with an odd number of bits in the set, and with an even one
  double off = 0;            ///< with the switch off

  void predict(Block& block) const {
    for (Index n = 0; n < block.count; ++n) {
      const auto ones = std::ranges::count_if(set, [&](Index j) { return behind_switch::bit(block, j, n); });
      behind_switch::write(block, switch_at, n,
                           !behind_switch::bit(block, switch_at, n) ? off
                           : ones % 2 != 0                          ? odd
                                                                    : even);
    }
  }
};

/// The label with the switch off, of the first example that shows it; 0 where none does.
double label_off(const std::vector<Block>& blocks, Index switch_at) {
  for (const Block& block : blocks)
    for (Index n = 0; n < block.count; ++n)
      if (!behind_switch::bit(block, switch_at, n)) return behind_switch::value(block, switch_at, n);
  return 0;
}

std::vector<Seen> with_switch_on(const std::vector<Block>& blocks, Index switch_at) {
  std::vector<Seen> out;
  for (const Block& block : blocks) {
    behind_switch::check_labels(block);
    for (Index n = 0; n < block.count; ++n)
      if (behind_switch::bit(block, switch_at, n))
        out.push_back({&block, n, behind_switch::value(block, switch_at, n)});
  }
  return out;
}

BitColumns columns_of(const std::vector<Seen>& seen, Index features) {
  BitColumns out{.features = features,
                 .words = static_cast<Index>(seen.size() + 63) / 64,
                 .count = static_cast<std::int64_t>(seen.size())};
  out.bits.resize(static_cast<std::size_t>(out.words * features));
  out.label.resize(static_cast<std::size_t>(out.words));
  if (seen.empty()) return out;
  const auto [low, high] = std::ranges::minmax(seen, {}, &Seen::value);
  out.low = low.value, out.high = high.value;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const Seen& one = seen[i];
    if (one.value != out.low && one.value != out.high)
      throw Failed{
          fmt::format("labels behind the switch have more than two values ({:.17g}, {:.17g} and "
                      "{:.17g}): walsh reads parities",
                      out.low, one.value, out.high)};
    const std::uint64_t bit = std::uint64_t{1} << (i % 64);
    if (one.value == out.high) out.label[i / 64] |= bit;
    for (Index j = 0; j < features; ++j)
      if (behind_switch::bit(*one.block, j, one.example))
        out.bits[static_cast<std::size_t>(j * out.words) + i / 64] |= bit;
  }
  return out;
}

/// The set of a given size whose product of bits has the largest correlation with the labels.
class LargestCorrelation {
 public:
  LargestCorrelation(const BitColumns& columns, Index size, const RunContext& context)
      : columns_(columns), context_(context), sums_(static_cast<std::size_t>(size + 1), columns.label) {
    chosen_.reserve(static_cast<std::size_t>(size));
    extend(0, size);
  }

  std::vector<Index> set;      ///< features, ascending
  std::int64_t distance = -1;  ///< of agreements from disagreements, in examples
  bool large_if_odd = true;    ///< labels are the larger of their values where the number of bits is odd

 private:
  void extend(Index first, Index missing) {
    if (missing == 1) return finish(first);
    context_.stop.check();
    const std::vector<std::uint64_t>& sum = sums_[chosen_.size()];
    for (Index j = first; j + missing <= columns_.features; ++j) {
      std::vector<std::uint64_t>& next = sums_[chosen_.size() + 1];
      const std::uint64_t* column = columns_.column(j);
      for (std::size_t w = 0; w < sum.size(); ++w) next[w] = sum[w] ^ column[w];
      chosen_.push_back(j);
      extend(j + 1, missing - 1);
      chosen_.pop_back();
    }
  }

  /// With each last feature.
  void finish(Index first) {
    const std::vector<std::uint64_t>& sum = sums_[chosen_.size()];
    for (Index j = first; j < columns_.features; ++j) {
      const std::uint64_t* column = columns_.column(j);
      std::int64_t ones = 0;
      for (std::size_t w = 0; w < sum.size(); ++w) ones += std::popcount(sum[w] ^ column[w]);
      const std::int64_t far = std::abs(2 * ones - columns_.count);
      if (far <= distance) continue;
      distance = far;
      large_if_odd = 2 * ones < columns_.count;
      set = chosen_;
      set.push_back(j);
    }
  }

  const BitColumns& columns_;
  const RunContext& context_;
  std::vector<std::vector<std::uint64_t>> sums_;  ///< the labels' bits and those of the first features chosen
  std::vector<Index> chosen_;
};

/// Bounds the chance that unrelated labels agree so with one of `sets` products (Hoeffding; exactly where
/// they agree on all examples).
double chance_of(const LargestCorrelation& best, std::int64_t count, double sets) {
  const auto n = static_cast<double>(count);
  const double share = static_cast<double>(best.distance) / n;
  return sets * (best.distance == count ? std::exp2(1 - n) : 2 * std::exp(-n * share * share / 2));
}

class Walsh final : public ExampleAlgorithm {
 public:
  explicit Walsh(const WalshOptions& options) : options_(options) {}

  Told told() const override { return Told::gadget; }

  void run(const Run& run) const override {
    std::int64_t examples = std::min<std::int64_t>(walsh::first_examples, run.examples());
    bool found = false;
    run.recorder.phase("correlations", run.examples(), [&](Phase& phase) {
      behind_switch::check(run);
      for (;; examples = std::min(2 * examples, run.examples())) {
        phase.examples = run.recorder.report().examples_used = examples;
        found = search(run, examples, phase);
        if (found || examples == run.examples()) break;
      }
      if (!found) throw Failed{nothing_found(run)};
    });
  }

  std::int64_t default_examples(ExampleShape, const Task&) const override { return own_examples; }
  std::int64_t least_examples(ExampleShape, const Task&) const override { return 3; }

  std::optional<PredictedSeconds> predicted_seconds(ExampleShape shape, Index m,
                                                    const Task& task) const override {
    const double all = all_sets(shape.d - 1), examples = static_cast<double>(*task.examples);
    // Half of the examples have the switch on, and the last search is as long as those before it together.
    const double reading = pass_seconds(shape.d, shape.k, m, examples), a_pass = walsh::seconds_a_word * all;
    return PredictedSeconds{a_pass + reading, a_pass * (1 + examples / 64) + reading};
  }

 private:
  std::string nothing_found(const Run& run) const {
    return fmt::format("no product of at most {} bits agrees with the labels of {} examples beyond chance",
                       largest_size(run.d() - 1), run.examples());
  }

  /// Sizes are tried while there are at most `sets` sets of them.
  Index largest_size(Index features) const {
    if (options_.size > 0) return std::min<Index>(options_.size, features);
    Index size = 1;
    while (size < features &&
           walsh::sets_of(static_cast<double>(features), static_cast<double>(size + 1)) <= options_.sets)
      ++size;
    return size;
  }

  /// How many sets are tried, or would be up to the size that is asked for.
  double all_sets(Index features) const {
    double out = 0;
    for (Index size = 0; size <= largest_size(features); ++size)
      out += walsh::sets_of(static_cast<double>(features), static_cast<double>(size));
    return out;
  }

  bool search(const Run& run, std::int64_t examples, Phase& phase) const {
    const Index features = run.d() - 1;
    const std::vector<Block> blocks = read_blocks(run.source, 0, examples, run.context);
    const BitColumns columns = columns_of(with_switch_on(blocks, features), features);
    if (columns.count == 0 || columns.low == columns.high) return false;
    const double sets = all_sets(features);
    for (Index size = std::max<Index>(1, options_.size); size <= largest_size(features); ++size) {
      run.context.progress.report(
          "correlations", static_cast<double>(size) / static_cast<double>(largest_size(features) + 1));
      const LargestCorrelation best(columns, size, run.context);
      const double chance = chance_of(best, columns.count, sets);
      if (chance > walsh::accident) continue;
      Report& report = run.recorder.report();
      report.product = best.set;
      const auto [odd, even] =
          best.large_if_odd ? std::pair{columns.high, columns.low} : std::pair{columns.low, columns.high};
      const Product product{best.set, features, odd, even, label_off(blocks, features)};
      report.predictor = predictor_of([product](Block& block) { product.predict(block); });
      phase.add("equations", static_cast<double>(columns.count));
      phase.add("size", static_cast<double>(size));
      phase.add("correlation", static_cast<double>(best.distance) / static_cast<double>(columns.count));
      report.message = fmt::format(
          "a product of {} bits agrees with {} of {} labels behind the switch; by chance some product would "
          "with probability {:.1e} at most",
          size, (columns.count + best.distance) / 2, columns.count, std::min(1.0, chance));
      return true;
    }
    return false;
  }

  WalshOptions options_;
};

}  // namespace

double walsh::sets_of(double features, double size) {
  double out = 1;
  for (double i = 0; i < size; ++i) out *= (features - i) / (i + 1);
  return out;
}

const Method walsh_method = method_of<Walsh>(
    "walsh", "correlations of the labels behind a switch with all products of few bits",
    "from unrelated labels it names a set with probability 1e-6 at most",
    OptionTable<WalshOptions>()
        .integer("size", &WalshOptions::size, 0, 511, "bits of the product; 0 tries 1, 2, ..")
        .real("sets", &WalshOptions::sets, 1, 1e12, "most sets of a size that are tried where size is 0"));

}  // namespace hardhead::learner
