// The primal lattice attack on LWE, q = 12289, sigma = 3.2, by NTL and by fplll: from samples to a verified
// secret. Argument: n. The secret is compared with the sampler's first. docs/lwe.md has the same attack
// beside fplll's own command line.
//
// `reduction`: what LLL (block 2) and BKZ with one more block size take in dimension d, on the lattice of an
// error that is too long to be found. lwe/attacks/machine_speeds.h has the seconds at d = 100 and their
// growth.
#include <benchmark/benchmark.h>

#include "lwe/attacks/attack.h"
#include "lwe/attacks/embedding.h"
#include "lwe/attacks/kannan.h"

namespace {

using namespace hardhead;

void attack_with(benchmark::State& state, const char* method) {
  const auto recipe =
      lwe::Recipe::parse(Spec::parse("lwe:q=12289,sigma=3.2,n=" + std::to_string(state.range(0)) +
                                     ",samples=" + std::to_string(2 * state.range(0))));
  const lwe::Sampler sampler(recipe.parameters, recipe.seed);
  const lwe::Challenge challenge{recipe.parameters, sampler.draw(0, recipe.samples)};
  const lwe::AttackReport report = lwe::attack(challenge, lwe::find_attack(method), 60, RunContext{});
  if (!report.solved() || report.secret != sampler.secret())
    return state.SkipWithError(report.message.c_str());
  for (auto _ : state)
    benchmark::DoNotOptimize(lwe::attack(challenge, lwe::find_attack(method), 60, RunContext{}));
}

void reduction(benchmark::State& state, const lwe::detail::MakeReducer& make) {
  const auto d = state.range(0), last = state.range(1);
  const auto recipe = lwe::Recipe::parse(Spec::parse(
      "lwe:q=12289,sigma=2000,n=" + std::to_string(d * 45 / 100) + ",samples=" + std::to_string(d + 100)));
  const lwe::Sampler sampler(recipe.parameters, recipe.seed);
  const lwe::Embedding embedding({recipe.parameters, sampler.draw(0, recipe.samples)}, d - 1);
  for (auto _ : state) {
    state.PauseTiming();
    const auto reducer = make(embedding.basis());
    if (reducer == nullptr) return state.SkipWithError("built without the library");
    if (last > 2) reducer->lll();
    for (int block = lwe::block_step; block < last; block += lwe::block_step) reducer->bkz(block);
    state.ResumeTiming();
    if (last > 2)
      reducer->bkz(static_cast<int>(last));
    else
      reducer->lll();
  }
}

void dimensions(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"d", "block"})->Iterations(1)->Unit(benchmark::kSecond);
  for (const int d : {80, 100, 140})
    for (const int block : {2, 10, 20, 30}) bench->Args({d, block});
}

void sizes(benchmark::internal::Benchmark* bench) {
  bench->ArgName("n")->Arg(16)->Arg(32)->Arg(40)->UseRealTime()->Unit(benchmark::kMillisecond);
}

BENCHMARK_CAPTURE(attack_with, ntl, "kannan")->Apply(sizes);
BENCHMARK_CAPTURE(attack_with, fplll, "kannan-fplll")->Apply(sizes);
BENCHMARK_CAPTURE(reduction, ntl, lwe::detail::ntl_reducer)->Apply(dimensions);
BENCHMARK_CAPTURE(reduction, fplll, lwe::detail::fplll_reducer)->Apply(dimensions);

}  // namespace

BENCHMARK_MAIN();
