#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "learner/registered_methods.h"

namespace hardhead::learner {
namespace {

struct ChainOptions {
  double failure = 0.01;
};

/// N with 2 m (d-1) exp(-N/8) <= failure: by Hoeffding's inequality no wrong feature of any of the m steps
/// then has a mean above 1/2 but with this probability, and that of the right one is 1.
Index queries_for(Index d, Index steps, double failure) {
  return static_cast<Index>(
      std::ceil(8 * std::log(2 * static_cast<double>(steps) * static_cast<double>(d - 1) / failure)));
}

/// X of two tokens of uniform signs.
Block random_signs(Index d, Index count, std::uint64_t seed) {
  const Stream stream(Domain::learner, seed, "chain");
  Block block(d, 2, count);
  for (Index c = 0; c < block.x.cols(); ++c)
    for (Index f = 0; f < d; ++f)
      block.x(f, c) = stream.below(static_cast<std::uint64_t>(c * d + f), 2) == 0 ? 1 : -1;
  return block;
}

/// The feature of the largest coordinate of the gradient, at 0, of the squared loss of c_t - c_{t-1} sum_j
/// a_j z_j: -2 mean(c_t c_{t-1} z_j), which is 2 in size for the feature that is new in c_t and about 2 /
/// sqrt(N) for all others. Empty where a second one is above half of it.
std::optional<Index> one_step(const RowMatrix& z, const Eigen::RowVectorXd& before,
                              const Eigen::RowVectorXd& after) {
  const Eigen::VectorXd gradient =
      (z * after.cwiseProduct(before).transpose()).cwiseAbs() / static_cast<double>(z.cols());
  Index best = 0;
  gradient.maxCoeff(&best);
  for (Index f = 0; f < gradient.size(); ++f)
    if (f != best && gradient[f] > gradient[best] / 2) return std::nullopt;
  return best;
}

void learn(const ChainOptions& options, const ValueRun& run) {
  Report& report = run.recorder.report();
  ValueOracle& oracle = *run.values;
  const RowMatrix hints = run.recorder.phase("hints", [&](Phase&) {
    Block one = random_signs(oracle.d(), 1, run.task.seed);  // how many steps there are
    const Index steps = oracle.ask_with_hints(one).rows();
    Block block = random_signs(oracle.d(), queries_for(oracle.d(), steps, options.failure), run.task.seed);
    RowMatrix out(steps + 1 + oracle.d(), block.count);
    out.bottomRows(steps) = oracle.ask_with_hints(block);
    out.row(oracle.d()).setOnes();
    out.topRows(oracle.d()) = block.token(0).cwiseProduct(block.token(1));
    return out;
  });
  run.recorder.phase("steps", [&](Phase& phase) {
    const RowMatrix z = hints.topRows(oracle.d());
    const Index steps = hints.rows() - oracle.d() - 1;
    std::vector<std::int64_t> found;
    for (Index t = 0; t < steps; ++t) {
      const auto feature = one_step(z, hints.row(oracle.d() + t), hints.row(oracle.d() + t + 1));
      if (!feature)
        throw Failed{fmt::format("step {} of {}: two features have large gradients", t + 1, steps)};
      found.push_back(*feature);
    }
    std::ranges::sort(found);
    phase.add("gradient_steps", static_cast<double>(steps));
    report.hidden = std::move(found);
    report.message = fmt::format("One gradient step for each of {} features found them.", steps);
  });
}

class Chain final : public ValueAlgorithm {
 public:
  explicit Chain(ChainOptions options) : options_(options) {}

  Needs needs() const override { return {.tokens = 2, .gadget = true, .hints = true}; }
  void run(const ValueRun& run) const override { learn(options_, run); }

  std::optional<RunMemory> predicted_memory(LayerShape layer, const Task&) const override {
    const Index queries = queries_for(layer.d, layer.m, options_.failure);
    return RunMemory{.work = 3 * attention::example_bytes(layer.d, 2, queries) +
                             8.0 * static_cast<double>(queries) * static_cast<double>(2 * layer.m + 4),
                     .report = attention::layer_bytes(layer.d, layer.m),
                     .heads = layer.m,
                     .queries_at_once = queries};
  }

 private:
  ChainOptions options_;
};

}  // namespace

// J. Kim and T. Suzuki, arXiv 2410.08633: a parity of many bits, learnt one bit a gradient step where its
// intermediate results are told. The linear student of one step is ours.
const Method chain_method = method_of<Chain>(
    "chain", "what a parity hides, told its intermediate results: one gradient step a bit",
    "at random X; 1 + 8 ln(2 m (d-1) / failure) queries find the set but with that probability",
    OptionTable<ChainOptions>().real("failure", &ChainOptions::failure, 1e-12, 0.5,
                                     "probability that it may fail with"));

}  // namespace hardhead::learner
