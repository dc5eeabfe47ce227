// Seconds to a test error of 1e-10 on nice instances (||Theta_i|| = 2, Boolean inputs, m told unless a row
// says otherwise): hardhead's learners against LibTorch's L-BFGS and Adam with autograd, float64, on the same
// layers and the same first examples, in one run, as a markdown table.
//
// LibTorch starts where ours do, at Theta_i of Frobenius norm 0.5, and W_i of standard deviation 0.2 /
// sqrt(d): the best of 0.05, 0.5, 2 and of 0.01, 0.2, 1 at (16, 3, 2) and (16, 3, 4). Its clock runs from the
// start until the training error passes 1e-10 with the test error below it, without the time of drawing
// examples and of computing test errors. Ours runs until learn() returns: with drawing examples, choosing
// between starts and, for Gauss-Newton without a target, the last steps to 1e-29.
//
// One row of Gauss-Newton and one of LibTorch's reads ten times the counting bound only, with which
// Gauss-Newton succeeds on 20 of 20 (docs/results/frugality.txt).
//
// Arguments: seeds (default 10), the size's number (1 to 4; default 0: all), threads (default 1), seconds
// until a run of LibTorch's is given up (default 60).
#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <span>

#include "bench/torch/study_program.h"
#include "bench/torch/torch_layer.h"
#include "learner/learner.h"
#include "learner/objective/blocks.h"
#include "learner/objective/linear_w.h"
#include "study/run/run.h"

extern "C" void openblas_set_num_threads(int);

namespace {

using namespace hardhead;
using namespace hardhead::bench;

constexpr double goal = 1e-10;

struct Size {
  Index d, k, m;
};
constexpr Size sizes[] = {{16, 3, 2}, {16, 3, 4}, {32, 3, 3}, {32, 2, 4}};

struct Peer {
  enum { lbfgs, adam } method;
  Formulation formulation;
  Index examples;  // 0: ten times the counting bound
};
constexpr Peer peers[] = {
    {Peer::lbfgs, Formulation::batch_last, 0}, {Peer::lbfgs, Formulation::batch_last, 1000},
    {Peer::lbfgs, Formulation::batched, 1000}, {Peer::lbfgs, Formulation::batch_last, 2000},
    {Peer::lbfgs, Formulation::batched, 2000}, {Peer::adam, Formulation::batch_last, 20000},
    {Peer::adam, Formulation::batched, 20000},
};

std::string to_string(const Peer& peer) {
  return fmt::format("LibTorch {}, {}", peer.method == Peer::lbfgs ? "L-BFGS" : "Adam",
                     to_string(peer.formulation));
}

struct Timed {
  double seconds = 0;
  bool reached = false;
  std::int64_t iterations = 0, evaluations = 0;
};

/// The examples as tensors of a formulation.
struct Examples {
  Examples(const attention::SampleSource& source, Index first, Index count, Formulation formulation) {
    Block block(source.d(), source.k(), count);
    source.read(first, block);
    x = torch_tokens(formulation, block.x, block.k);
    y = torch_tokens(formulation, block.y, block.k);
    total = y.square().sum().item<double>();
  }
  torch::Tensor x, y;
  double total;
};

/// One training run, its clock, and when it is over.
class Training {
 public:
  Training(const study::Problem& problem, const Size& size, const Peer& peer, std::uint64_t seed,
           double limit, const RunContext& context)
      : size_(size),
        peer_(peer),
        limit_(limit),
        context_(context),
        train_(*problem.training, 0, peer.examples, peer.formulation),
        test_(*problem.test, 0, 2000, peer.formulation) {
    torch::manual_seed(seed);
    const Index d = size.d, m = size.m;
    std::vector<torch::Tensor> theta;
    for (Index i = 0; i < m; ++i) {
      const auto one = torch::randn({d, d}, torch::kDouble);
      theta.push_back(one * (0.5 / one.norm()));
    }
    const bool last = peer.formulation == Formulation::batch_last;
    at_.theta = torch::cat(theta, last ? 0 : 1).contiguous().requires_grad_();
    at_.w = (torch::randn({last ? d : m * d, last ? m * d : d}, torch::kDouble) * (0.2 / std::sqrt(d)))
                .requires_grad_();
  }

