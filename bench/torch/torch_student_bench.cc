// Steps of a wide student on Boolean examples, Adam, squared loss, single precision: hardhead's descent
// (student_descent.h) against LibTorch with autograd and torch::optim::Adam, in one run. Arguments: d, heads,
// batch, threads, k = 2 tokens. LibTorch has its batches beforehand, as tensors of its formulation; ours
// draws its examples, labels them and judges the held-back error every 100 steps. Both losses are compared
// before the timing. Counter: steps a second.
#include <ATen/Parallel.h>
#include <benchmark/benchmark.h>

#include "bench/student_descent.h"
#include "bench/torch/torch_layer.h"

extern "C" void openblas_set_num_threads(int);

namespace {

using namespace hardhead;
using namespace hardhead::bench;

constexpr std::int64_t steps = 200;

StudentTask task_of(const benchmark::State& state) {
  return {.d = state.range(0), .heads = state.range(1), .batch = state.range(2)};
}

void hardhead_steps(benchmark::State& state) {
  const StudentTask task = task_of(state);
  tbb::task_arena arena(static_cast<int>(state.range(3)));
  for (auto _ : state) {
    state.PauseTiming();
    TimedDescent timed(task, steps, steps * task.batch);
    state.ResumeTiming();
    arena.execute([&] { timed.descend(); });
  }
  state.counters["steps"] =
      benchmark::Counter(static_cast<double>(steps * state.iterations()), benchmark::Counter::kIsRate);
}

// Whether LibTorch's loss of the student is ours.
bool losses_agree(double theirs, const Layer& student, const Block& block) {
  Block predicted = block;
  attention::Forward::Workspace workspace;
  attention::Forward(student).apply(predicted, workspace);
  const double ours = (predicted.y - block.y).squaredNorm() / block.y.squaredNorm();
  return std::abs(theirs - ours) < 1e-4 * ours;
}

template <Formulation formulation>
void torch_steps(benchmark::State& state) {
  const StudentTask task = task_of(state);
  openblas_set_num_threads(1);  // with ATen's threads and OpenBLAS's, two are slower than one
  at::set_num_threads(static_cast<int>(state.range(3)));
  const attention::SimulatedSource source = student_source(task);
  const learner::StudentShape shape{.d = task.d, .heads = task.heads};
  const Layer student = to_layer(shape, random_student(shape, Stream(Domain::learner, 1), {}));
  TorchLayer at = torch_layer(formulation, student);
  at.theta = at.theta.to(torch::kFloat).requires_grad_();
  at.w = at.w.to(torch::kFloat).requires_grad_();
  const auto loss = [&](const torch::Tensor& x, const torch::Tensor& y) -> torch::Tensor {
    return (torch_forward(formulation, x, at, task.d, task.k, task.heads) - y).square().sum() /
           y.square().sum().item<float>();
  };
  std::vector<std::pair<torch::Tensor, torch::Tensor>> batches;
  Block block(task.d, task.k, task.batch);
  for (std::int64_t b = 0; b < 20; ++b) {
    source.read(b * task.batch, block);
    batches.emplace_back(torch_tokens(formulation, block.x, task.k).to(torch::kFloat),
                         torch_tokens(formulation, block.y, task.k).to(torch::kFloat));
  }
  const torch::Tensor last_loss = loss(batches.back().first, batches.back().second);
  if (!losses_agree(last_loss.item<double>(), student, block))
    return state.SkipWithError("LibTorch and hardhead disagree");
  torch::optim::Adam optimiser({at.theta, at.w}, torch::optim::AdamOptions(3e-3));
  for (auto _ : state)
    for (std::int64_t step = 0; step < steps; ++step) {
      const auto& [x, y] = batches[static_cast<std::size_t>(step) % batches.size()];
      optimiser.zero_grad();
      loss(x, y).backward();
      optimiser.step();
    }
  state.counters["steps"] =
      benchmark::Counter(static_cast<double>(steps * state.iterations()), benchmark::Counter::kIsRate);
}

void sizes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"d", "heads", "batch", "threads"})->UseRealTime()->Unit(benchmark::kMillisecond);
  for (const std::int64_t d : {20, 32, 64})
    for (const std::int64_t heads : {32, 64})
      for (const std::int64_t threads : {1, 2}) bench->Args({d, heads, 512, threads});
}

BENCHMARK(hardhead_steps)->Apply(sizes);
BENCHMARK_TEMPLATE(torch_steps, Formulation::batch_last)->Apply(sizes);
BENCHMARK_TEMPLATE(torch_steps, Formulation::batched)->Apply(sizes);

}  // namespace

BENCHMARK_MAIN();
