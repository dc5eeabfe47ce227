#pragma once

/// What every floor of hardhead stands on. No attention layer here: these are the things that make a result
/// reproducible, exact where it says so, and a failure readable.
///
///     error.h         what a caller gets when a call cannot be carried out: Error, InputError, BudgetError
///     spec.h          `name:key=value,...`, as written on the command line
///     parameters.h    a spec checked against a table of parameters: defaults, ranges, canonical form
///     random.h        Philox4x64-10: random number (item, block) of a stream is a function, not a state
///     rational.h      p/q over GMP, and the one correct rounding to double
///     digest.h        SHA-256, for identities
///     parallel.h      loops and sums whose results do not depend on the number of threads
///     run_control.h   stop flag, deadline, progress
///     team.h          processes that share a run's work; shared_reduce.h: sums over all of them
///     child_process.h a call that may abort or block, in a process that can be killed
///     atomic_file.h   a file that appears whole or not at all
///     unfinished.h    what is removed with its owner, or when the process is ended; temporary_folder.h
///     json.h          JSON that anyone may have written; shown.h: such text in a message
///     folder_lock.h   one process at a time in a folder
///     external_command.h  a program of the user's
///
/// A spec becomes values in two steps; a misspelt key or a value out of range is an InputError that says so:
///
///     const std::vector<Parameter> table = {Parameter::integer("d", 16, 2, 512, "features"),
///                                           Parameter::real("noise", 0, 0, 1, "standard deviation")};
///     const Parameters values(Spec::parse("toy:d=20"), table);
///     values.integer("d");        // 20
///     values.canonical().str();   // "toy:d=20,noise=0"
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

#include "base/atomic_file.h"
#include "base/child_process.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/external_command.h"
#include "base/folder_lock.h"
#include "base/json.h"
#include "base/parallel.h"
#include "base/parameters.h"
#include "base/random.h"
#include "base/rational.h"
#include "base/run_control.h"
#include "base/shared_reduce.h"
#include "base/shown.h"
#include "base/spec.h"
#include "base/team.h"
#include "base/temporary_folder.h"
#include "base/unfinished.h"
