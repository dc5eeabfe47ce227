// Certification of rows (learner/certificate/harvest.h): examples from a data file in the page cache and from
// one four times as long, the same from simulation and from a stream sixteen times as long, each source
// alone, and the two kernels in single precision on each target. Arguments: d, k, m, threads. Counters: rows
// a second, and rows_core, rows a second of processor time; bytes of the file read a second; Gflop, the rate
// of the d x d by d x k products W_sum^T X alone, and of_matmul, its ratio to that of this machine's own
// matrix product on as many cores in the same run.
#include <benchmark/benchmark.h>
#include <tbb/task_arena.h>
#include <unistd.h>
#include <Eigen/Cholesky>
#include <Eigen/QR>

#include <array>
#include <cmath>
#include <ctime>
#include <filesystem>

#include "attention/files/data_file.h"
#include "attention/forward/single_forward.h"
#include "attention/samples/reduce_blocks.h"
#include "base/numeric/simd.h"
#include "bench/bench_data.h"
#include "learner/certificate/harvest.h"
#include "learner/certificate/screen.h"

namespace {

using namespace hardhead;
using namespace hardhead::attention;
using namespace hardhead::bench;
using namespace hardhead::learner;

constexpr std::int64_t examples = 8192 * block_size, long_file = 4 * examples, long_stream = 16 * examples;

SimulatedSource simulated(const Layer& layer, Index k) {
  return {std::make_shared<LayerTeacher>(layer), layer.d, k, Inputs::boolean, Stream(Domain::samples, 1)};
}

// Examples of a simulated source in a file, removed at the end.
class ExampleFile {
 public:
  ExampleFile(const SampleSource& source, std::int64_t count)
      : path_((std::filesystem::temp_directory_path() / ("harvest_bench-" + std::to_string(::getpid())))
                  .string()) {
    write_data(path_, source, count, {}, RunContext{});
  }
  ~ExampleFile() { std::filesystem::remove(path_); }
  ExampleFile(const ExampleFile&) = delete;
  ExampleFile& operator=(const ExampleFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// The scores of all eligible rows by the formula as one writes it down, ascending.
std::vector<double> scores_by_formula(const SampleSource& source, std::int64_t count, const Matrix& w_sum,
                                      const HarvestOptions& options) {
  const Index d = source.d(), k = source.k(), last = k - 1;
  std::vector<double> scores;
  Block one(d, k, 1);
  for (std::int64_t n = 0; n < count; ++n) {
    source.read(n, one);
    const Matrix image = w_sum.transpose() * one.x;
    const Matrix differences = image.leftCols(last).colwise() - image.col(last);
    const Matrix factor = Eigen::LLT<Matrix>(differences.transpose() * differences).matrixL();
    const double smallest = factor.diagonal().minCoeff();
    if (!(smallest > 0.1 * factor.diagonal().maxCoeff())) continue;
    for (Index r = 0; r < k; ++r) {
      const Vector target = one.y.col(r) - image.col(last);
      const Vector p = differences.colPivHouseholderQr().solve(target);
      const double least = std::min(p.minCoeff(), 1 - p.sum());
      if (least < options.attention_floor) continue;
      scores.push_back((target - differences * p).norm() / (smallest * least));
    }
  }
  std::sort(scores.begin(), scores.end());
  return scores;
}

bool harvest_is_right(const SampleSource& source, const Matrix& w_sum) {
  constexpr std::int64_t few = 5 * block_size + 7;
  const HarvestOptions options{.keep = 100};
  const std::vector<double> expected = scores_by_formula(source, few, w_sum, options);
  const Harvest found = harvest({source, 0, few}, w_sum, options, RunContext{}, "bench");
  if (found.rows.size() != 100) return false;
  for (std::size_t e = 0; e < found.rows.size(); ++e)
    if (!(std::abs(found.rows[e].score - expected[e]) < 1e-10 * expected[e])) return false;
  return true;
}

// Times work() on `count` examples, on as many threads as the last argument says.
template <class Work>
void measure(benchmark::State& state, const Work& work, std::int64_t count, double bytes_an_example,
             bool certifies) {
  const auto d = static_cast<double>(state.range(0)), k = static_cast<double>(state.range(1));
  tbb::task_arena arena(static_cast<int>(state.range(3)));
  const std::clock_t before = std::clock();
  const Stopwatch watch;
  for (auto _ : state) arena.execute(work);
  const double seconds = watch.seconds();
  const double busy = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  const auto total = static_cast<double>(state.iterations() * count);
  state.counters["rows"] = total * k / seconds;
  state.counters["rows_core"] = total * k / busy;
  if (bytes_an_example > 0) state.counters["bytes"] = total * bytes_an_example / seconds;
  if (!certifies) return;
  const double rate = total * 2 * d * d * k / seconds;
  state.counters["Gflop"] = rate / 1e9;
  state.counters["of_matmul"] = rate / arena.execute(matrix_product_rate<>);
}

void certify(benchmark::State& state, const SampleSource& source, const Matrix& w_sum, std::int64_t count,
             double bytes_an_example) {
  if (!harvest_is_right(source, w_sum)) return state.SkipWithError("the harvest disagrees with the formula");
  const auto work = [&] {
    benchmark::DoNotOptimize(harvest({source, 0, count}, w_sum, {}, RunContext{}, "bench"));
  };
  measure(state, work, count, bytes_an_example, true);
}

void certify_from_file(benchmark::State& state, std::int64_t count) {
  const Index d = state.range(0), k = state.range(1);
  const Layer layer = gaussian_layer(d, state.range(2));
  const ExampleFile file(simulated(layer, k), count);
  certify(state, FileSource(file.path()), layer.w_sum(), count, static_cast<double>(k * d * 9));
}

void certify_file(benchmark::State& state) {
  certify_from_file(state, examples);
}
void certify_long_file(benchmark::State& state) {
  certify_from_file(state, long_file);
}

void certify_stream(benchmark::State& state, std::int64_t count) {
  const Layer layer = gaussian_layer(state.range(0), state.range(2));
  certify(state, simulated(layer, state.range(1)), layer.w_sum(), count, 0);
}

void certify_simulated(benchmark::State& state) {
  certify_stream(state, examples);
}
void certify_long_stream(benchmark::State& state) {
  certify_stream(state, long_stream);
}

// A pass that only reads: it looks at one label of a block.
double read_all(const SampleSource& source) {
  return reduce_blocks(
      {source, 0, examples},
      Reduction{0.0, [](double& sum, std::int64_t, const Block& block) { sum += block.y(0, 0); },
                [](double& left, double right) { left += right; }},
      RunContext{}, "bench");
}

void read_file(benchmark::State& state) {
  const Index d = state.range(0), k = state.range(1);
  const ExampleFile file(simulated(gaussian_layer(d, state.range(2)), k), examples);
  const FileSource source(file.path());
  measure(
      state, [&] { benchmark::DoNotOptimize(read_all(source)); }, examples, static_cast<double>(k * d * 9),
      false);
}

void simulate(benchmark::State& state) {
  const SimulatedSource source = simulated(gaussian_layer(state.range(0), state.range(2)), state.range(1));
  measure(state, [&] { benchmark::DoNotOptimize(read_all(source)); }, examples, 0, false);
}

// Labels and verdicts of one block, again and again: rows a second of one core, and of_matmul as if labels
// were 2 m + 1 products of a d x d matrix with each token, and verdicts one.
template <class Work>
void measure_kernel(benchmark::State& state, double products_a_token, const Work& work) {
  const auto d = static_cast<double>(state.range(0)), k = static_cast<double>(state.range(1));
  const SimdTarget before = simd_target();
  choose_simd_target(static_cast<SimdTarget>(state.range(3)));
  const Stopwatch watch;
  for (auto _ : state) work();
  const double rows = static_cast<double>(state.iterations() * block_size) * k / watch.seconds();
  choose_simd_target(before);
  state.SetLabel(name_of(static_cast<SimdTarget>(state.range(3))));
  state.counters["rows"] = rows;
  state.counters["of_matmul"] = 2 * d * d * products_a_token * rows / matrix_product_rate<>();
}

SingleBlock signs_of(benchmark::State& state) {
  SingleBlock block;
  block.resize(state.range(0), state.range(1), block_size);
  draw_tokens(Inputs::boolean, Stream(Domain::samples, 1), 0, block);
  return block;
}

void label_single(benchmark::State& state) {
  const SingleForward forward(gaussian_layer(state.range(0), state.range(2)));
  SingleBlock block = signs_of(state);
  Floats scratch;
  measure_kernel(state, 2 * static_cast<double>(state.range(2)) + 1, [&] { forward.apply(block, scratch); });
}

void judge_single(benchmark::State& state) {
  const Layer layer = gaussian_layer(state.range(0), state.range(2));
  SingleBlock block = signs_of(state);
  Floats scratch;
  SingleForward(layer).apply(block, scratch);
  const Screen screen(layer.w_sum().transpose(), 0.03);
  Screen::RuledOut ruled_out;
  measure_kernel(state, 1, [&] { screen.judge(block, 0, scratch, ruled_out); });
}

constexpr std::array<int, 3> shapes[] = {{16, 2, 7}, {32, 3, 3}, {64, 2, 3}};  // d, k, m

void kernel_sizes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"d", "k", "m", "simd"})->Unit(benchmark::kMicrosecond);
  for (const SimdTarget target : simd_targets())
    for (const auto& [d, k, m] : shapes) bench->Args({d, k, m, static_cast<int>(target)});
}

void sizes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"d", "k", "m", "threads"})->UseRealTime()->Unit(benchmark::kMillisecond);
  const int cores = tbb::this_task_arena::max_concurrency();
  for (const int threads : {1, cores})
    for (const auto& [d, k, m] : shapes)
      if (threads == 1 || cores > 1) bench->Args({d, k, m, threads});
}

BENCHMARK(certify_file)->Apply(sizes);
BENCHMARK(certify_long_file)->Apply(sizes);
BENCHMARK(certify_simulated)->Apply(sizes);
BENCHMARK(certify_long_stream)->Apply(sizes);
BENCHMARK(read_file)->Apply(sizes);
BENCHMARK(simulate)->Apply(sizes);
BENCHMARK(label_single)->Apply(kernel_sizes);
BENCHMARK(judge_single)->Apply(kernel_sizes);

}  // namespace

BENCHMARK_MAIN();
