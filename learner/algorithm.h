#pragma once
#include <cstdint>
#include <optional>

#include "attention/forward/memory.h"
#include "attention/samples/sample_source.h"
#include "base/run/run_context.h"
#include "base/text/enum_names.h"
#include "learner/oracle/value_oracle.h"
#include "learner/recorder.h"
#include "learner/report.h"

/// What a learner is told, what it may ask, and what it does with it: the classes that a new learner derives
/// from.
namespace hardhead::learner {

/// What a learner is told besides what it may ask.
struct Task {
  std::optional<attention::Index> heads{};     ///< m, where the caller states it; estimated otherwise
  std::optional<std::int64_t> examples{};      ///< distinct ones at most; else the learner's default
  std::uint64_t seed = 1;                      ///< of the learner's own randomness (Domain::learner)
  std::optional<double> memory_limit_bytes{};  ///< a run predicted to exceed it is refused
  std::optional<double> time_limit_seconds{};  ///< so is one whose method predicts its time
};

/// What a learner asks.
enum class Access {
  examples,      ///< random examples (X, F(X))
  values,        ///< F(X) at chosen X
  exact_values,  ///< F(X) at chosen X, as the rationals they are
};

constexpr auto enum_names(Access) {
  return std::to_array<EnumName<Access>>(
      {{Access::examples, "examples"}, {Access::values, "values"}, {Access::exact_values, "exact values"}});
}

/// What a learner knows of a layer besides its sizes and what it asks.
enum class Told {
  nothing,  ///< d, k and perhaps m
  form,     ///< the form of every Theta_i: diagonal, or of low rank
  network,  ///< that a network is behind the heads
  gadget,   ///< how labels behind a switch come about: z_j = x_{1j} x_{2j}, the switch, their column
  intermediate_results,  ///< parities of parts of what is hidden, beside each answer
  unknown,               ///< a learner from outside the library: what its author knows
};

constexpr auto enum_names(Told) {
  return std::to_array<EnumName<Told>>({{Told::nothing, "nothing"},
                                        {Told::form, "form of Theta"},
                                        {Told::network, "a network behind the heads"},
                                        {Told::gadget, "gadget"},
                                        {Told::intermediate_results, "intermediate results"},
                                        {Told::unknown, "what its author knows"}});
}

/// Does it ask for values?
constexpr bool asks_values(Access access) {
  return access != Access::examples;
}

/// Sizes of the examples that a learner is asked about.
struct ExampleShape {
  attention::Index d = 0;                                 ///< features
  attention::Index k = 0;                                 ///< tokens
  attention::Inputs inputs = attention::Inputs::boolean;  ///< distribution of X

  /// What forward passes of a layer of m heads depend on.
  attention::PassShape of_heads(attention::Index m) const { return {d, k, m, are_signs(inputs)}; }
};

/// The memory that a run of a learner is predicted to need: upper bounds. An oracle and its answers are not
/// counted.
struct RunMemory {
  double work = 0;             ///< bytes of the learner's arrays at the worst moment
  double report = 0;           ///< bytes of what it reports: its layer, and the estimates of its phases
  attention::Index heads = 1;  ///< of the largest layer in its report
  attention::Index queries_at_once = 1;  ///< X whose values it asks at a time
  attention::Index tokens = 2;           ///< of the longest of them
};

/// Seconds that a run is predicted to take, roughly (cost.h).
struct PredictedSeconds {
  double learnt = 0;      ///< where it learns the layer
  double not_learnt = 0;  ///< where it takes all of its starts, steps and examples, and learns nothing
  bool operator==(const PredictedSeconds&) const = default;
};

/// What a learner does, with its options set.
class Algorithm {
 public:
  virtual ~Algorithm() = default;
  /// What it asks.
  virtual Access access() const = 0;
  /// What it knows besides. By default nothing.
  virtual Told told() const { return Told::nothing; }
};

/// All that a learner by examples is given for one run.
struct Run {
  const attention::SampleSource& source;  ///< the examples
  const Task& task;                       ///< checked, and its number of examples is set
  const RunContext& context;              ///< who may stop it, and hears of its progress
  Recorder& recorder;                     ///< where it writes its phases and its layer

