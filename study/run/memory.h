#pragma once
#include "study/problem/source.h"
#include "study/run/run.h"

namespace hardhead::study {

/// What `--memory-limit` compares with: bytes that a process needs at most, the program itself included, with
/// the threads of the calling thread's arena. They are told by the shape of a source before it is made. Not
/// counted is the part of a data file that is read through the system's cache.
///
///     opening   the instance, what its labels take in each thread, the null predictor
///     a run     the instance, what its labels take, and the most of: the null predictor; the learner's
///               arrays and its report; the report and the score
///
/// Each part is said beside the code that allocates: hardness::InstanceShape, learner::Learner, and the
/// functions of study/ whose names end in _bytes.
double opening_bytes(const SourceShape& source);
/// The same for a run. Throws InputError as run() does, and for a learner by value queries of which nothing
/// is predicted.
double predicted_bytes(const SourceShape& source, const RunOptions& options);

/// Throws BudgetError if the run of a source is predicted to need more than its limit, before the source is
/// made where a spec names it. Throws InputError as Source::shape() and run() do.
void check_memory(const Source& source, const RunOptions& options);
/// The same of a problem that is open.
void check_memory(const Problem& problem, const RunOptions& options);
/// Throws BudgetError if a source alone is predicted to need more to be opened.
void check_opening(const Source& source, const RunOptions& options);

}  // namespace hardhead::study
