#pragma once
#include <span>
#include <string>
#include <vector>

#include "base/run/run_context.h"
#include "report/figure.h"
#include "report/finding.h"
#include "report/table.h"
#include "study/sweep/compare.h"

/// The claims of the paper and of the talk on it, each as an experiment: one file, and one line in the
/// registry (reproduce.cc).
namespace hardhead::experiments {

/// How an experiment is carried out.
struct Setting {
  bool quick = false;     ///< smaller sizes and fewer seeds: all experiments in under 15 minutes on 2 cores
  int jobs = 1;           ///< runs of learners at the same time
  std::string journal{};  ///< runs of learners that are done (journal.h)
};

/// What an experiment found.
struct Evidence {
  report::Verdict verdict = report::Verdict::inconclusive;  ///< what the criterion says
  std::string reason;                                       ///< the numbers that decide the criterion
  std::vector<report::Figure> figures;                      ///< drawn for it
  report::Table table;                                      ///< all numbers
};

/// A claim, and how it is tested.
struct Experiment {
  std::string id;         ///< "R1"
  std::string title;      ///< one line
  std::string claim;      ///< what is said
  std::string source;     ///< who claims it, and where
  std::string method;     ///< what is done, and in what the quick setting differs
  std::string criterion;  ///< when the claim holds; docs/claims.md says which were revised after a run
  double quick_seconds = 0, full_seconds = 0;              ///< on 2 cores of the machine of docs/results.md
  Evidence (*perform)(const Setting&, const RunContext&);  ///< carries it out
};

/// All of them, R1 first.
std::span<const Experiment> experiments();

/// The rows of compare() with the setting's journal and jobs. Throws Stopped when it was stopped from
/// outside.
std::vector<study::ComparisonRow> compared(study::ComparisonPlan plan, const Setting& setting,
                                           const RunContext& context);

namespace claims {
Experiment w_sum_error();            // R1
Experiment softmax_concentration();  // R2
Experiment acceptance();             // R3
Experiment hull_error();             // R4
Experiment large_margins();          // R5
Experiment cost_in_heads();          // R6
Experiment query_lower_bound();      // R7
Experiment lwe_family();             // R8
Experiment path_to_hard();           // R9
Experiment initialisations();        // R10
Experiment structured_patterns();    // R11
Experiment input_distributions();    // R12
Experiment broken_assumptions();     // R13
}  // namespace claims

}  // namespace hardhead::experiments
