#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/run/run_context.h"
#include "base/text/option_table.h"
#include "base/text/spec.h"
#include "queries/oracle/value_oracle.h"
#include "queries/recorder.h"

namespace hardhead::queries {

/// What is public of a parity layer behind a switch (hardness/hardness.h): all but the hidden set.
struct ParityGadget {
  Index switch_coordinate = 0;  ///< j0
  double even = 0, odd = 0;     ///< Y_{r,1} / x_{r,j0} where the switch is on, by the parity of h
};

/// What is public of a layer of learning with rounding behind a switch: all but the secret in Z_q^n.
struct RoundingGadget {
  Index switch_coordinate = 0;       ///< j0 = n log2 q
  std::int64_t n = 0, q = 0, p = 0;  ///< length of the secret, modulus 2^l, number of levels
};

/// What is public of a hard layer; nothing for any other.
using PublicGadget = std::variant<std::monostate, ParityGadget, RoundingGadget>;

/// What a learner is told besides its oracle.
struct Task {
  std::optional<Index> heads{};  ///< m, where the caller states it; found otherwise
  PublicGadget gadget{};         ///< for the learner that reads what a hard family hides
  std::uint64_t seed = 1;        ///< of the X it draws (Domain::learner)
};

/// All that a learner is given for one run: values, and nothing else of the layer.
struct Run {
  ValueOracle* values;        ///< null for a learner in exact arithmetic
  ExactOracle* exact;         ///< null for all others
  const Task& task;           ///< what it is told
  const RunContext& context;  ///< who may stop it
  Recorder& recorder;         ///< where it writes its steps and its layer
};

/// What a learner asks. A source that cannot be asked so is refused before the run, with the reason.
struct Needs {
  std::optional<Index> tokens{};   ///< each X has this many; empty: it asks X of several lengths
  bool real_tokens = false;        ///< entries other than -1 and +1
  bool exact = false;              ///< rational answers
  bool takes_biases = false;       ///< it can leave the last feature as it is (OracleOptions::last)
  bool gadget = false;             ///< what is public of a hard family
  bool hints = false;              ///< intermediate parities beside each answer (value_oracle.h)
  bool whatever_there_is = false;  ///< it is told what can be asked, and asks that
};

/// The layer that is asked about: the sizes that memory depends on.
struct LayerShape {
  Index d = 0;  ///< features
  Index m = 0;  ///< heads, of which a learner finds no more
};

/// The memory that a run is predicted to need: upper bounds. The oracle and its answers are not counted.
struct RunMemory {
  double work = 0;            ///< bytes of the learner's arrays at the worst moment
  double report = 0;          ///< bytes of the layers that it reports
  Index heads = 1;            ///< of the largest of them
  Index queries_at_once = 1;  ///< X that it asks at a time
  Index tokens = 2;           ///< of the longest of them
};

/// A learner by queries, by its name: one file, and one line in registered_learners.h.
struct QueryLearner {
  /// Runs with the options it was made with. What it finds goes into the run's report as it goes.
  using Body = std::function<void(const Run&)>;

  std::string name;                     ///< as in `--learner NAME`
  std::string summary;                  ///< one line
  std::string guarantee;                ///< its conditions, and how many queries it takes
  std::vector<Parameter> parameters{};  ///< its options, for help: as in `--learner single:rank=2`
  /// What it asks with the options that a spec gives. Throws InputError.
  std::function<Needs(const Spec&)> needs{};
  /// What a run takes with these options. Empty where it is not known before. Throws InputError.
  std::function<std::optional<RunMemory>(const Spec&, LayerShape, const Task&)> memory{};
  /// The learner with these options. Throws InputError.
  std::function<Body(const Spec&)> configure{};
  /// The spec with every option. Throws InputError.
  std::function<Spec(const Spec&)> canonical{};
};

/// The learner with options of the struct `Options`, which `table` binds to their names.
template <class Options>
QueryLearner learner_of(QueryLearner described, const OptionTable<Options>& table,
                        Needs (*needs)(const std::type_identity_t<Options>&),
                        std::optional<RunMemory> (*memory)(const std::type_identity_t<Options>&, LayerShape,
                                                           const Task&),
                        void (*run)(const std::type_identity_t<Options>&, const Run&)) {
  described.parameters = table.rows();
  described.needs = [table, needs](const Spec& spec) { return needs(table.read(spec)); };
  described.memory = [table, memory](const Spec& spec, LayerShape layer, const Task& task) {
    return memory(table.read(spec), layer, task);
  };
  described.configure = [table, run](const Spec& spec) -> QueryLearner::Body {
    return [options = table.read(spec), run](const Run& with) { run(options, with); };
  };
  described.canonical = [table](const Spec& spec) { return table.canonical(spec); };
  return described;
}

/// All learners, in the order they are listed.
std::span<const QueryLearner> query_learners();

/// The learner of that name. Throws InputError with the nearest name.
const QueryLearner& find_query_learner(const std::string& name);

/// Runs the learner that `spec` names on an oracle. That a condition fails, that the budget is spent, that an
/// answer is not a number or that the run is stopped are outcomes: the report has what there is by then.
///
/// Throws InputError for an unknown learner or option, and for an oracle that cannot be asked what the
/// learner asks, with the reason.
Report query(const Spec& spec, ValueOracle& oracle, const Task& task, const RunContext& context = {});

/// The same for a learner in exact arithmetic.
Report query(const Spec& spec, ExactOracle& oracle, const Task& task, const RunContext& context = {});

}  // namespace hardhead::queries
