#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "attention/forward/block.h"
#include "attention/layer/exact.h"
#include "attention/layer/layer.h"
#include "attention/samples/sample_source.h"
#include "base/run/run_context.h"
#include "learner/affine_hull.h"

namespace hardhead::learner {

/// An estimate of W_sum = sum_i W_i.
struct WSumEstimate {
  attention::Matrix value;  ///< d x d
};

/// What a phase can hand to the next: W_sum, the affine hull of the Theta_i, or a whole layer. Whoever knows
/// the truth can measure it after the run.
using Estimate = std::variant<WSumEstimate, AffineHull, attention::Layer>;

/// A point of the curve of a phase's error against its time.
struct CurvePoint {
  double seconds = 0;        ///< wall clock, since the phase began
  std::int64_t steps = 0;    ///< taken since then
  double holdout_error = 0;  ///< relative, on held-back examples, of where it stands
};

/// One phase of a run, in the order they ran. Everything a phase has to say is a named number, so that
/// reports of all learners print, save and compare alike. The first measures of a phase that asks for values
/// are `queries` and `tokens`.
struct Phase {
  std::string name;                         ///< "w_sum", "hull", ..
  double seconds = 0;                       ///< wall clock
  std::int64_t examples = 0;                ///< examples read
  std::optional<std::int64_t> rows_kept{};  ///< rows certified and kept, where the phase keeps rows
  std::vector<std::pair<std::string, double>> measures{};  ///< relative unless the name says else
  std::vector<Estimate> estimates{};                       ///< what the phase estimated, most often one thing
  std::vector<CurvePoint> curve{};  ///< of phases that go step by step, where they keep it

  /// One more measure. Throws std::logic_error for the name of a measure that is there already, and for
  /// `name`, `seconds`, `examples` and `rows_kept`, which stand beside the measures wherever a phase is
  /// written.
  void add(std::string measure, double value);
};

/// A phase as reports have it: its measures beside its fields.
template <class Visit>
void describe(Visit& visit, const Phase*) {
  visit("name", &Phase::name);
  visit("seconds", &Phase::seconds);
  visit("examples", &Phase::examples);
  visit("rows_kept", &Phase::rows_kept);
  visit.rest(&Phase::measures);
}

/// Writes the labels of a block, whose tokens are those of examples first, first + 1, .. Safe to call from
/// several threads at once.
using Answers = std::function<void(std::int64_t first, attention::Block& block)>;

/// Answers for examples first .. first + count - 1 of those that a learner was handed, without their labels.
struct HeldBackAnswers {
  std::int64_t first = 0, count = 0;  ///< which examples
  Answers answers;                    ///< for these and no others
};

/// What a learner says of tokens that it is shown, without their labels: answers for examples 0 .. count - 1.
/// Throws Failed (recorder.h) where it has none, and Stopped.
using Predictor = std::function<Answers(const attention::SampleSource& tokens, std::int64_t count,
                                        const RunContext& context)>;

/// A predictor that writes the labels of each block from its own tokens.
Predictor predictor_of(std::function<void(attention::Block& block)> write);

/// How a run ended.
enum class Ending {
  finished,        ///< the learner ran to its end; whether it recovered the layer is for the test to say
  failed,          ///< a phase failed: failed_phase and message say which and why
  out_of_queries,  ///< the budget of queries was spent
  stopped,         ///< the time limit passed, or the run was interrupted
  undone,  ///< the machine ended it (MachineError): no result. As failed, but for what a study makes of it
};

/// What a learner hands back. An outcome is a value, never an exception.
struct Report {
  Ending ending = Ending::finished;              ///< how the run ended
  std::string failed_phase;                      ///< set if failed
  std::string message;                           ///< one sentence, always set at the end
  std::optional<attention::Layer> layer;         ///< what was learnt; empty if nothing was
  std::optional<attention::ExactLayer> exact{};  ///< the same layer, of a learner in exact arithmetic
  /// What a family hides, of a learner that finds nothing but that: a set of coordinates, or a secret.
  std::optional<std::vector<std::int64_t>> hidden{};
  /// Features, ascending, of which the labels behind the switch are the product, of a learner that finds
  /// nothing but that; what is hidden then, the family knows.
  std::optional<std::vector<attention::Index>> product{};
  /// Of a learner that hands back predictions for held-back examples, and no layer.
  std::optional<HeldBackAnswers> held_back{};
  /// What a learner that hands back no layer says of new tokens, where it can be asked that.
  Predictor predictor{};
  std::vector<Phase> phases;       ///< in the order they ran; of a stopped run, the one under way is the last
  std::int64_t examples_used = 0;  ///< distinct examples read
  std::optional<std::int64_t> queries_used{};  ///< X whose value was asked, of a learner by values
  std::optional<std::int64_t> tokens_used{};   ///< of these X
  double seconds = 0;                          ///< wall clock, all phases

  /// Whether the budget of queries was spent.
  bool out_of_queries() const { return ending == Ending::out_of_queries; }
  /// Heads of the layer handed back; empty without one.
  std::optional<attention::Index> heads_found() const {
    return layer ? std::optional(layer->m()) : std::nullopt;
  }
};

}  // namespace hardhead::learner