  attention::Index d() const { return source.d(); }                                 ///< features
  attention::Index k() const { return source.k(); }                                 ///< tokens
  ExampleShape shape() const { return {source.d(), source.k(), source.inputs()}; }  ///< sizes of the examples
  std::int64_t examples() const { return *task.examples; }  ///< as many as it may read
};

/// A learner by random examples. run() is all that it has to have.
class ExampleAlgorithm : public Algorithm {
 public:
  Access access() const final { return Access::examples; }
  /// Learns. What it finds goes into the run's report as it goes; it may throw what Recorder::record() turns
  /// into an ending.
  virtual void run(const Run& run) const = 0;
  /// Distinct examples it uses at most when the task does not say. By default 20,000.
  virtual std::int64_t default_examples(ExampleShape shape, const Task& task) const;
  /// Least number of examples that can determine the heads that the task states, or one where it states none:
  /// counting_bound, unless what it fits has fewer unknowns. learn() refuses fewer.
  virtual std::int64_t least_examples(ExampleShape shape, const Task& task) const;
  /// The memory of a run, besides process_bytes (cost.h) and what the source takes. The task's number of
  /// examples is set. By default all examples twice, four layers of the stated heads (or 64), and a forward
  /// pass with a workspace in each thread.
  virtual RunMemory predicted_memory(ExampleShape shape, const Task& task) const;
  /// Seconds of a run on the cores of this thread's arena, for a layer of m heads, whether or not the task
  /// says m (cost.h). None where nothing is known. The task's number of examples is set.
  virtual std::optional<PredictedSeconds> predicted_seconds(ExampleShape shape, attention::Index m,
                                                            const Task& task) const;
};

/// What a learner by values asks. A source that cannot be asked so is refused before the run, with the
/// reason.
struct Needs {
  std::optional<attention::Index> tokens{};  ///< each X has this many; empty: it asks X of several lengths
  bool real_tokens = false;                  ///< entries other than -1 and +1
  bool exact = false;                        ///< rational answers
  bool takes_biases = false;                 ///< it can leave the last feature as it is (OracleOptions::last)
  bool gadget = false;                       ///< what is public of a hard family
  bool hints = false;                        ///< intermediate parities beside each answer
  bool adapts = false;                       ///< it is told what can be asked, and asks that
};

/// All that a learner by values is given for one run.
struct ValueRun {
  ValueOracle* values;        ///< null for a learner in exact arithmetic
  ExactOracle* exact;         ///< null for all others
  const Task& task;           ///< what it is told
  const RunContext& context;  ///< who may stop it
  Recorder& recorder;         ///< where it writes its phases and its layer
};

/// The layer whose values are asked: the sizes that memory depends on.
struct LayerShape {
  attention::Index d = 0;  ///< features
  attention::Index m = 0;  ///< heads, of which a learner finds no more
};

/// A learner by values at chosen X.
class ValueAlgorithm : public Algorithm {
 public:
  Access access() const final;
  Told told() const override;
  /// What it asks.
  virtual Needs needs() const = 0;
  /// Learns, as ExampleAlgorithm::run().
  virtual void run(const ValueRun& run) const = 0;
  /// What a run takes. Empty where it is not known before, as by default.
  virtual std::optional<RunMemory> predicted_memory(LayerShape layer, const Task& task) const;
};

/// Throws InputError for k < 2: the attention of a single token is constant.
void check_tokens(attention::Index k);

/// Least number of examples that can determine a layer: ceil(2 m d^2 / (k d)), unknowns over numbers an
/// example gives.
std::int64_t counting_bound(attention::Index d, attention::Index k, attention::Index m);

/// Least number of examples that can determine the Theta_i, whatever m is: ceil(d^2 / (k (k - 1))).
///
/// Labels depend on the Theta_i through the attention patterns only. A row of an example has m patterns of k
/// weights that sum to 1: m (k - 1) numbers, so N examples give N k m (k - 1) equations for m d^2 unknowns.
/// Where k is small against d this is above the counting bound, which lets all d numbers of a row count: with
/// (d, k, m) = (64, 2, 2) it is 2048, the counting bound 128. Throws InputError for k < 2.
std::int64_t pattern_bound(attention::Index d, attention::Index k);

}  // namespace hardhead::learner
