#pragma once

/// What every floor of hardhead stands on. Nothing here knows of attention layers. These are the things that
/// make results reproducible, exact where a comment says so, and failures readable.
///
///     error.h   what a caller gets when a call cannot be carried out: Error, InputError, BudgetError
///     text/     specs (`name:key=value,..`), tables that bind options to structs (option_table.h has
///               an example), names of enumerations, JSON that anyone may have written
///     files/    a file that appears whole or not at all, digests, folders that one process holds at a time
///     numeric/  random numbers as a function of their address, rationals, the Walsh-Hadamard transform
///     run/      stopping and watching a long run; loops and sums whose results do not depend on the
///               number of threads or processes
///     process/  processes that can be killed, for calls that may abort or block and for programs of the user
///
/// Random numbers are addressed, so that any thread can make any of them:
///
///     const Stream stream(Domain::samples, seed);
///     std::vector<double> x(20);
///     stream.signs(7, x);         // example 7, the same wherever and whenever it is drawn
///
/// Sums over a stream are joined in a tree that depends on their length only:
///
///     const double total = deterministic_reduce(
///         count, 64, 0.0, [&](double& sum, std::int64_t n) { sum += f(n); },
///         [](double& left, double right) { left += right; });

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/files/digest.h"
#include "base/files/folder_lock.h"
#include "base/files/mapped_file.h"
#include "base/files/scoped_path.h"
#include "base/files/temporary_folder.h"
#include "base/numeric/random.h"
#include "base/numeric/rational.h"
#include "base/process/child_process.h"
#include "base/process/guarded_process.h"
#include "base/run/communicator.h"
#include "base/run/gather_work.h"
#include "base/run/parallel.h"
#include "base/run/run_context.h"
#include "base/run/shared_reduce.h"
#include "base/text/enum_names.h"
#include "base/text/json.h"
#include "base/text/json_object.h"
#include "base/text/option_table.h"
#include "base/text/parameters.h"
#include "base/text/quoted.h"
#include "base/text/spec.h"
