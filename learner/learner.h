#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "attention/sample_source.h"
#include "base/parameters.h"
#include "base/run_control.h"
#include "base/spec.h"
#include "learner/observer.h"
#include "learner/report.h"

namespace hardhead::learner {

/// What every learner is told besides its examples.
struct Task {
  std::optional<attention::Index> heads;  ///< m, where the caller states it; estimated otherwise
  std::optional<std::int64_t> examples;   ///< at most this many distinct examples; else the learner's default
  std::uint64_t seed = 1;                 ///< of the learner's own randomness (Domain::learner)
  std::optional<double> memory_limit_bytes;  ///< a run predicted to exceed it is refused
};

/// A learner: one file, and one line in the registry (learner.cc).
struct Method {
  std::string name;
  std::string summary;
  std::string guarantee;              ///< what is proved about it, or "heuristic"
  std::vector<Parameter> parameters;  ///< its options, as in `--method sculpt:rows=4000`
  /// Distinct examples it uses when the task does not say.
  std::int64_t (*default_examples)(attention::Index d, attention::Index k);
  Report (*run)(const attention::SampleSource&, const Task&, const Parameters&, const RunControl&, Observer*);
};

/// All learners, in the order they are listed.
std::span<const Method> methods();

/// The method of that name. Throws InputError with the nearest name.
const Method& find_method(const std::string& name);

/// Runs the method that `spec` names with its options, on the source's examples and nothing else.
///
/// Throws InputError for an unknown method or option, k = 1 (a single token's attention is constant), or
/// fewer examples than the counting bound 2 m d^2 / (k d) (m = 1 if not stated); BudgetError if the
/// predicted memory exceeds the limit. `observer` may be null.
Report learn(const Spec& spec, const attention::SampleSource& source, const Task& task,
             const RunControl& control, Observer* observer);

/// Least number of examples that can determine a layer: ceil(2 m d^2 / (k d)), unknowns over numbers an
/// example gives.
std::int64_t counting_bound(attention::Index d, attention::Index k, attention::Index m);

}  // namespace hardhead::learner
