// The search of all sets of coordinates for a hidden junta (experiments/attacks/junta_search.h), one core.
// Arguments: d, m; a random function of m bits. The function that is found is checked on other examples
// before the timing. Counters: sets a second; predicted, the time by junta_search_seconds() over the measured
// one.
#include <benchmark/benchmark.h>

#include <cmath>

#include "experiments/attacks/junta_search.h"
#include "study/problem/problem.h"

namespace {

using namespace hardhead;

void search_for_a_junta(benchmark::State& state) {
  const hardness::JuntaOptions junta{
      .d = state.range(0), .m = state.range(1), .function = hardness::JuntaFunction::random};
  const study::Problem problem =
      study::open_problem("junta:d=" + std::to_string(junta.d) + ",m=" + std::to_string(junta.m) +
                              ",function=" + name_of(junta.function),
                          {});
  const std::int64_t examples = experiments::junta_examples(junta, 0.001);
  if (!experiments::search_junta(junta, *problem.training, examples, RunContext{}).verified())
    return state.SkipWithError("the function was not found");
  double seconds = 0;
  for (auto _ : state)
    seconds += experiments::search_junta(junta, *problem.training, examples, RunContext{}).seconds;
  const double n = static_cast<double>(junta.d - 1), m = static_cast<double>(junta.m),
               sets = std::exp(std::lgamma(n + 1) - std::lgamma(m + 1) - std::lgamma(n - m + 1)),
               each = seconds / static_cast<double>(state.iterations());
  state.counters["sets"] = benchmark::Counter(sets / each);
  state.counters["predicted"] = experiments::junta_search_seconds(junta) / each;
}

BENCHMARK(search_for_a_junta)
    ->ArgNames({"d", "m"})
    ->Args({64, 4})
    ->Args({40, 5})
    ->Args({40, 6})
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
