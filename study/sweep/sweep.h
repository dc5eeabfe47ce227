#pragma once
#include <span>
#include <string>
#include <vector>

#include "study/sweep/execute.h"

namespace hardhead::study {

/// A study that a TOML file describes: grids of sources, methods and options, over seeds.
///
///     seeds = 20                                  # of each point; also: first_seed, recovery,
///                                                 # time_limit (seconds, usual_time_limit if not said),
///                                                 # memory_limit (bytes), holdout;
///                                                 # tolerance, budget (value queries);
///                                                 # each of them can be set in a grid, too
///     [[grid]]
///     source = ["nice", "parity"]                 # families or files, or "suite:NAME" (suite.h) alone
///     parameters = { d = [16, 32], m = [1, 2] }   # of the families; a list is an axis of the grid
///     method = ["sculpt", "gauss-newton"]
///     options = { max_heads = 4 }                 # of the methods; an axis, too
///     heads = ["estimated", "told", 3]            # what the learner is told; "told": the true number
///     examples = [10000, 100000]                  # 0: the learner's default
///
/// Only `source` must be there. Run i of a point of the grid has seed first_seed + i: of the instance, its
/// examples and the learner. A suite's instances are taken as they are, so there it is the seed of examples
/// and learner, and `parameters` are refused. A value of a parameter or an option is one value: it has no ','
/// and no '='.
///
/// Every file is opened, every spec and every method is checked. Throws InputError naming the file and the
/// line. A point whose parameters do not fit together shows when its run opens it (BadPoint). `own`: learners
/// that the file may name besides the library's.
std::vector<RunRequest> read_sweep(const std::string& path, std::span<const learner::Learner> own = {});

/// Most runs that a file may ask for.
inline constexpr std::int64_t most_runs = 1'000'000;

}  // namespace hardhead::study
