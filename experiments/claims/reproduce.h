#pragma once
#include <string>
#include <vector>

#include "experiments/experiment.h"
#include "study/figure/figure.h"

namespace hardhead::experiments {

/// Which experiments are carried out, and where their findings are written.
struct ReproduceOptions {
  std::vector<std::string> ids{};  ///< of experiments; empty: all
  std::string folder;              ///< made if it is not there
  bool quick = false;              ///< Setting::quick
  std::uint64_t seed = 1;          ///< Setting::seed
  int jobs = 1;                    ///< runs of learners at the same time
  report::FigureStyle style{};     ///< of the figures
  std::string command{};           ///< the command by which the findings say they were made
};

/// The findings of a folder.
struct Reproduction {
  std::vector<report::Finding> findings;  ///< R1 first: those asked for and others that were there before
  int performed = 0;         ///< experiments carried out now; the others asked for were there already
  bool interrupted = false;  ///< `context` was stopped
};

/// Carries out experiments and writes, each as soon as it is done,
///
///     folder/verdicts.json           finding.h
///     folder/R1/NAME.svg, NAME.pdf   its figures
///     folder/R1/table.csv            its table
///     folder/journal.jsonl           runs of learners: an experiment that was cut off goes on from them
///
/// An experiment is not repeated if the folder has its finding of the same setting, seed and version.
/// Announces how long it will take and each verdict. Throws InputError: unknown id, a folder that cannot be
/// written or in which another process works, gnuplot is missing.
Reproduction reproduce(const ReproduceOptions& options, const RunContext& context);

}  // namespace hardhead::experiments
