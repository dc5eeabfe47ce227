#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "attention/forward/memory.h"
#include "attention/samples/sample_source.h"
#include "base/run/run_context.h"
#include "base/text/option_table.h"
#include "base/text/spec.h"
#include "learner/recorder.h"
#include "learner/report.h"

/// Learners of `F(X) = sum_i softmax(X Theta_i X^T) X W_i` from random examples (X, F(X)).
///
/// `paper` and `sculpt` are the algorithm of S. Chen and Y. Li, "Provably learning a multi-head attention
/// layer" (arXiv 2402.04084, STOC 2025), in six phases, each of which hands a value to the next
/// (six_phases.h) and has two routes, the paper's and a practical one:
///
///     1  w_sum          W_sum = sum_i W_i, crude: uniform attention                     w_sum.h
///     2  hull           rows where all heads attend alike, certified                    harvest.h
///                       -> affine hull of {Theta_i}                                     polytope.h | hull.h
///     3  w_sum_refined  W_sum again, from rows whose attention is one token             margins.h
///     4  hull_refined   phase 2 with the better W_sum
///     5  span           the subspace in which the heads are sought                      search_space.h
///     6  net            the heads among its points, W_i by least squares      exhaustive_search.h | net.h
///     -  polish         Gauss-Newton on all of (Theta, W); not in the paper             gauss_newton.h
///
/// The others see the same examples and have no guarantee: `gauss-newton`, the polish alone from small random
/// starts; `lbfgs`, a first-order baseline; `adam`, `sgd` and `sign-sgd`, stochastic gradients on a layer of
/// more heads, which a polish merges (gradient_descent.h); `phase1`, the first phase alone; `exec`, a program
/// of the user's (external.h).
///
/// A learner sees a SampleSource and a Task, never a spec, a seed of an instance, or the truth:
///
///     Report report = learn(Spec::parse("sculpt:rows=4000"), source, Task{}, RunContext{});
///
/// The folders stand on each other, and a file includes only what lies below it or beside it:
///
///     objective     examples in memory, the loss of a layer, least squares, affine subspaces
///     certificate   which rows are certified, and the equations they give; on objective
///     factors       heads of low rank in factors, as least squares; on objective
///     fits          learners of all parameters at once; on factors
///     gradient      learners by stochastic gradients, in single precision; on fits
///     phases        the six phases; on certificate and fits
namespace hardhead::learner {

/// What every learner is told besides its examples.
struct Task {
  std::optional<attention::Index> heads{};  ///< m, where the caller states it; estimated otherwise
  std::optional<std::int64_t>
      examples{};          ///< at most this many distinct examples; else the learner's default
  std::uint64_t seed = 1;  ///< of the learner's own randomness (Domain::learner)
  std::optional<double> memory_limit_bytes{};  ///< a run predicted to exceed it is refused
  std::optional<double> time_limit_seconds{};  ///< so is one whose method predicts its time
};

/// Sizes of the examples that a learner is asked about.
struct ExampleShape {
  attention::Index d = 0;  ///< features
  attention::Index k = 0;  ///< tokens
  bool signs = true;       ///< tokens are -1 and +1 throughout, for which products take more memory

  /// What forward passes of a layer of m heads depend on.
  attention::PassShape of_heads(attention::Index m) const { return {d, k, m, signs}; }
};

/// The memory that a run of a learner is predicted to need: upper bounds.
struct RunMemory {
  double work = 0;             ///< bytes of the learner's arrays at the worst moment
  double report = 0;           ///< bytes of what it reports: its layer, and the estimates of its phases
  attention::Index heads = 1;  ///< of the largest layer in its report
};

/// All that a learner is given for one run.
struct Run {
  const attention::SampleSource& source;  ///< the examples
  const Task& task;                       ///< checked, and its number of examples is set
  const RunContext& context;              ///< who may stop it, and hears of its progress
  Recorder& recorder;                     ///< where it writes its phases and its layer