  Timed run() {
    watch_ = Stopwatch();
    try {
      if (peer_.method == Peer::lbfgs)
        lbfgs();
      else
        adam();
    } catch (const Over&) {
    }
    timed_.seconds = watch_.seconds() - aside_;
    return timed_;
  }

 private:
  struct Over {};

  torch::Tensor loss(const Examples& examples) const {
    return (torch_forward(peer_.formulation, examples.x, at_, size_.d, size_.k, size_.m) - examples.y)
               .square()
               .sum() /
           examples.total;
  }

  // Ends the run at the goal, or when it has taken too long.
  void watch(double training_error) {
    context_.stop.check();
    if (training_error < goal) {
      const Stopwatch aside;
      const torch::NoGradGuard no_grad;
      timed_.reached = loss(test_).item<double>() < goal;
      aside_ += aside.seconds();
      if (timed_.reached) throw Over();
    }
    if (!std::isfinite(training_error) || watch_.seconds() - aside_ > limit_) throw Over();
  }

  void lbfgs() {
    torch::optim::LBFGS optimiser({at_.theta, at_.w}, torch::optim::LBFGSOptions(1)
                                                          .max_iter(2000)
                                                          .max_eval(4000)
                                                          .tolerance_grad(0)
                                                          .tolerance_change(0)
                                                          .history_size(50)
                                                          .line_search_fn("strong_wolfe"));
    optimiser.step([&] {
      optimiser.zero_grad();
      auto value = loss(train_);
      value.backward();
      ++timed_.evaluations;
      watch(value.item<double>());
      return value;
    });
  }

  // Batches of 256, learning rate 1e-2 with a cosine to 0 over the epochs.
  void adam() {
    constexpr Index batch = 256;
    const Index epochs = 60, batches = peer_.examples / batch;
    torch::optim::Adam optimiser({at_.theta, at_.w}, torch::optim::AdamOptions(1e-2));
    const bool last = peer_.formulation == Formulation::batch_last;
    const Index d = size_.d, k = size_.k;
    const auto part = [&](const torch::Tensor& all, Index b) {
      if (!last) return all.narrow(0, b * batch, batch);
      return all.view({d, k, peer_.examples}).narrow(2, b * batch, batch).reshape({d, k * batch});
    };
    for (Index epoch = 0; epoch < epochs; ++epoch) {
      double error = 0;
      for (Index b = 0; b < batches; ++b) {
        const double done = static_cast<double>(epoch * batches + b) / static_cast<double>(epochs * batches);
        static_cast<torch::optim::AdamOptions&>(optimiser.param_groups()[0].options())
            .lr(0.5e-2 * (1 + std::cos(std::numbers::pi * done)));
        optimiser.zero_grad();
        const auto x = part(train_.x, b), y = part(train_.y, b);
        const auto value = (torch_forward(peer_.formulation, x, at_, d, k, size_.m) - y).square().sum() /
                           (train_.total / static_cast<double>(batches));
        value.backward();
        optimiser.step();
        ++timed_.evaluations;
        error += value.item<double>() / static_cast<double>(batches);
      }
      watch(error);
    }
  }

  Size size_;
  Peer peer_;
  double limit_;
  const RunContext& context_;
  Examples train_, test_;
  TorchLayer at_;
  Stopwatch watch_;
  double aside_ = 0;
  Timed timed_;
};

struct Row {
  std::string name;
  Index examples = 0;
  std::vector<double> seconds{};  // of runs that reached the goal
  std::int64_t runs = 0;
  std::string work;

