// How few examples Gauss-Newton needs: its success rate against the number of examples, as a markdown table.
//
// Nice layers of four sizes, smallest first, on instances, examples and learners of seeds 1, 2, ..; the
// number of heads is told. A budget covers everything the learner reads: a tenth of it is held back and
// chooses between random starts. It is stated as a multiple of the counting bound 2 m d / k and of the
// pattern bound d^2 / (k (k - 1)) (learner/learner.h). Success is a relative test error of at most 1e-10 on
// fresh examples; intervals are exact, 95%.
//
// Arguments: seeds a row (default 20), sizes (default 4: all), method (default gauss-newton:starts=30). About
// ten minutes at the defaults, half of it for the last size.
#include <fmt/format.h>

#include <cmath>

#include "bench/study_program.h"
#include "learner/learner.h"
#include "statistics/binomial_interval.h"
#include "study/run/run.h"

namespace {

using namespace hardhead;

struct Size {
  attention::Index d, k, m;
};
constexpr Size sizes[] = {{16, 3, 2}, {16, 3, 4}, {32, 3, 3}, {32, 2, 4}};
constexpr double multiples[] = {1.5, 2, 3, 4, 6, 8, 10};

// Successes with this many examples of seeds 1 .. seeds.
std::int64_t successes(const Size& size, std::int64_t examples, std::int64_t seeds, const Spec& method,
                       const RunContext& context) {
  RunContext inner = context;
  inner.progress = {};
  std::int64_t count = 0;
  for (std::int64_t seed = 1; seed <= seeds; ++seed) {
    context.progress.report(
        fmt::format("d = {}, k = {}, m = {}, {} examples", size.d, size.k, size.m, examples),
        static_cast<double>(seed - 1) / static_cast<double>(seeds));
    const auto number = static_cast<std::uint64_t>(seed);
    const study::Problem problem = study::open_problem(
        fmt::format("nice:d={},k={},m={},seed={}", size.d, size.k, size.m, seed), {.seed = number}, inner);
    const study::RunResult result = study::run(
        problem, {.method = method, .task = {.heads = size.m, .examples = examples, .seed = number}}, inner);
    context.stop.check();
    if (result.score.outcome == study::Outcome::recovered) ++count;
  }
  return count;
}

void print_row(const Size& size, double multiple, std::int64_t seeds, const Spec& method,
               const RunContext& context) {
  const Stopwatch watch;
  const double counting = 2.0 * static_cast<double>(size.m * size.d) / static_cast<double>(size.k);
  const double pattern = static_cast<double>(size.d * size.d) / static_cast<double>(size.k * (size.k - 1));
  const auto examples = static_cast<std::int64_t>(std::ceil(multiple * counting));
  const std::int64_t count = successes(size, examples, seeds, method, context);
  const statistics::Interval interval = statistics::clopper_pearson(count, seeds);
  fmt::print("| ({}, {}, {}) | {} | {:.3g} | {:.2f} | {} of {} | {:.2f} .. {:.2f} | {:.2g} |\n", size.d,
             size.k, size.m, examples, multiple, static_cast<double>(examples) / pattern, count, seeds,
             interval.low, interval.high, watch.seconds() / static_cast<double>(seeds));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  return bench::run_study([&](const RunContext& context) {
    const std::int64_t seeds = bench::integer_argument(argc, argv, 1, 20, 1, 100'000);
    const std::int64_t count = bench::integer_argument(argc, argv, 2, std::size(sizes), 1, std::size(sizes));
    const Spec method = Spec::parse(argc > 3 ? argv[3] : "gauss-newton:starts=30");
    fmt::print(
        "| (d, k, m) | examples | times 2 m d / k | times d^2 / (k (k - 1)) | {} recovers | 95% interval | s "
        "a run |\n"
        "|---|---|---|---|---|---|---|\n",
        method.str());
    for (std::int64_t s = 0; s < count; ++s)
      for (const double multiple : multiples) print_row(sizes[s], multiple, seeds, method, context);
  });
}
