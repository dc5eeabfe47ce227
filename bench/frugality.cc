// How few examples Gauss-Newton needs: its success rate against the number of examples, printed as a Markdown
// table. Usage:
//
//     frugality [SEEDS=20] [SIZES=4] [METHOD=gauss-newton:starts=30]
//
// The first SIZES of four sizes of nice layers, smallest first, each on instances, examples and learners of seeds
// 1 .. SEEDS. The number of heads is told. A budget covers everything the learner reads: a tenth of it is held back
// and chooses between random starts. Success is a relative test error of at most 1e-10 on fresh examples.
// Intervals are exact (Clopper-Pearson), 95%. Ctrl-C prints the rows so far.
#include <fmt/format.h>

#include <atomic>
#include <charconv>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "base/error.h"
#include "learner/learner.h"
#include "study/binomial_interval.h"
#include "study/run.h"

namespace {

using namespace hardhead;

struct Size {
  attention::Index d, k, m;
};
constexpr Size sizes[] = {{16, 3, 2}, {16, 3, 4}, {32, 3, 3}, {32, 2, 4}};
constexpr double multiples[] = {1.5, 2, 3, 4, 6, 8, 10};

std::atomic<bool> interrupted = false;

// Successes of seeds 1 .. seeds with so many examples.
int successes(const Size& size, std::int64_t examples, int seeds, const Spec& method,
              const RunControl& control) {
  int count = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    const auto number = static_cast<std::uint64_t>(seed);
    const study::Problem problem = study::open_problem(
        fmt::format("nice:d={},k={},m={},seed={}", size.d, size.k, size.m, seed), {.seed = number}, control);
    const study::RunResult result = study::run(
        problem, {.method = method, .heads = size.m, .examples = examples, .seed = number}, control);
    control.check();
    if (result.outcome == study::Outcome::recovered) ++count;
    fmt::print(stderr, "\r({}, {}, {}), {} examples: {} of {} ", size.d, size.k, size.m, examples, count,
               seed);
  }
  fmt::print(stderr, "\r{:60}\r", "");
  return count;
}

void print_row(const Size& size, double multiple, int seeds, const Spec& method, const RunControl& control) {
  const Stopwatch watch;
  const double bound = 2.0 * static_cast<double>(size.m * size.d) / static_cast<double>(size.k);
  const double patterns = static_cast<double>(size.d * size.d) / static_cast<double>(size.k * (size.k - 1));
  const auto examples = static_cast<std::int64_t>(std::ceil(multiple * bound));
  const int count = successes(size, examples, seeds, method, control);
  const study::Interval interval = study::clopper_pearson(count, seeds);
  fmt::print("| ({}, {}, {}) | {} | {:.3g} | {:.2f} | {} of {} | {:.2f} .. {:.2f} | {:.2g} |\n", size.d,
             size.k, size.m, examples, multiple, static_cast<double>(examples) / patterns, count, seeds,
             interval.low, interval.high, watch.seconds() / seeds);
  std::fflush(stdout);
}

int number(const char* text, int least, int most) {
  int value = 0;
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), value);
  if (error != std::errc() || *end != '\0' || value < least || value > most)
    throw InputError(fmt::format("'{}' is not an integer from {} to {}", text, least, most));
  return value;
}

}  // namespace

int main(int argc, char** argv) try {
  const int seeds = argc > 1 ? number(argv[1], 1, 100'000) : 20;
  const int count = argc > 2 ? number(argv[2], 1, std::size(sizes)) : static_cast<int>(std::size(sizes));
  const Spec method = Spec::parse(argc > 3 ? argv[3] : "gauss-newton:starts=30");
  std::signal(SIGINT, [](int) { interrupted = true; });
  RunControl control;
  control.set_stop_flag(&interrupted);
  fmt::print(
      "| (d, k, m) | examples | times 2 m d / k | times d^2 / (k (k-1)) | {} recovers | 95% interval | s a run |\n"
      "|---|---|---|---|---|---|---|\n",
      method.str());
  for (int s = 0; s < count; ++s)
    for (const double multiple : multiples) print_row(sizes[s], multiple, seeds, method, control);
  return 0;
} catch (const Stopped& stopped) {
  fmt::print(stderr, "\n{}\n", stopped.reason);
  return 130;
} catch (const Error& error) {
  fmt::print(stderr, "frugality: {}\n", error.what());
  return 2;
}
