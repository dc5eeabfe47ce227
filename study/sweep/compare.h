#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/statistics/binomial_interval.h"
#include "study/problem/source.h"
#include "study/report/json.h"
#include "study/sweep/execute.h"

namespace hardhead::study {

/// Learners on series of sources over seeds: what `compare`, `best`, `fewest`, the atlas and the claims have
/// run.
///
/// Run i = first, first + 1, .. of a spec is on the instance whose `seed` is the spec's own (or `seed` if it
/// gives none) plus i, with examples and a learner of seed `seed` + i. Files stay as they are, and so do the
/// instances of a suite.
struct Plan {
  std::vector<SourceSeries> sources{};       ///< specs, files, entries of suites
  std::vector<learner::Learner> learners{};  ///< bound to their options
  std::int64_t seeds = 1;                    ///< runs of each pair
  std::int64_t first = 0;                    ///< number of the first run
  std::uint64_t seed = 1;  ///< of run 0: its examples, its learner, and an instance without one
  double holdout = ProblemOptions{}.holdout;  ///< of data files
  std::optional<std::string> truth{};         ///< of data files: a layer file to compare with
  RunOptions run{};                           ///< of all runs, but for the learner and its seed
  ExecuteOptions execution{};                 ///< journal and jobs

  /// Run `number` of a learner on the member of a series that is `number` after its first.
  RunRequest request(const Source& member, const learner::Learner& learner, std::int64_t number) const;
};

/// All runs of one method on sources that are the same but for their seed. Medians and extremes are taken
/// over the runs.
struct ComparisonRow {
  std::string source;            ///< a spec without its seed, or a file
  std::string method;            ///< its spec, and what was told to the learner where that tells rows apart
  std::vector<RunResult> runs;   ///< without their layers
  DegreeCounts degrees;          ///< runs by how well the layer was learnt
  std::int64_t stopped = 0;      ///< runs that were stopped; they have a degree as well
  std::int64_t heads_right = 0;  ///< runs that end with the true number of heads, where that is known
  statistics::Interval recovery_rate;  ///< exact 95% interval, of the degree `recovered`
  statistics::Interval learnt_rate;    ///< exact 95% interval, of `learnt` or `recovered`
  double test_error_median = 0;        ///< Score::test_error
  double null_error_median = 0;        ///< ProblemSummary::null_error
  double seconds_median = 0;           ///< learner::Report::seconds
  double advantage_median = 0, advantage_min = 0, advantage_max = 0;  ///< Score::advantage
  /// Of the median advantage, over test examples and seeds: from the r-th smallest low end to the r-th
  /// largest high end of the runs' intervals (the advantage itself where a run has none). r is
  /// median_interval_rank(runs), at 95%, and 1 for fewer than 6 runs: from the smallest low end to the
  /// largest high end, which over the seeds covers 1 - 2^(1-runs) only. Of one run it is the run's own.
  /// Runs without a number are left out; empty if there are no others.
  std::optional<statistics::Interval> advantage_interval{};
  std::map<std::string, std::int64_t> failed_phases;  ///< how many runs failed in each phase
  std::map<std::string, std::int64_t> likely_causes;  ///< of runs not recovered, by condition
};

/// As `compare --json` has it. One number that stands for all runs is their median.
template <class Visit>
void describe(Visit& visit, const ComparisonRow*) {
  using R = ComparisonRow;
  visit("instance", &R::source);
  visit("method", &R::method);
  visit("told", [](const R& row) {
    return row.runs.empty() ? learner::Told::unknown : row.runs.front().request.method.told();
  });
  visit("runs", [](const R& row) { return row.runs.size(); });
  visit("recovered", &R::degrees, &DegreeCounts::recovered);
  visit("degrees.recovered", &R::degrees, &DegreeCounts::recovered);
  visit("degrees.learnt", &R::degrees, &DegreeCounts::learnt);
  visit("degrees.partly", &R::degrees, &DegreeCounts::partly);
  visit("degrees.nothing", &R::degrees, &DegreeCounts::nothing);
  visit("degrees.unknown", &R::degrees, &DegreeCounts::unknown);
  visit("stopped", &R::stopped);
  visit("heads_right", &R::heads_right);
  visit("recovery_interval", &R::recovery_rate);
  visit("learnt_interval", &R::learnt_rate);
  visit("test_error", &R::test_error_median);
  visit("null_error", &R::null_error_median);
  visit("advantage.median", &R::advantage_median);
  visit("advantage.min", &R::advantage_min);
  visit("advantage.max", &R::advantage_max);
  visit("advantage.interval", &R::advantage_interval);
  visit("failed_phases", &R::failed_phases);
  visit("likely_causes", &R::likely_causes);
  visit("seconds", &R::seconds_median);
  visit("results", &R::runs);
}

/// The results of a plan, row by row.
struct Comparison {
  std::vector<ComparisonRow> rows;               ///< source by source, method by method
  Completion completion = Completion::complete;  ///< elsewhere: there are no rows on this rank
  std::vector<UndoneRun> undone{};               ///< of all plans that were carried out with it
};

/// The document that `compare --json` prints.
template <class Visit>
void describe(Visit& visit, const Comparison*) {
  visit("schema", [](const Comparison&) { return report::schema("comparison"); });
  visit("rows", &Comparison::rows);
  visit("interrupted", [](const Comparison& c) { return c.completion == Completion::interrupted; });
  visit("undone", [](const Comparison& c) { return c.undone.size(); });
}

/// Every learner on every source over the plan's seeds; execute() says what becomes. Every spec and method is
/// checked before the first run. Throws as open_problem() and run().
Comparison compare(const Plan& plan, const RunContext& context);

/// Several plans carried out as one, so that progress and the time left are those of all their runs; how they
/// are executed is up to the first. The results are in the order of the plans.
std::vector<Comparison> compare(std::span<const Plan> plans, const RunContext& context);

/// Runs of the same source (but for its seed), method, heads told and examples allowed make a row, in the
/// order in which they first come. Heads and examples are part of the method's label where they were given.
std::vector<ComparisonRow> rows_of(const std::vector<RunResult>& results);

}  // namespace hardhead::study
