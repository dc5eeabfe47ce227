#include "study/sweep/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/statistics/median.h"
#include "base/text/seed.h"

namespace hardhead::study {
namespace {

template <class Field>
std::vector<double> column(const ComparisonRow& row, const Field& field) {
  std::vector<double> values;
  for (const RunResult& run : row.runs) values.push_back(field(run));
  return values;
}

std::optional<statistics::Interval> advantage_interval(const ComparisonRow& row) {
  std::vector<double> low, high;
  for (const RunResult& run : row.runs) {
    const double advantage = run.score.advantage;
    const auto interval = run.score.advantage_interval.value_or(statistics::Interval{advantage, advantage});
    if (std::isnan(interval.low) || std::isnan(interval.high)) continue;
    low.push_back(interval.low);
    high.push_back(interval.high);
  }
  if (low.empty()) return std::nullopt;
  const auto runs = static_cast<std::int64_t>(low.size());
  const auto rank =
      static_cast<std::size_t>(std::max<std::int64_t>(1, statistics::median_interval_rank(runs)));
  std::ranges::sort(low);
  std::ranges::sort(high);
  return statistics::Interval{low[rank - 1], high[high.size() - rank]};
}

void summarise(ComparisonRow& row) {
  for (const RunResult& run : row.runs) {
    row.degrees.add(run.score.degree);
    if (run.score.outcome == Outcome::stopped) ++row.stopped;
    if (run.score.heads_found && run.score.heads_found == run.problem.m) ++row.heads_right;
    if (!run.report.failed_phase.empty()) ++row.failed_phases[run.report.failed_phase];
    if (run.score.likely_cause) ++row.likely_causes[run.score.likely_cause->condition];
  }
  row.recovery_rate = statistics::clopper_pearson(row.degrees.recovered, row.degrees.total());
  row.learnt_rate = statistics::clopper_pearson(row.degrees.at_least_learnt(), row.degrees.total());
  row.advantage_interval = advantage_interval(row);
  row.test_error_median =
      statistics::median(column(row, [](const RunResult& r) { return r.score.test_error; }));
  row.null_error_median =
      statistics::median(column(row, [](const RunResult& r) { return r.problem.null_error; }));
  row.seconds_median = statistics::median(column(row, [](const RunResult& r) { return r.report.seconds; }));
  const std::vector<double> advantages = column(row, [](const RunResult& r) { return r.score.advantage; });
  row.advantage_median = statistics::median(advantages);
  if (advantages.empty()) return;
  row.advantage_min = *std::min_element(advantages.begin(), advantages.end());
  row.advantage_max = *std::max_element(advantages.begin(), advantages.end());
}

/// The runs of a comparison, and the rows that they belong to.
struct Layout {
  std::vector<ComparisonRow> rows;
  std::vector<RunRequest> runs;
  std::vector<std::size_t> row_of;  // of each run
};

Layout layout_of(const Plan& plan) {
  const std::vector<SourceSeries>& series = plan.sources;
  std::vector<std::vector<Source>> members(series.size());
  for (std::size_t s = 0; s < series.size(); ++s) {
    for (std::int64_t i = 0; i < plan.seeds; ++i)
      members[s].push_back(series[s].member(plan.first + i, plan.seed));
    (members[s].empty() ? series[s].member(0, plan.seed) : members[s].front()).resolve();
  }

  Layout out;
  std::map<std::string, std::size_t> first_row;  // of a label
  for (std::size_t s = 0; s < series.size(); ++s) {
    const auto [at, is_new] = first_row.try_emplace(series[s].label(), out.rows.size());
    for (std::size_t j = 0; is_new && j < plan.learners.size(); ++j) {
      ComparisonRow& row = out.rows.emplace_back();
      row.source = series[s].label();
      row.method = plan.learners[j].str();
    }
    for (std::size_t i = 0; i < members[s].size(); ++i)
      for (std::size_t j = 0; j < plan.learners.size(); ++j) {
        out.runs.push_back(
            plan.request(members[s][i], plan.learners[j], plan.first + static_cast<std::int64_t>(i)));
        out.row_of.push_back(at->second + j);
      }
  }
  return out;
}

}  // namespace

std::vector<ComparisonRow> rows_of(const std::vector<RunResult>& results) {
  std::vector<ComparisonRow> rows;
  std::map<std::pair<std::string, std::string>, std::size_t> known;
  for (const RunResult& run : results) {
    const learner::Task& task = run.request.task;
    std::string method = run.request.method.str();
    if (task.heads) method += fmt::format(", heads {}", *task.heads);
    if (task.examples) method += fmt::format(", examples {}", *task.examples);
    // Examples without a spec, a file's or the caller's, are a source of their own.
    const bool only_examples = run.problem.spec.empty() && !run.problem.digest.empty();
    const std::string source = only_examples ? run.problem.source : SourceSeries(run.problem.source).label();
    const auto [at, is_new] = known.try_emplace({source, method}, rows.size());
    if (is_new) {
      ComparisonRow& row = rows.emplace_back();
      row.source = source;
      row.method = method;
    }
    rows[at->second].runs.push_back(run);
  }
  for (ComparisonRow& row : rows) summarise(row);
  return rows;
}

RunRequest Plan::request(const Source& member, const learner::Learner& learner, std::int64_t number) const {
  RunRequest out{member, {.holdout = holdout, .truth = truth}, told_to(learner, run)};
  out.set_seed(seed_of_run(seed, number));
  return out;
}

Comparison compare(const Plan& plan, const RunContext& context) {
  return std::move(compare(std::span(&plan, 1), context).front());
}

std::vector<Comparison> compare(std::span<const Plan> plans, const RunContext& context) {
  std::vector<Layout> layouts = at_root(context, [&] {
    std::vector<Layout> all;
    for (const Plan& plan : plans) all.push_back(layout_of(plan));
    return all;
  });
  layouts.resize(plans.size());  // other ranks have none
  std::vector<RunRequest> runs;
  for (Layout& layout : layouts) std::ranges::move(layout.runs, std::back_inserter(runs));
  Executed done = execute(runs, plans.front().execution, context);

  std::vector<Comparison> out;
  auto result = done.results.begin();
  for (Layout& layout : layouts) {
    for (const std::size_t row : layout.row_of) {
      if (*result) layout.rows[row].runs.push_back(std::move(**result));
      ++result;
    }
    for (ComparisonRow& row : layout.rows) summarise(row);
    out.push_back({std::move(layout.rows), done.completion, done.undone});
  }
  return out;
}

}  // namespace hardhead::study
