#include <fmt/format.h>

#include "base/statistics/median.h"
#include "experiments/claims/registered_claims.h"
#include "experiments/niceness_rates.h"

namespace hardhead::experiments {
namespace {

Evidence perform_initialisations(const Setting& setting, const RunContext& context) {
  const std::int64_t seeds = setting.quick ? 5 : 100;
  const std::vector<int> sizes = {64, 128, 256, 512};
  Evidence out;
  out.table.columns = {"instance",
                       "condition",
                       "holds on",
                       "layers",
                       "value (median, worst head or pair)",
                       "constant at which it flips (median)"};
  report::Figure figure{"flips",
                        "The constant that each condition of the certificate would need",
                        {"d (eight heads)", true},
                        {"room: constant used over constant needed", true},
                        {},
                        {{"the condition flips", 1}}};
  std::string failing, open;
  out.verdict = report::Verdict::holds;
  double done = 0;
  for (const int d : sizes) {
    const std::string source = fmt::format("transformer:d={},m=8", d);
    context.progress.report("R10: " + source, done += 0.2);
    const NicenessRates rates = niceness_rates(source, setting.seed, seeds, std::nullopt, {}, context);
    std::size_t at = 0;
    for (const NicenessRate& rate : rates.conditions) {
      const double flip = statistics::median(rate.flips);
      out.table.add({source, rate.condition.name, fmt::format("{}", rate.holds),
                     fmt::format("{}", rate.holds + rate.fails),
                     fmt::format("{:.3g}", statistics::median(rate.values)), fmt::format("{:.3g}", flip)});
      if (d == sizes.front()) figure.curves.push_back({rate.condition.name, {}});
      figure.curves[at++].points.push_back(
          {static_cast<double>(d), rate.condition.at_least ? flip : 1 / flip});
      if (d != sizes.back() || !rate.condition.counts) continue;
      const report::Verdict verdict =
          report::at_least(statistics::clopper_pearson(rate.holds, rate.holds + rate.fails), 0.95);
      out.verdict = report::all_of({out.verdict, verdict});
      if (verdict == report::Verdict::holds) continue;
      std::string& list = verdict == report::Verdict::does_not_hold ? failing : open;
      list += fmt::format("{}{} (on {} of {})", list.empty() ? "" : ", ", rate.condition.name, rate.holds,
                          rate.holds + rate.fails);
    }
  }
  out.reason = failing.empty() ? "at d = 512 no condition fails" : "at d = 512 these fail: " + failing;
  if (!open.empty()) out.reason += "; not shown to hold on 95% of layers: " + open;
  out.figures.push_back(std::move(figure));
  return out;
}

}  // namespace

Experiment claims::initialisations() {
  return {
      .id = "R10",
      .title = "Standard initialisations are non-degenerate",
      .claim =
          "An open question: do the non-degeneracy conditions hold for the matrices that standard "
          "transformers start from?",
      .source =
          "Asked of Chen and Li, arXiv 2402.04084; conditions as read in hardness/niceness/niceness.h, "
          "constants 1",
      .method =
          "The niceness certificate of `transformer`: Xavier-uniform query, key, value and output maps, "
          "eight heads of d/8 features, scaled by 1/sqrt(d/8), d = 64 .. 512. "
          "100 layers each; quick: 5.",
      .criterion =
          "At d = 512 every condition, with constants 1, holds on at least 95% of layers, by the exact 95% "
          "interval of the share (72 layers of 72 at least).",
      .quick_seconds = 8,
      .full_seconds = 190,
      .perform = perform_initialisations};
}

}  // namespace hardhead::experiments
