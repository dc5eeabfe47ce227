#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/run/run_context.h"

namespace hardhead {

/// What a child runs: its answer in bytes; calls progress(fraction done) as it goes.
using ChildBody = std::function<std::string(const std::function<void(double)>& progress)>;

/// Runs `body` in a forked child process and returns its answer. For libraries that can abort, or block
/// without asking anyone (Clp, NTL, fplll): the run context is polled here every 20 ms, and a run that is
/// stopped kills the child.
///
/// The body sees this process's memory as it was at the call and changes none of it. It must not start
/// threads or parallel loops: only the calling thread exists in the child. Throws Stopped, also where the
/// body throws it; an Error with the text of any other exception of the body; a MachineError naming `phase`
/// where memory ran out, no process could be made, or the child ended without an answer (a library called
/// abort(), it was killed), with the signal.
std::string run_in_child(const ChildBody& body, const RunContext& context, std::string_view phase);

}  // namespace hardhead
