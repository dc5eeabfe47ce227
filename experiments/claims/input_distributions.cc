#include <fmt/format.h>

#include <limits>

#include "experiments/claims/registered_claims.h"
#include "study/sweep/examples_search.h"

namespace hardhead::experiments {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// What is to be reached on all seeds, and its name.
struct Goals {
  std::vector<study::Goal> goals = {study::recovers};
  std::vector<std::string> names = {"recovered"};
};

Goals goals_of(const std::string& method) {
  Goals out;
  if (method != "sculpt") return out;
  out.goals.push_back(study::reaches("net", "test_error", 1e-3));
  out.names.emplace_back("test error 1e-3 before the polish");
  return out;
}

// Widens the interval of how many times as many examples one of the points needs as another. What is needed
// lies between the doubling that did and the one before, of which there is none at the least tried.
void widen(statistics::Interval& apart, const report::FigureCurve& points, std::int64_t least_tried) {
  const auto [least, largest] = std::ranges::minmax(points.points, {}, &report::FigurePoint::y);
  if (!(least.y > 0)) return;
  const bool open = least.y <= static_cast<double>(least_tried);
  apart.low = std::max(apart.low, largest.y / least.y / 2);
  apart.high = std::max(apart.high, open ? infinity : 2 * largest.y / least.y);
}

Evidence perform_input_distributions(const Setting& setting, const RunContext& context) {
  const int seeds = setting.quick ? 3 : 10;
  const std::vector<std::string> inputs = {"boolean", "gaussian", "sphere"};
  const std::vector<std::string> sizes = setting.quick
                                             ? std::vector<std::string>{"d=16,k=3,m=2"}
                                             : std::vector<std::string>{"d=16,k=3,m=2", "d=16,k=2,m=3"};
  Evidence out;
  out.table.columns = {"instance", "learner", "goal on all seeds", "seeds", "examples", "seconds (median)"};
  report::Figure figure{"examples",
                        "Fewest examples, among doublings, that do on all seeds",
                        {"distribution of the inputs", false, {}, {}, {"Boolean", "Gaussian", "sphere"}},
                        {"examples", true}};
  bool met = true;
  statistics::Interval apart{1, 1};  // how many times as many examples one needs as another
  double done = 0;
  for (const std::string& size : sizes)
    for (const std::string method : {"sculpt", "gauss-newton"}) {
      const bool sculpts = method == "sculpt";
      const char* at_one_look = "sculpt:first=800000";  // whatever it is allowed
      const std::int64_t least_tried = sculpts ? 12'500 : 50;
      const auto [goals, names] = goals_of(method);
      std::vector<report::FigureCurve> curves;
      for (const std::string& name : names)
        curves.push_back(
            {fmt::format("{}, {}: {}", method, size, name), {}, report::FigureCurve::Style::points});
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        const std::string source = fmt::format("nice:{},inputs={}", size, inputs[i]);
        context.progress.report(fmt::format("R12: {}, {}", source, method), done);
        done += 1.0 / static_cast<double>(sizes.size() * 2 * inputs.size());
        const study::ExamplesSearch search{.plan = {.sources = {source},
                                                    .learners = {Spec::parse(sculpts ? at_one_look : method)},
                                                    .seeds = seeds,
                                                    .seed = setting.seed,
                                                    .execution = {setting.journal, setting.jobs}},
                                           .least = least_tried,
                                           .most = sculpts ? 800'000 : 6'400};
        const auto reached = study::fewest_examples(search, goals, context);
        for (std::size_t g = 0; g < goals.size(); ++g) {
          met = met && reached[g].examples > 0;
          curves[g].points.push_back({static_cast<double>(i), static_cast<double>(reached[g].examples)});
          out.table.add(
              {source, method, names[g], fmt::format("{}", seeds),
               reached[g].examples > 0 ? fmt::format("{}", reached[g].examples) : "not with what was tried",
               fmt::format("{:.3g}", reached[g].seconds)});
        }
      }
      for (report::FigureCurve& curve : curves) {
        widen(apart, curve, least_tried);
        figure.curves.push_back(std::move(curve));
      }
    }
  out.verdict = report::all_of({report::decided(met), report::at_most(apart, 4)});
  out.reason = fmt::format(
      "goals {} met for all three; the examples needed differ {:.3g} fold at least and {:.3g} fold at most",
      met ? "are" : "are NOT", apart.low, apart.high);
  out.figures.push_back(std::move(figure));
  return out;
}

}  // namespace

Experiment claims::input_distributions() {
  return {
      .id = "R12",
      .title = "Boolean, Gaussian and spherical inputs take about as many examples",
      .claim = "The analysis is for Boolean inputs; how does the learner do for others?",
      .source = "Chen and Li, arXiv 2402.04084, assume Boolean inputs",
      .method =
          "The fewest examples, among doublings, with which every seed reaches a test error of 1e-3 before "
          "the polish (sculpt), and recovers (sculpt, gauss-newton). Two sizes, 10 seeds; quick: one "
          "size, 3 seeds.",
      .criterion =
          "All goals are met for all three, from numbers of examples within a factor of 4 of each other, "
          "wherever between two doublings they lie.",
      .quick_seconds = 30,
      .full_seconds = 300,
      .perform = perform_input_distributions};
}

}  // namespace hardhead::experiments
