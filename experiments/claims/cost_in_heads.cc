#include <fmt/format.h>

#include "experiments/claims/experiment.h"
#include "statistics/growth.h"
#include "study/sweep/fewest_examples.h"

namespace hardhead::experiments {
namespace {

struct Learner {
  std::string method;
  bool sculpts;
  std::int64_t least, most;  // examples tried
  int heads;                 // up to this many
};

std::vector<Learner> learners_of(const Setting& setting) {
  if (setting.quick)
    return {{"paper", true, 12'500, 25'000, 2},
            {"sculpt", true, 12'500, 400'000, 4},
            {"gauss-newton", false, 100, 3'200, 4},
            {"adam", false, 100, 12'800, 4},
            {"lbfgs", false, 100, 12'800, 4}};
  return {{"paper", true, 12'500, 100'000, 3},
          {"sculpt", true, 3'125, 3'200'000, 5},
          {"gauss-newton", false, 100, 12'800, 6},
          {"adam", false, 100, 102'400, 6},
          {"lbfgs", false, 100, 102'400, 6}};
}

study::Reached reached_by(const Learner& learner, const std::string& source, int m, int seeds,
                          const Setting& setting, const RunContext& context) {
  // The polish recovers from any hull: what the algorithm itself needs is a hull near the heads.
  const study::Goal goals[] = {learner.sculpts ? study::reaches("hull_refined", "hull_distance", 0.1)
                                               : study::Goal(study::recovers)};
  return study::fewest_examples({.source = source,
                                 .method = Spec::parse(learner.method),
                                 .seed = setting.seed,
                                 .seeds = seeds,
                                 .least = learner.least,
                                 .most = learner.most,
                                 .heads = m,
                                 .execution = {setting.journal, setting.jobs}},
                                goals, context)
      .front();
}

report::Verdict verdict_of(const statistics::Growth& growth) {
  using Prefers = statistics::Growth::Prefers;
  if (growth.prefers == Prefers::exponential && growth.exponential.rate.interval.low > 0)
    return report::Verdict::holds;
  return growth.prefers == Prefers::power ? report::Verdict::does_not_hold : report::Verdict::inconclusive;
}

Evidence perform_cost_in_heads(const Setting& setting, const RunContext& context) {
  const int seeds = setting.quick ? 2 : 5;
  Evidence out;
  out.table.columns = {"instance", "learner", "seeds", "examples", "seconds (median)"};
  report::Figure examples{"examples",
                          "Fewest examples, among doublings, that do on all seeds (d = 16, k = 2)",
                          {"heads m"},
                          {"examples", true},
                          {}},
      seconds{"seconds", "Seconds of a run on that many (d = 16, k = 2)", {"heads m"}, {"seconds", true}, {}};
  double done = 0;
  for (const Learner& learner : learners_of(setting)) {
    report::FigureCurve needed{learner.method, {}}, taken{learner.method, {}};
    std::vector<statistics::GrowthPoint> by_examples, by_seconds;
    for (int m = 1; m <= learner.heads; ++m) {
      context.progress.report(fmt::format("R6: {}, m = {}", learner.method, m), done);
      const std::string source = fmt::format("nice:d=16,k=2,m={}", m);
      const study::Reached reached = reached_by(learner, source, m, seeds, setting, context);
      const bool met = reached.examples > 0;
      out.table.add({source, learner.method, fmt::format("{}", seeds),
                     met ? fmt::format("{}", reached.examples) : fmt::format("more than {}", learner.most),
                     met ? fmt::format("{:.3g}", reached.seconds) : "-"});
      done += 0.2 / learner.heads;
      if (!met) continue;
      needed.points.push_back({static_cast<double>(m), static_cast<double>(reached.examples)});
      taken.points.push_back({static_cast<double>(m), reached.seconds});
      by_examples.push_back({static_cast<double>(m), {static_cast<double>(reached.examples)}});
      by_seconds.push_back({static_cast<double>(m), {reached.seconds}});
    }
    if (by_examples.size() >= 4) {
      const statistics::Growth growth = statistics::fit_growth(by_examples);
      out.reason += fmt::format("{}{}: examples {}, seconds {}", out.reason.empty() ? "" : "; ",
                                learner.method, growth.str("m"), statistics::fit_growth(by_seconds).str("m"));
      if (learner.method == "sculpt") out.verdict = verdict_of(growth);
    }
    examples.curves.push_back(std::move(needed));
    seconds.curves.push_back(std::move(taken));
  }
  out.figures = {std::move(examples), std::move(seconds)};
  return out;
}

}  // namespace

Experiment claims::cost_in_heads() {
  return {
      .id = "R6",
      .title = "What the number of heads costs on nice layers",
      .claim =
          "The algorithm takes (dk)^{O(m^3)} time and examples, exponential in the number of heads m; its "
          "rows come with probability eps^((m-1)(k-1)). Nothing is claimed of the other learners.",
      .source = "Chen and Li, arXiv 2402.04084, main theorem",
      .method =
          "The fewest examples, among doublings, on nice:d=16,k=2, told the number of heads, and the median "
          "seconds to there: for paper and sculpt until the refined hull is within a tenth of every Theta_i "
          "(relative; the net and the polish that follow would recover from a worse hull too), for the "
          "others until the layer is recovered, on all seeds. Power law and exponential side by side. m = 1 "
          ".. 6 where feasible, 5 seeds; quick: 2, m up to 4.",
      .criterion =
          "Examples that sculpt needs against m are fitted better by e^(rate m), rate above 0 with its 95% "
          "interval, than by a power of m, in at least 95% of the resamples of the noise; it does not hold "
          "if "
          "the power law is in as many.",
      .quick_seconds = 120,
      .full_seconds = 5000,
      .perform = perform_cost_in_heads};
}

}  // namespace hardhead::experiments
