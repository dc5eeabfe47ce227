#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/text/spec.h"
#include "learner/algorithm.h"

/// Learners of `F(X) = sum_i softmax(X Theta_i X^T) X W_i`, from random examples (X, F(X)) or from its values
/// at chosen X. Statistical queries are another way to a layer (sq/).
///
/// # By random examples
/// `paper` and `sculpt` are the algorithm of S. Chen and Y. Li, "Provably learning a multi-head attention
/// layer" (arXiv 2402.04084, STOC 2025), in six phases, each of which hands a value to the next
/// (six_phases.h) and has two routes, the paper's and a practical one:
///
///     1  w_sum          W_sum = sum_i W_i, crude: uniform attention                     w_sum.h
///     2  hull           rows where all heads attend alike, certified                    harvest.h
///                       -> affine hull of {Theta_i}                                     polytope.h | hull.h
///     3  w_sum_refined  W_sum again, from rows whose attention is one token             margins.h
///     4  hull_refined   phase 2 with the better W_sum
///     5  span           the subspace in which the heads are sought                      net.h
///     6  net            the heads among its points, W_i by least squares      exhaustive_search.h | net.h
///     -  polish         Gauss-Newton on all of (Theta, W); not in the paper             gauss_newton.h
///
/// The others see the same examples and have no guarantee: `gauss-newton`, the polish alone from small random
/// starts; `lbfgs`, a first-order baseline; `adam`, `sgd` and `sign-sgd`, stochastic gradients on a layer of
/// more heads, which a polish merges (gradient/gradient_descent.cc); `network-newton`, heads and the network
/// behind them (network/network_squares.h); `phase1`, the first phase alone. `walsh` and `table` are
/// baselines for layers behind a switch, told how these are built (gadget/behind_switch.h).
///
/// # By values at chosen X
/// One head takes d^2 + d values, and O(r d) if Theta has rank r (S. Bhattamishra et al., arXiv 2601.16873,
/// ICML 2026); m heads a number that is polynomial in m and d (J. Kim, H. Kim and Y. Guo, arXiv 2608.03294).
/// There is no exponential in m, on layers where random examples cost (dk)^O(m^3) by the best algorithm with
/// a proof, and statistical queries d^Omega(m). Learners: `single`, `mobius` (mobius/mobius.h: the method and
/// its proof, ours), `rational` (rational/heads.h), `flip` and `chain`, which find what a hard family hides,
/// and `compose`, which finds a network behind the layer first (network/critical_points.h).
///
/// What values cannot tell: for k = 2 the patterns of Theta and of -Theta add up to all ones, so {(Theta, W)}
/// and {(-Theta, -W), (0, 2 W)} are one function. For every k heads of equal Theta are one head, and heads of
/// W = 0 are none. Values at real X tell all else, those at tokens of signs may not
/// (attention/layer/canonical.h).
///
/// # Access is in the type
/// A learner sees a Task and what it may ask, which is a SampleSource, a ValueOracle or an ExactOracle; never
/// a spec, a seed of an instance, or the truth. `exec`, a program of the user's, takes either
/// (outside/program.cc).
///
///     Report report = learn(Spec::parse("sculpt:rows=4000"), source, Task{});
///     ValueOracle oracle(instance.teacher, 16, {.tokens = 2});
///     Report other = learn(Spec::parse("mobius"), oracle, Task{});
///
/// report.h and recorder.h are what comes out of a run, algorithm.h is what a new learner derives from,
/// method.h has the learners by name, and learner.h binds one to its options and runs it.
namespace hardhead::learner {

struct Method;
struct Rung;

/// A learner with its options, bound once: what plans, runs and records have. Cheap to copy.
class Learner {
 public:
  /// The learner that a spec names, with its options. Throws InputError for an unknown name (with the
  /// nearest), an unknown option, and a value out of range.
  Learner(const Spec& spec);
  /// The learner that a text names (parse_learner()): one of `own` by its name, or one of the library's.
  /// Throws InputError, likewise.
  static Learner parse(const std::string& text, std::span<const Learner> own = {});
  /// A learner of a method that is in no list: the caller's own. Throws InputError as the method does.
  static Learner of(std::shared_ptr<const Method> method, const Spec& spec);
  /// A learner that cannot be run here, as a record names it.
  static Learner named(Spec spec, Spec options, Access access, Told told = Told::unknown);

  const Spec& spec() const { return spec_; }              ///< as it was asked for
  const Spec& options() const { return options_; }        ///< with every option: equal for equal meanings
  const std::string& name() const { return spec_.name; }  ///< of its method
  std::string str() const { return spec_.str(); }         ///< spec() as text
  Access access() const { return access_; }               ///< what it asks
  Told told() const { return told_; }                     ///< what it knows besides
  bool asks_values() const { return learner::asks_values(access_); }  ///< values, and not examples

  /// The algorithm of a learner by examples. Throws std::logic_error for a learner of the other kind, and for
  /// one that is only named.
  const ExampleAlgorithm& by_examples() const;
  /// Likewise of a learner by values.
  const ValueAlgorithm& by_values() const;

  /// Its ladder of budgets for the test error `wanted` (method.h).
  std::vector<Rung> ladder(double wanted) const;

  /// What a run on a source of `available` examples is predicted to need. Throws InputError as learn() does.
  RunMemory predicted_memory(ExampleShape shape, std::int64_t available, const Task& task) const;
  /// What a run is predicted to take, at most the task's time limit, for examples without end unless the task
  /// says how many; empty where nothing is known. Throws InputError for k = 1.
  std::optional<PredictedSeconds> predicted_seconds(ExampleShape shape, attention::Index m,
                                                    const Task& task) const;

  bool operator==(const Learner& other) const { return spec_ == other.spec_; }  ///< asked for alike

 private:
  Learner() = default;

  Spec spec_, options_;
  Access access_ = Access::examples;
  Told told_ = Told::nothing;
  std::shared_ptr<const Method> method_;
  std::shared_ptr<const Algorithm> algorithm_;
};

/// Runs a learner by examples, on the source's examples and nothing else. A run that is stopped or fails is
/// an outcome: its report has what there is by then.
///
/// Throws InputError for a learner that asks for values, k = 1 (a single token's attention is constant), or
/// fewer examples than 3 or than least_examples(); BudgetError if process_bytes and predicted_memory()
/// together, or the work that the paper's routes announce (six_phases.h), exceed a limit. What the source
/// takes is not known here (study/run/memory.h counts it).
Report learn(const Learner& learner, const attention::SampleSource& source, const Task& task,
             const RunContext& context = {});

/// Throws InputError for an oracle that cannot be asked what a learner by values asks, with the reason.
void check_needs(const Learner& learner, const ValueOracle& oracle);

/// Runs a learner by values on an oracle. That a condition fails, that the budget is spent, that an answer is
/// not a number or that the run is stopped are outcomes. Throws InputError for a learner that asks for
/// something else, and for an oracle that cannot be asked what it asks, with the reason.
Report learn(const Learner& learner, ValueOracle& oracle, const Task& task, const RunContext& context = {});
/// Likewise for a learner in exact arithmetic.
Report learn(const Learner& learner, ExactOracle& oracle, const Task& task, const RunContext& context = {});

/// Throws BudgetError if a run of this learner that is predicted to need this many bytes exceeds its task's
/// limit.
void check_memory(const Learner& learner, double bytes, const Task& task);

}  // namespace hardhead::learner
