#pragma once
#include <string>

#include "base/run/run_context.h"
#include "base/text/spec.h"
#include "learner/learner.h"
#include "study/problem/problem.h"
#include "study/query/value_access.h"

namespace hardhead::study {

/// Is there a learner by value queries of this name (queries/learner.h)? No learner by examples has the same.
bool asks_values(const std::string& method);

/// A learner by value queries on the instance behind a problem.
struct ValueQuestion {
  const Problem& problem;     ///< with the instance behind it
  const Spec& learner;        ///< with its options
  const learner::Task& task;  ///< heads, seed and time limit count; there are no examples
  const ValueAccess& access;  ///< what it may ask
};

/// What became of it: a report like that of any learner, and what was asked. A step is a phase without
/// examples, with the measures `queries` and `tokens`.
struct ValueAnswer {
  learner::Report report;  ///< as of any learner
  ValuesUsed used;         ///< what was asked, and what was found that is not a layer
};

/// What ask() is predicted to need of an instance of this shape, which is there already: upper bounds. Throws
/// InputError for a learner of which that is not known before, and for unknown options.
learner::RunMemory predicted_memory(const Spec& learner, const hardness::InstanceShape& instance,
                                    const learner::Task& task);

/// Opens an oracle on the instance behind the problem and runs the learner. Labels of hard families are exact
/// rationals rounded once, at the X asked. A learner that finds what a family hides, and finds it all, is
/// given the family's layer as its own, since all else of it is public. That the budget is spent is an
/// outcome: the run was stopped.
///
/// Throws InputError: for a data file, which answers no queries; whatever queries::query() refuses.
ValueAnswer ask(const ValueQuestion& question, const RunContext& context);

}  // namespace hardhead::study
