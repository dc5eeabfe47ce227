#pragma once
#include <string>
#include <vector>

#include "study/reproduce/experiment.h"

namespace hardhead::study {

/// Which experiments, and where what they find goes.
struct ReproduceOptions {
  std::vector<std::string> ids{};  ///< of experiments; empty: all
  std::string folder;              ///< made if it is not there
  bool quick = false;              ///< Setting::quick
  int jobs = 1;                    ///< runs of learners at the same time
  std::string command{};           ///< what the findings say they were made by
};

/// What was found.
struct Reproduction {
  std::vector<Finding> findings;  ///< of the folder, R1 first: those asked for and others that were there
  int performed = 0;              ///< now; others asked for were there already
  bool interrupted = false;       ///< `control` was stopped
};

/// Carries out experiments and writes, each as soon as it is done,
///
///     folder/verdicts.json           finding.h
///     folder/R1/NAME.svg, NAME.pdf   its figures
///     folder/R1/table.csv            its table
///     folder/journal.jsonl           runs of learners: an experiment that was cut off goes on from them
///
/// An experiment of the same setting and version whose finding is there is not done again. Announces how long it will take
/// and each verdict. Throws InputError: unknown id, a folder that cannot be written
/// or that another process works in, gnuplot is missing.
Reproduction reproduce(const ReproduceOptions& options, const RunControl& control);

}  // namespace hardhead::study
