// What the six phases cost against the number of heads m and of tokens k. Prints three markdown tables:
//
//   1. acceptance: P(score <= eps) ~ eps^b for the certificate's score under the true W_sum, b beside
//      (m-1)(k-1); and the rows that agree exactly when the entries of Theta are +-s (an atom, where no
//      exponent exists);
//   2. examples and seconds to reach the hull and to finish, d = 16, both routes, the paper's predicted where
//      it is not run;
//   3. how they grow with m: examples on m, by a power law and an exponential.
//
// Arguments: seeds a row (default 3), most examples tried (default 3200000). Half an hour at the defaults.
#include <fmt/format.h>

#include <algorithm>

#include "bench/study_program.h"
#include "experiments/acceptance.h"
#include "hardness/families/family.h"
#include "learner/phases/plan.h"
#include "statistics/growth.h"
#include "statistics/tail_exponent.h"
#include "study/sweep/fewest_examples.h"

namespace {

using namespace hardhead;
using attention::Index;
using attention::Matrix;

std::string estimate(const statistics::Estimate& e) {
  return fmt::format("{:.2f} ({:.2f} .. {:.2f})", e.value, e.interval.low, e.interval.high);
}

void acceptance(const RunContext& context) {
  constexpr std::int64_t examples = 8'000'000, keep = 2000;
  fmt::print(
      "| m | k | d | (m-1)(k-1) | exponent b (95%) | rows | largest eps | arithmetic Theta: share that "
      "agrees exactly |\n"
      "|---|---|---|---|---|---|---|---|\n");
  for (const auto& [m, k, d] : {std::tuple{2, 2, 16}, {2, 3, 16}, {3, 2, 16}, {2, 4, 16}, {4, 2, 32}}) {
    const auto instance = hardness::make_instance(Spec::parse(fmt::format("nice:d={},k={},m={}", d, k, m)));
    const std::vector<double> smallest =
        experiments::certificate_scores(instance.layer, k, examples, keep, 1, context);
    fmt::print("| {} | {} | {} | {} | {} | {} of {} | {:.2g} | {:.2g} |\n", m, k, d, (m - 1) * (k - 1),
               estimate(statistics::tail_exponent(smallest)), keep, examples * k, smallest.back(),
               experiments::exact_agreement(experiments::arithmetic(instance.layer), k, 400'000, 1, context));
    std::fflush(stdout);
  }
}

constexpr double hull_goal = 0.1;

// Examples and seconds to the hull, and to recovery.
std::vector<study::Reached> cost(const std::string& spec, const std::string& method, std::int64_t seeds,
                                 std::int64_t most, const RunContext& context) {
  const study::Goal goals[] = {study::reaches("hull_refined", "hull_distance", hull_goal), study::recovers};
  return study::fewest_examples(
      {.source = spec, .method = Spec::parse(method), .seeds = seeds, .least = 12'500, .most = most}, goals,
      context);
}

std::string text(const study::Reached& reached) {
  return reached.examples > 0 ? fmt::format("{} ({:.1f} s)", reached.examples, reached.seconds)
                              : std::string("not by then");
}

std::string predicted(Index k, Index m) {
  const auto options = learner::SixPhasesOptions::all(learner::Route::paper);
  return learner::make_plan(16, k, m, 400'000, options).str();
}

void growth(const std::string& what, const std::vector<statistics::GrowthPoint>& points) {
  if (points.size() < 4)
    fmt::print("| {} | {} points: too few to fit |\n", what, points.size());
  else
    fmt::print("| {} | {} |\n", what, statistics::fit_growth(points).str("m"));
}

void costs(std::int64_t seeds, std::int64_t most, const RunContext& context) {
  fmt::print(
      "\n| m | k | sculpt: hull to {:.0f}% | sculpt: recovered | paper: hull to {:.0f}% | paper: recovered "
      "|\n"
      "|---|---|---|---|---|---|\n",
      100 * hull_goal, 100 * hull_goal);
  struct Series {
    std::vector<statistics::GrowthPoint> hull, finish;
  };
  std::vector<std::pair<int, Series>> all;
  for (const auto& [k, heads] : {std::pair{2, 5}, {3, 3}}) {
    Series series;
    for (int m = 1; m <= heads; ++m) {
      const std::string spec = fmt::format("nice:d=16,k={},m={}", k, m);
      const auto sculpt = cost(spec, fmt::format("sculpt:first={}", most), seeds, most, context);
      std::string paper = fmt::format("predicted: {} |", predicted(k, m));
      if (m <= 2) {
        const auto measured = cost(spec, "paper", std::min<std::int64_t>(seeds, 3), most, context);
        paper = fmt::format("{} | {}", text(measured[0]), text(measured[1]));
      }
      fmt::print("| {} | {} | {} | {} | {} |\n", m, k, text(sculpt[0]), text(sculpt[1]), paper);
      std::fflush(stdout);
      if (sculpt[0].examples == 0 || sculpt[1].examples == 0) continue;
      series.hull.push_back({static_cast<double>(m), {static_cast<double>(sculpt[0].examples)}});
      series.finish.push_back({static_cast<double>(m), {static_cast<double>(sculpt[1].examples)}});
    }
    all.emplace_back(k, series);
  }
  fmt::print("\n| sculpt, d = 16 | growth with m (95%) |\n|---|---|\n");
  for (const auto& [k, series] : all) {
    growth(fmt::format("examples to the hull, k = {}", k), series.hull);
    growth(fmt::format("examples to recovery, k = {}", k), series.finish);
  }
}

}  // namespace

int main(int argc, char** argv) {
  return bench::run_study([&](const RunContext& context) {
    const std::int64_t seeds = bench::integer_argument(argc, argv, 1, 3, 1, 1000);
    const std::int64_t most = bench::integer_argument(argc, argv, 2, 3'200'000, 1, 1'000'000'000);
    acceptance(context);
    costs(seeds, most, context);
  });
}
