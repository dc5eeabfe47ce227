#pragma once
#include <string>

#include "study/run/run.h"

namespace hardhead::app {

/// A run as `learn` prints it: the table of its phases, how well the layer was learnt, errors, and
/// what was used.
std::string run_text(const study::RunResult& result);

/// Writes the layer that a run found, with where it comes from. Throws InputError if it cannot be written.
void save_learnt(const std::string& path, const study::RunResult& result);

}  // namespace hardhead::app