  void print(const Size& size) {
    std::sort(seconds.begin(), seconds.end());
    const std::string times = seconds.empty()
                                  ? "- | -"
                                  : fmt::format("{:.3g} | {:.3g} .. {:.3g}", seconds[seconds.size() / 2],
                                                seconds.front(), seconds.back());
    fmt::print("| ({}, {}, {}) | {} | {} | {} of {} | {} | {} |\n", size.d, size.k, size.m, name, examples,
               seconds.size(), runs, times, work);
    std::fflush(stdout);
  }
};

study::Problem problem_of(const Size& size, std::int64_t seed, const RunContext& context) {
  return study::open_problem(fmt::format("nice:d={},k={},m={},seed={}", size.d, size.k, size.m, seed),
                             {.seed = static_cast<std::uint64_t>(seed)}, context);
}

// With what the task states, and a seed of its own for each run.
Row our_row(const Size& size, const std::string& method, learner::Task task, std::int64_t seeds,
            const RunContext& context) {
  Row row;
  row.name = method + (task.heads ? "" : ", heads not told");
  double iterations = 0, inner = 0;
  for (std::int64_t seed = 1; seed <= seeds; ++seed) {
    const study::Problem problem = problem_of(size, seed, context);
    task.seed = static_cast<std::uint64_t>(seed);
    const Stopwatch watch;
    const learner::Report report = learner::learn(Spec::parse(method), *problem.training, task, context);
    const double seconds = watch.seconds();
    ++row.runs;
    row.examples = report.examples_used;
    if (report.layer &&
        learner::relative_error(learner::read_blocks(*problem.test, 0, 2000, context), *report.layer) < goal)
      row.seconds.push_back(seconds);
    for (const learner::Phase& phase : report.phases)
      for (const auto& [name, value] : phase.measures) {
        if (name == "iterations") iterations += value;
        if (name == "inner_steps" || name == "evaluations") inner += value;
      }
  }
  row.work = (fmt::format("{:.3g} iterations, {:.3g} {}", iterations / static_cast<double>(seeds),
                          inner / static_cast<double>(seeds),
                          method.starts_with("gauss") ? "inner steps" : "evaluations"));
  return row;
}

Row peer_row(const Size& size, const Peer& peer, std::int64_t seeds, double limit,
             const RunContext& context) {
  Row row;
  row.name = to_string(peer);
  row.examples = peer.examples;
  double evaluations = 0;
  for (std::int64_t seed = 1; seed <= seeds; ++seed) {
    const study::Problem problem = problem_of(size, seed, context);
    const Timed timed = Training(problem, size, peer, static_cast<std::uint64_t>(seed), limit, context).run();
    ++row.runs;
    if (timed.reached) row.seconds.push_back(timed.seconds);
    evaluations += static_cast<double>(timed.evaluations);
  }
  row.work = (fmt::format("{:.3g} evaluations", evaluations / static_cast<double>(seeds)));
  return row;
}

}  // namespace

int main(int argc, char** argv) {
  return run_study([&](const RunContext& context) {
    const std::int64_t seeds = integer_argument(argc, argv, 1, 10, 1, 1000);
    const auto only = static_cast<std::size_t>(integer_argument(argc, argv, 2, 0, 0, std::size(sizes)));
    const auto threads = static_cast<int>(integer_argument(argc, argv, 3, 1, 1, 256));
    const auto limit = static_cast<double>(integer_argument(argc, argv, 4, 60, 1, 3600));
    at::set_num_threads(threads);
    // ATen's threads and OpenBLAS's get in each other's way: with both, two threads are slower than one.
    openblas_set_num_threads(1);
    fmt::print(
        "{} threads\n\n| (d, k, m) | learner | examples | reached 1e-10 | median seconds | range | work, "
        "mean |\n"
        "|---|---|---|---|---|---|---|\n",
        threads);
    tbb::task_arena arena(threads);
    arena.execute([&] {
      for (const Size& size : only == 0 ? std::span(sizes) : std::span(sizes).subspan(only - 1, 1)) {
        const Index few = 10 * learner::counting_bound(size.d, size.k, size.m);
        for (const char* method : {"gauss-newton", "gauss-newton:target=1e-12", "lbfgs:starts=10"})
          our_row(size, method, {.heads = size.m}, seeds, context).print(size);
        our_row(size, "gauss-newton", {}, seeds, context).print(size);
        our_row(size, "gauss-newton:target=1e-12", {.heads = size.m, .examples = few}, seeds, context)
            .print(size);
        for (Peer peer : peers) {
          if (peer.examples == 0) peer.examples = few;
          peer_row(size, peer, seeds, limit, context).print(size);
        }
      }
    });
  });
}