  attention::Index d() const { return source.d(); }         ///< features
  attention::Index k() const { return source.k(); }         ///< tokens
  std::int64_t examples() const { return *task.examples; }  ///< as many as it may read
};

/// Seconds that a run is predicted to take, roughly (cost.h).
struct PredictedSeconds {
  double learnt = 0;      ///< where it learns the layer
  double not_learnt = 0;  ///< where it takes all of its starts, steps and examples, and learns nothing
  bool operator==(const PredictedSeconds&) const = default;  ///< both alike
};

/// A learner with its options set.
class Learner {
 public:
  virtual ~Learner() = default;
  /// Least number of examples that can determine the heads that the task states, or one where it states none:
  /// counting_bound, unless what it fits has fewer unknowns. learn() refuses fewer.
  virtual std::int64_t least_examples(ExampleShape shape, const Task& task) const;
  /// Distinct examples it uses at most when the task does not say.
  virtual std::int64_t default_examples(ExampleShape shape, const Task& task) const = 0;
  /// The memory of a run, besides process_bytes (cost.h) and what the source takes. Each component that
  /// allocates arrays says beside its code what they take, and a learner adds up what lives at a time. The
  /// task's number of examples is set.
  virtual RunMemory predicted_memory(ExampleShape shape, const Task& task) const = 0;
  /// Seconds of a run on the cores of this thread's arena, for a layer of m heads, whether or not the task
  /// says m (cost.h). None where nothing is known. The task's number of examples is set.
  virtual std::optional<PredictedSeconds> predicted_seconds(ExampleShape shape, attention::Index m,
                                                            const Task& task) const = 0;
  /// Learns. What it finds goes into the run's report as it goes; it may throw Stopped, InsufficientData and
  /// Failed, which learn() turns into the report's ending.
  virtual void run(const Run& run) const = 0;
};

/// A rung of a learner's ladder of budgets: settings that cost about the same, of which the best is wanted.
struct Rung {
  std::vector<Spec> settings;              ///< the method with its options
  std::optional<std::int64_t> examples{};  ///< what Task::examples is to be; else the learner's default
};

/// What a learner would be given by someone who wants it to come down to the test error `wanted`: each rung
/// of the ladder costs about four times as much as the one before it.
using Ladder = std::function<std::vector<Rung>(const Spec& method, double wanted)>;

/// The ladder of a learner whose budget is its examples, whatever is wanted: 25,000, 100,000, .. with the
/// options that are given.
std::vector<Rung> examples_ladder(const Spec& method, double wanted);

/// `method` with each of these options that it does not have already.
Spec with_options(Spec method, const std::vector<std::pair<std::string, std::string>>& options);

/// A learner by its name: one file, and one line in registered_methods.h.
struct Method {
  std::string name;                   ///< as in `--method NAME`
  std::string summary;                ///< one line
  std::string guarantee;              ///< what is proved about it, or "heuristic"
  std::vector<Parameter> parameters;  ///< its options, for help: as in `--method sculpt:rows=4000`
  /// The learner with the options that a spec gives, defaults for the rest. Throws InputError.
  std::function<std::unique_ptr<const Learner>(const Spec&)> configure;
  /// The spec with every option: equal for specs that mean the same. Throws InputError.
  std::function<Spec(const Spec&)> canonical;
  /// Its ladder of budgets, cheapest first. Options that the spec gives stay as they are.
  Ladder ladder = examples_ladder;
};

/// The method of a learner that is constructed from its options, which `table` binds to their names.
template <class Implementation, class Options>
Method method_of(std::string name, std::string summary, std::string guarantee,
                 const OptionTable<Options>& table, Ladder ladder = examples_ladder) {
  return {std::move(name),
          std::move(summary),
          std::move(guarantee),
          table.rows(),
          [table](const Spec& spec) { return std::make_unique<const Implementation>(table.read(spec)); },
          [table](const Spec& spec) { return table.canonical(spec); },
          std::move(ladder)};
}

/// All learners, in the order they are listed.
std::span<const Method> methods();

/// The method of that name. Throws InputError with the nearest name.
const Method& find_method(const std::string& name);

/// Runs the method that `spec` names with its options, on the source's examples and nothing else. A run that
/// is stopped or fails is an outcome: its report has what there is by then.
///
/// Throws InputError for an unknown method or option, k = 1 (a single token's attention is constant), or
/// fewer examples than 3 or than least_examples(); BudgetError if process_bytes and predicted_memory()
/// together, or the work that the paper's routes announce (six_phases.h), exceed a limit. What the source
/// takes is not known here (study/run/memory.h counts it).
Report learn(const Spec& spec, const attention::SampleSource& source, const Task& task,
             const RunContext& context = {});

/// Least number of examples that learn() takes (Learner::least_examples). Throws InputError for an unknown
/// method or option.
std::int64_t least_examples(const Spec& spec, ExampleShape shape, const Task& task);

/// What learn() is predicted to need of a source of this many examples (Learner::predicted_memory). Throws
/// InputError as learn() does.
RunMemory predicted_memory(const Spec& spec, ExampleShape shape, std::int64_t available, const Task& task);

/// Throws BudgetError if a run of this method that is predicted to need this many bytes exceeds its task's
/// limit.
void check_memory(const Spec& method, double bytes, const Task& task);

/// What learn() is predicted to take (Learner::predicted_seconds), at most the task's time limit, for
/// examples without end unless the task says how many. Throws InputError for an unknown method or option, and
/// k = 1.
std::optional<PredictedSeconds> predicted_seconds(const Spec& spec, attention::Index d, attention::Index k,
                                                  attention::Index m, const Task& task);

/// Least number of examples that can determine a layer: ceil(2 m d^2 / (k d)), unknowns over numbers an
/// example gives.
std::int64_t counting_bound(attention::Index d, attention::Index k, attention::Index m);

/// Least number of examples that can determine the Theta_i, whatever m is: ceil(d^2 / (k (k - 1))).
///
/// Labels depend on the Theta_i through the attention patterns only. A row of an example has m patterns of k
/// weights that sum to 1: m (k - 1) numbers, so N examples give N k m (k - 1) equations for m d^2 unknowns.
/// Where k is small against d this is above the counting bound, which lets all d numbers of a row count: with
/// (d, k, m) = (64, 2, 2) it is 2048, the counting bound 128.
std::int64_t pattern_bound(attention::Index d, attention::Index k);

}  // namespace hardhead::learner
