// The primal lattice attack on LWE, q = 12289, sigma = 3.2, by NTL and by fplll: from samples to a verified
// secret. Argument: n. The secret is compared with the sampler's first. docs/lwe.md has the same attack
// beside fplll's own command line.
#include <benchmark/benchmark.h>

#include "lwe/attacks/attack.h"

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

void sizes(benchmark::internal::Benchmark* bench) {
  bench->ArgName("n")->Arg(16)->Arg(32)->Arg(40)->UseRealTime()->Unit(benchmark::kMillisecond);
}

BENCHMARK_CAPTURE(attack_with, ntl, "kannan")->Apply(sizes);
BENCHMARK_CAPTURE(attack_with, fplll, "kannan-fplll")->Apply(sizes);

}  // namespace

BENCHMARK_MAIN();
