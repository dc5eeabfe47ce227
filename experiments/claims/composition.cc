#include <fmt/format.h>

#include <algorithm>

#include "experiments/claims/registered_claims.h"
#include "study/results/run_tables.h"
#include "study/results/sweep_figures.h"

namespace hardhead::experiments {
namespace {

struct BlockSize {
  int d, m, width;

  std::string spec() const { return fmt::format("block:d={},k=2,m={},width={}", d, m, width); }
};

study::Plan told_heads(const BlockSize& size, const std::vector<const char*>& learners, std::int64_t seeds) {
  constexpr double most_seconds = 60;
  study::Plan plan{.sources = {size.spec()}, .learners = {}, .seeds = seeds};
  for (const char* learner : learners) plan.learners.push_back(Spec::parse(learner));
  plan.run.task.heads = size.m;
  plan.run.task.time_limit_seconds = most_seconds;
  return plan;
}

Evidence perform_composition(const Setting& setting, const RunContext& context) {
  const std::int64_t seeds = setting.quick ? 3 : 20;
  std::vector<BlockSize> by_values, by_examples{{4, 1, 4}, {6, 1, 6}};
  for (const int m : setting.quick ? std::vector{1, 2} : std::vector{1, 2, 3, 4})
    by_values.push_back({16, m, 16});
  if (!setting.quick)
    for (const BlockSize& size : {BlockSize{8, 1, 8}, {8, 2, 8}}) by_examples.push_back(size);

  std::vector<study::Plan> plans;
  for (const BlockSize& size : by_values) plans.push_back(told_heads(size, {"compose"}, seeds));
  for (const BlockSize& size : by_examples)
    plans.push_back(told_heads(size, {"network-newton", "adam:width=32,steps=4000"}, seeds));
  for (const BlockSize& size : by_examples) plans.push_back(told_heads(size, {"gauss-newton", "sculpt"}, 3));
  const auto done = compared(std::move(plans), setting, whole_experiment("R19", context));

  Evidence out;
  out.verdict = report::Verdict::holds;
  report::Figure figure{"learnt",
                        "One-layer transformers from examples (k = 2)",
                        {"d, heads, units", false, {}, {}},
                        {"share learnt", false, 0, 1}};
  std::vector<study::ComparisonRow> all;
  const auto decide = [&](report::Verdict verdict) { out.verdict = report::all_of({out.verdict, verdict}); };
  for (std::size_t i = 0; i < done.size(); ++i) {
    const study::ComparisonRow& decides = done[i].front();
    const bool values = i < by_values.size(), heads_alone = i >= by_values.size() + by_examples.size();
    if (values) decide(report::at_least(decides.recovery_rate, 0.8));
    if (!values && !heads_alone) {
      decide(report::at_least(decides.learnt_rate, 0.5));
      const BlockSize& size = by_examples[i - by_values.size()];
      figure.x.names.push_back(fmt::format("{}, {}, {}", size.d, size.m, size.width));
    }
    for (const study::ComparisonRow& row : done[i]) {
      all.push_back(row);
      out.reason +=
          fmt::format("{}{} by {}: {}, test error {:.2g} in the median", out.reason.empty() ? "" : "; ",
                      row.source, row.method, row.degrees.str(), row.test_error_median);
      for (const auto& [phase, runs] : row.failed_phases)
        if (heads_alone) out.reason += fmt::format(", {} failed in {}", runs, phase);
      if (values) continue;
      auto curve = std::ranges::find(figure.curves, row.method, &report::FigureCurve::label);
      if (curve == figure.curves.end())
        curve =
            figure.curves.insert(figure.curves.end(), {row.method, {}, report::FigureCurve::Style::points});
      const std::size_t place = (i - by_values.size()) % by_examples.size();
      curve->points.push_back(study::learnt_point(static_cast<double>(place), row));
    }
  }
  out.figures.push_back(std::move(figure));
  out.table = study::rows_table(all);
  return out;
}

}  // namespace

Experiment claims::composition() {
  return {
      .id = "R19",
      .title = "What is known of networks and of attention composes",
      .claim =
          "An open question: do the theories of learning networks and of learning attention compose, so that "
          "a one-layer transformer is learnt as its parts are?",
      .source =
          "Asked in the talk on Chen and Li, arXiv 2402.04084; answered for one head and value queries by "
          "arXiv 2601.16873, without code",
      .method =
          "Family block with a residual, k = 2, 20 seeds, learners told m, 60 s a run. By values: compose at "
          "d = 16, m = 1 .. 4, 16 units. By examples: network-newton, and beside it, with no part in the "
          "criterion, adam with a network of 32 units, and on 3 seeds gauss-newton and sculpt, which know "
          "of heads alone; (d, m, units) = (4, 1, 4), (6, 1, 6), (8, 1, 8), (8, 2, 8). Quick: 3 seeds, two "
          "sizes of each.",
      .criterion =
          "By values at least 80% of the layers of each m are recovered; by examples network-newton learns "
          "at least half of those of each size. By exact 95% intervals of the shares.",
      .quick_seconds = 100,
      .full_seconds = 2400,
      .perform = perform_composition};
}

}  // namespace hardhead::experiments
