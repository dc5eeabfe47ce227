#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/run/run_context.h"
#include "lwe/problem/parameters.h"
#include "study/best/best_shot.h"
#include "study/figure/figure.h"
#include "study/report/finding.h"
#include "study/report/table.h"
#include "study/sweep/compare.h"

/// The claims of the paper and of the talk on it, each as an experiment: one file, and one line in
/// registered_claims.h.
namespace hardhead::experiments {

/// How an experiment is carried out.
struct Setting {
  bool quick = false;      ///< smaller sizes and fewer seeds: all experiments in under 15 minutes on 2 cores
  std::uint64_t seed = 1;  ///< of the first layer and its examples; others have seed + 1, seed + 2, ..
  int jobs = 1;            ///< runs of learners at the same time
  std::optional<study::JournalFile> journal{};  ///< runs of learners that are done
};

/// What an experiment found.
struct Evidence {
  report::Verdict verdict = report::Verdict::inconclusive;  ///< what the criterion says
  std::string reason;                                       ///< the numbers that decide the criterion
  std::vector<report::Figure> figures;                      ///< drawn for it
  report::Table table;                                      ///< all numbers
  report::Table fits{};   ///< fits_table() of the laws that were fitted; no rows: none
  report::Table costs{};  ///< study::costs_table() of all runs, written as costs.csv; no columns: none
};

/// A claim, and how it is tested.
struct Experiment {
  std::string id;         ///< "R1"
  std::string title;      ///< one line
  std::string claim;      ///< what is said
  std::string source;     ///< who claims it, and where
  std::string method;     ///< what is done, and in what the quick setting differs
  std::string criterion;  ///< when the claim holds; docs/claims.md says which were revised after a run
  double quick_seconds = 0, full_seconds = 0;              ///< on 2 cores
  Evidence (*perform)(const Setting&, const RunContext&);  ///< carries it out
};

/// All of them, R1 first.
std::span<const Experiment> experiments();

/// The rows of compare() with the setting's seed, journal and jobs. Throws Stopped when it was stopped from
/// outside.
std::vector<study::ComparisonRow> compared(const study::Plan& plan, const Setting& setting,
                                           const RunContext& context);

/// The rows of several plans, plan by plan; their runs are carried out as one comparison.
std::vector<std::vector<study::ComparisonRow>> compared(std::vector<study::Plan> plans,
                                                        const Setting& setting, const RunContext& context);

/// For an experiment that is one call of compared(): the progress of its runs is that of the experiment.
RunContext whole_experiment(const std::string& id, const RunContext& context);

/// The fewest seeds that can show that at least 90% recover, if all of them do: the exact 95% interval of 36
/// of 36 begins at 0.903, that of 35 of 35 just below 0.9. They can also show that at most 10% do.
inline constexpr std::int64_t seeds_for_ninety_percent = 36;

/// "SPEC,seed=7".
std::string with_seed(const std::string& spec, std::uint64_t seed);
/// The first `count` seeds of a setting.
std::vector<std::uint64_t> seeds_of(const Setting& setting, std::int64_t count);

/// The attacks of lwe/ on examples of rounding layers.
struct AttackedLayers {
  std::int64_t solved = 0;        ///< layers whose secret was found
  std::string method{};           ///< the last attack that found one; empty: none did
  std::vector<double> seconds{};  ///< of all that was tried, for each layer
};
/// Attacks the layers of the first seeds, each from so many examples, the cheapest attack that works.
AttackedLayers attack_layers(const std::string& spec, std::int64_t seeds, std::int64_t examples,
                             const Setting& setting, const RunContext& context);

/// The ladder for a best shot on as many fresh layers: 240 s, quick: 8.
study::BestShotOptions ladder_of(const Setting& setting, std::int64_t seeds);

/// Examples after which the posterior gives what is hidden probability 1/2, one number a draw, of seeds
/// first, first + 1, .. The switch is on in half of all examples, so that a sample is counted as two of them.
/// Throws as lwe::samples_to_determine().
std::vector<double> draw_information(const lwe::ProblemParameters& parameters, std::uint64_t first,
                                     std::int64_t draws, const StopToken& stop);

/// The interval of a median over seeds (base/statistics/median.h), without ends where they are too few.
statistics::Interval median_known(const std::vector<double>& values);
/// "3.1 (2.9 .. 3.3)": the median and that interval, or "3.1 (too few seeds for an interval)".
std::string median_text(const std::vector<double>& values);

}  // namespace hardhead::experiments
