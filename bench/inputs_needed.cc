// Boolean, Gaussian and sphere inputs side by side: the fewest examples, among doublings, with which the
// learners reach a test error of 1e-3 before the polish (sculpt) and recover the layer (sculpt,
// gauss-newton), on all seeds. Prints a markdown table.
//
// Arguments: seeds a row (default 10), most examples tried (default 6400000). Five minutes at the defaults.
#include <fmt/format.h>

#include "bench/study_program.h"
#include "study/sweep/fewest_examples.h"

namespace {

using namespace hardhead;

constexpr double net_goal = 1e-3;

std::string text(const study::Reached& reached) {
  return reached.examples > 0 ? fmt::format("{} ({:.2f} s)", reached.examples, reached.seconds)
                              : std::string("not by then");
}

void print_row(const std::string& size, const char* inputs, std::int64_t seeds, std::int64_t most,
               const RunContext& context) {
  const std::string spec = fmt::format("nice:{},inputs={}", size, inputs);
  const study::Goal phases[] = {study::recovers, study::reaches("net", "test_error", net_goal)};
  const study::Goal end[] = {study::recovers};
  context.progress.report(spec, 0);
  const auto sculpt = study::fewest_examples({.source = spec,
                                              .method = Spec::parse(fmt::format("sculpt:first={}", most)),
                                              .seeds = seeds,
                                              .least = 3125,
                                              .most = most},
                                             phases, context);
  const auto newton = study::fewest_examples(
      {.source = spec, .method = Spec::parse("gauss-newton"), .seeds = seeds, .least = 25, .most = most}, end,
      context);
  fmt::print("| {} | {} | {} | {} | {} |\n", size, inputs, text(sculpt[1]), text(sculpt[0]), text(newton[0]));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  return bench::run_study([&](const RunContext& context) {
    const std::int64_t seeds = bench::integer_argument(argc, argv, 1, 10, 1, 1000);
    const std::int64_t most = bench::integer_argument(argc, argv, 2, 6'400'000, 3125, 1'000'000'000);
    fmt::print(
        "| nice | inputs | sculpt: {:g} before the polish | sculpt: recovered | gauss-newton: recovered |\n"
        "|---|---|---|---|---|\n",
        net_goal);
    for (const char* size : {"d=16,k=3,m=2", "d=16,k=2,m=3"})
      for (const char* inputs : {"boolean", "gaussian", "sphere"})
        print_row(size, inputs, seeds, most, context);
  });
}
