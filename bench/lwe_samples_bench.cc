// Discrete Gaussian samples and LWE samples, on one thread. Before the timing the samples' variance is
// compared with sigma^2, and LWE samples are verified against the secret. Counters: samples a second, and
// copies, the time in units of a copy of what is written.
#include <benchmark/benchmark.h>
#include <tbb/global_control.h>

#include <cmath>

#include "bench/memory_copy.h"
#include "lwe/problem/samples.h"
#include "lwe/problem/verification.h"

namespace {

using namespace hardhead;

void report(benchmark::State& state, double seconds, std::int64_t samples, std::size_t bytes_a_sample) {
  const double copies = static_cast<double>(state.iterations()) *
                        bench::copy_seconds(static_cast<std::size_t>(samples) * bytes_a_sample);
  state.SetItemsProcessed(state.iterations() * samples);
  state.counters["copies"] = seconds / copies;
}

void discrete_gaussian(benchmark::State& state) {
  const double sigma = static_cast<double>(state.range(0)) / 10;
  const lwe::DiscreteGaussian law(sigma);
  const Stream stream(Domain::samples, 1);
  std::vector<std::int32_t> out(4096);
  const auto draw = [&](std::uint64_t item) {
    for (std::size_t at = 0; at < out.size(); at += 4) {
      const auto words = stream.bits(item, at / 4);
      for (std::size_t t = 0; t < 4; ++t) out[at + t] = law.value(words[t]);
    }
  };
  std::uint64_t item = 0;
  double sum = 0, squares = 0;
  for (; item < 64; ++item) {
    draw(item);
    for (const std::int32_t x : out) sum += x, squares += static_cast<double>(x) * x;
  }
  const double count = 64.0 * static_cast<double>(out.size()), error = 1 / std::sqrt(count);
  if (std::abs(sum / count) > 6 * sigma * error ||
      std::abs(squares / count / (sigma * sigma) - 1) > 12 * error)
    return state.SkipWithError("mean or variance is not that of the law");
  const Stopwatch watch;
  for (auto _ : state) {
    draw(item++);
    benchmark::DoNotOptimize(out.data());
  }
  report(state, watch.seconds(), static_cast<std::int64_t>(out.size()), sizeof out[0]);
}
BENCHMARK(discrete_gaussian)->ArgName("10sigma")->Arg(10)->Arg(32)->Arg(1000)->Arg(40960);

void lwe_samples(benchmark::State& state) {
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  const auto recipe =
      lwe::Recipe::parse(Spec::parse("lwe:q=12289,sigma=3.2,n=" + std::to_string(state.range(0))));
  const lwe::Sampler sampler(recipe.parameters, recipe.seed);
  constexpr std::int64_t count = 4096;
  std::int64_t first = 0;
  if (!lwe::verify(recipe.parameters, sampler.draw(0, count), sampler.secret()).verified())
    return state.SkipWithError("the samples are not those of the secret");
  const Stopwatch watch;
  for (auto _ : state) {
    benchmark::DoNotOptimize(sampler.draw(first, count));
    first += count;
  }
  report(state, watch.seconds(), count,
         static_cast<std::size_t>(recipe.parameters.n + 1) * sizeof(lwe::Residue));
}
BENCHMARK(lwe_samples)->ArgName("n")->Arg(20)->Arg(256)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
