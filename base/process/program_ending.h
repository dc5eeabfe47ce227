#pragma once
#include "base/process/guarded_process.h"

namespace hardhead {

/// Whether the machine ended a program of the user's, and not the program itself: a signal (also as a shell
/// reports it, 128 + its number), a program or an interpreter that is not there or cannot be executed (126,
/// 127), and last words that speak of memory, of a full disk or of MPI that did not start. Memory that a
/// limit of the run refused is the program's own affair.
bool ended_by_the_machine(const CommandEnding& ending, bool has_memory_limit);

}  // namespace hardhead
