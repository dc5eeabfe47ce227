// The mean label of each combination of bits, for labels behind a switch: a baseline that learns any function
// of few bits, told the gadget (behind_switch.h) and of the layer nothing.
#include <fmt/format.h>

#include <cmath>

#include "learner/cost.h"
#include "learner/gadget/behind_switch.h"
#include "learner/objective/blocks.h"
#include "learner/registered_methods.h"

namespace hardhead::learner {

std::int64_t look_up::examples(Index bits) {
  return static_cast<std::int64_t>(std::ceil(2 * std::log(200.0) * std::exp2(bits)));
}

namespace {

constexpr std::int64_t examples_at_a_time = 1 << 13;

/// A running mean.
struct Mean {
  double sum = 0;
  std::int64_t count = 0;

  void add(double value) {
    sum += value;
    ++count;
  }
  double or_else(double other) const { return count > 0 ? sum / static_cast<double>(count) : other; }
};

class LookUp {
 public:
  explicit LookUp(Index bits) : bits_(bits), entries_(std::size_t{1} << bits) {}

  void add(const Block& block) {
    behind_switch::check_labels(block);
    for (Index n = 0; n < block.count; ++n) {
      const double value = behind_switch::value(block, bits_, n);
      if (!behind_switch::bit(block, bits_, n)) {
        off_.add(value);
        continue;
      }
      entries_[key(block, n)].add(value);
      on_.add(value);
    }
  }

  /// Labels. What was never seen is the mean of all.
  void predict(Block& block) const {
    for (Index n = 0; n < block.count; ++n)
      behind_switch::write(block, bits_, n,
                           behind_switch::bit(block, bits_, n)
                               ? entries_[key(block, n)].or_else(on_.or_else(0))
                               : off_.or_else(0));
  }

  double filled() const {
    const auto seen = std::ranges::count_if(entries_, [](const Mean& entry) { return entry.count > 0; });
    return static_cast<double>(seen) / static_cast<double>(entries_.size());
  }

 private:
  std::size_t key(const Block& block, Index n) const {
    std::size_t out = 0;
    for (Index j = 0; j < bits_; ++j) out = 2 * out + (behind_switch::bit(block, j, n) ? 1 : 0);
    return out;
  }

  Index bits_;  ///< and the switch's feature
  std::vector<Mean> entries_;
  Mean on_, off_;
};

struct TableOptions {};

class Table final : public ExampleAlgorithm {
 public:
  explicit Table(const TableOptions&) {}

  Told told() const override { return Told::gadget; }

  void run(const Run& run) const override {
    run.recorder.phase("table", 0, [&](Phase& phase) { look_up(run, phase); });
  }

  std::int64_t default_examples(ExampleShape shape, const Task&) const override {
    return look_up::examples(std::min(shape.d - 1, look_up::most_bits));
  }
  std::int64_t least_examples(ExampleShape, const Task&) const override { return 3; }

  RunMemory predicted_memory(ExampleShape shape, const Task& task) const override {
    const std::int64_t held = std::min(*task.examples, examples_at_a_time);
    return {.work = sizeof(Mean) * std::exp2(std::min(shape.d - 1, look_up::most_bits)) +
                    2 * example_bytes(shape.d, shape.k, held)};
  }

  std::optional<PredictedSeconds> predicted_seconds(ExampleShape shape, Index m,
                                                    const Task& task) const override {
    const auto examples = static_cast<double>(*task.examples);
    const double seconds =
        examples * look_up::seconds_an_example + pass_seconds(shape.d, shape.k, m, examples) / 2;
    return PredictedSeconds{seconds, seconds};
  }

 private:
  static void look_up(const Run& run, Phase& phase) {
    behind_switch::check(run);
    const Index bits = run.d() - 1;
    if (bits > look_up::most_bits)
      throw Failed{
          fmt::format("d = {}: a table has an entry for each of 2^{} combinations of bits, and at most "
                      "2^{}",
                      run.d(), bits, look_up::most_bits)};
    const auto table = std::make_shared<LookUp>(bits);
    Report& report = run.recorder.report();
    for (std::int64_t from = 0; from < run.examples(); from += examples_at_a_time) {
      const std::int64_t count = std::min(examples_at_a_time, run.examples() - from);
      run.context.progress.report("table", static_cast<double>(from) / static_cast<double>(run.examples()));
      for (const Block& block : read_blocks(run.source, from, count, run.context)) table->add(block);
      phase.examples = report.examples_used = from + count;
    }
    phase.add("filled", table->filled());
    report.message =
        fmt::format("a table of 2^{} entries, of which {:.1f}% were seen", bits, 100 * table->filled());
    report.predictor = predictor_of([table](Block& block) { table->predict(block); });
  }
};

}  // namespace

const Method table_method = method_of<Table>(
    "table", "the mean label behind a switch for each combination of bits",
    "with 10.6 times 2^(d-1) examples 199 of 200 labels have been seen", OptionTable<TableOptions>());

}  // namespace hardhead::learner
