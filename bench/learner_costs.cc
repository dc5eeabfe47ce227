// Predicted against measured: seconds of every learner but `exec` on nice layers, on one thread and with the
// number of heads told. Prints a markdown table: what the cost model predicts (learner/cost.h,
// learner/phases/plan.h), the median measured, their ratio, and how many runs recovered the layer.
//
// Arguments: seeds a row (default 3), largest d (default 32).
#include <fmt/format.h>
#include <tbb/task_arena.h>

#include "bench/study_program.h"
#include "learner/learner.h"
#include "statistics/median.h"
#include "study/sweep/compare.h"
#include "study/sweep/forecast.h"

namespace {

using namespace hardhead;

void measure(const std::string& method, int d, int k, int m, std::int64_t seeds, const RunContext& context) {
  study::PlannedRun planned{fmt::format("nice:d={},k={},m={}", d, k, m), {}, {}};
  planned.run.method = Spec::parse(method);
  planned.run.task.heads = m;
  const double predicted = study::Forecaster().seconds(planned)->learnt;
  std::vector<double> seconds;
  std::int64_t recovered = 0;
  for (std::int64_t seed = 1; seed <= seeds; ++seed) {
    planned.run.task.seed = static_cast<std::uint64_t>(seed);
    const study::Problem problem =
        study::open_problem(fmt::format("{},seed={}", planned.source.name(), seed), {}, context);
    const study::RunResult result = study::run(problem, planned.run, context);
    context.stop.check();
    recovered += result.score.outcome == study::Outcome::recovered ? 1 : 0;
    seconds.push_back(result.report.seconds);
  }
  fmt::print("| {} | `{}` | {:.3g} | {:.3g} | {:.2f} | {} of {} |\n", method, planned.source.name(),
             predicted, statistics::median(seconds), statistics::median(seconds) / predicted, recovered,
             seeds);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  return bench::run_study([&](const RunContext& context) {
    const std::int64_t seeds = bench::integer_argument(argc, argv, 1, 3, 1, 1000);
    const std::int64_t largest = bench::integer_argument(argc, argv, 2, 32, 8, 128);
    fmt::print(
        "| learner | instance | predicted s | measured s | ratio | recovered |\n|---|---|---|---|---|---|\n");
    tbb::task_arena(1).execute([&] {
      for (const char* method : {"phase1", "gauss-newton", "lbfgs", "adam", "sculpt"})
        for (const auto& [d, k, m] :
             {std::array{8, 2, 1}, {8, 3, 2}, {16, 3, 2}, {16, 3, 4}, {32, 3, 3}, {64, 4, 2}})
          if (d <= largest) measure(method, d, k, m, seeds, context);
    });
  });
}
