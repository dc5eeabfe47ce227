#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "learner/cost.h"
#include "learner/fits/fitting.h"
#include "learner/network/network_squares.h"
#include "learner/objective/blocks.h"
#include "learner/objective/linear_w.h"
#include "learner/registered_methods.h"

// Heads and the network behind them at once, by damped Gauss-Newton from starts where the network passes on
// what the heads say.
namespace hardhead::learner {
namespace {

struct NetworkNewtonOptions {
  NetworkShape network{0, true};
  Index max_heads = 8;
  std::int64_t starts = 3;
  double oversampling = 32;
  int iterations = 300;
  double start_norm = 0.5;
};

OptionTable<NetworkNewtonOptions> network_newton_table() {
  return OptionTable<NetworkNewtonOptions>()
      .part(&NetworkNewtonOptions::network,
            network_rows("units that are fitted; 0: 4 d. Those that can be spared are left out"))
      .integer("max_heads", &NetworkNewtonOptions::max_heads, 1, 64,
               "largest number of heads tried when it is not given")
      .integer("starts", &NetworkNewtonOptions::starts, 1, 1000,
               "random starts of the number of heads that is best, until one succeeds")
      .real("oversampling", &NetworkNewtonOptions::oversampling, 1, 1e9,
            "examples over unknowns / (k d), but at least 1000")
      .integer("iterations", &NetworkNewtonOptions::iterations, 1, 1e6, "steps of a start, at most")
      .real(
          "start_norm", &NetworkNewtonOptions::start_norm, 1e-6, 1e3,
          "Frobenius norm of each Theta_i at the start; every other start has eight times as much, mostly on "
          "the diagonal");
}

/// The labels that the heads alone would have if the network passed them on.
std::vector<Block> behind_heads(std::vector<Block> blocks, bool residual) {
  if (residual)
    for (Block& block : blocks) block.y -= block.x;
  return blocks;
}

/// A network that passes on what it is given, as far as it has the units for it, and units at random beside
/// that: of a residual all of them, else those over 2 d, which are u = relu(u) - relu(-u).
Network start_network(const NetworkShape& shape, Index d, const Stream& stream, std::uint64_t item) {
  constexpr double out_norm = 0.1;
  const Index h = shape.units;
  std::vector<double> numbers(static_cast<std::size_t>(h * (2 * d + 1)));
  stream.normals(item, numbers);
  Network out;
  out.residual = shape.residual;
  out.in = Eigen::Map<const Matrix>(numbers.data(), h, d).rowwise().normalized();
  out.out = Eigen::Map<const Matrix>(numbers.data() + h * d, d, h);
  out.out *= out_norm / out.out.norm();
  out.in_bias = Eigen::Map<const Vector>(numbers.data() + 2 * h * d, h);
  out.out_bias = Vector::Zero(d);
  if (shape.residual || h < 2 * d) return out;
  out.in.topRows(d) = Matrix::Identity(d, d);
  out.in.middleRows(d, d) = -Matrix::Identity(d, d);
  out.out.leftCols(d) = Matrix::Identity(d, d);
  out.out.middleCols(d, d) = -Matrix::Identity(d, d);
  out.in_bias.head(2 * d).setZero();
  return out;
}

/// Fits from several starts on the same examples; the best is the report's layer.
struct Fits {
  explicit Fits(const Run& given) : run(given) {}

  void read(const Split& parts) {
    training = read_blocks(run.source, 0, parts.fitted, run.context);
    holdout = read_blocks(run.source, parts.fitted, parts.held_back, run.context);
  }

  /// A fit that comes close makes no use of some of its units, which makes it singular, and slow to end. They
  /// are left out, and the rest is fitted to its end, as often as that gains something.
  void fit(const Layer& from, int iterations, std::string_view phase) {
    constexpr double close = 1e-6, most_spared = 1e-8, least_spared = 1e-16, allowed = 3;
    Layer layer = minimise(from, iterations, close, phase);
    double here = last_error;
    for (double spared = most_spared; here <= 10 * close && spared >= least_spared;) {
      const Layer fewer =
          without_spare_units(layer, training, std::max(allowed * here, spared), run.context.stop);
      if (fewer.network->width() == layer.network->width()) break;
      Layer next = minimise(fewer, iterations, GaussNewtonOptions::rounding, phase);
      if (last_error < std::max(here, exact_prediction)) {
        layer = std::move(next);
        here = last_error;
      } else {
        spared *= 1e-3;
      }
    }
    if (here > exact_prediction) minimise(layer, iterations, GaussNewtonOptions::rounding, phase);
  }

  void finish(Phase& phase) {
    take_in();
    phase.add("starts", starts);
    phase.add("steps", steps);
    phase.add("holdout_error", error);
    if (run.recorder.report().layer) phase.estimates = {*run.recorder.report().layer};
  }

  const Run& run;
  std::vector<Block> training, holdout;
  double error = std::numeric_limits<double>::infinity();  // held back, of the best
  std::string ending;                                      // of the best
  int starts = 0, steps = 0;

 private:
  Layer minimise(const Layer& from, int iterations, double target, std::string_view phase) {
    under_way.emplace(layers_with_network(training, shape_of(from), run.context.stop), holdout,
                      stack_all(from), GaussNewtonOptions{.iterations = iterations, .target = target},
                      run.context.stop);
    under_way->minimise(run.context.progress, phase);
    Layer layer = under_way->result().layer;
    take_in();
    return layer;
  }

  void take_in() {
    if (!under_way) return;
    const GaussNewtonResult& result = under_way->result();
    steps += result.iterations;
    last_error = result.holdout_error;
    Report& report = run.recorder.report();
    // Of two that are exact the later one has fewer units.
    if (!report.layer || last_error < error ||
        (last_error <= exact_prediction && error <= exact_prediction)) {
      error = last_error;
      ending = name_of(result.ending);
      report.layer = result.layer;
    }
    under_way.reset();
  }

  std::optional<GaussNewton> under_way;
  double last_error = 0;
};

class NetworkNewton final : public ExampleAlgorithm {
 public:
  explicit NetworkNewton(const NetworkNewtonOptions& options) : options_(options) {}

  Told told() const override { return Told::network; }

  void run(const Run& run) const override {
    Fits fits(run);
    const std::int64_t examples = examples_of(run.shape(), run.task);
    run.recorder.phase(
        "fit", examples,
        [&](Phase& phase) {
          fits.read(split(examples));
          Index best = run.task.heads.value_or(1);
          for (int number = 0; number < options_.starts && fits.error > exact_prediction; ++number)
            best = fit_heads(run, fits, best, number, phase.name);
        },
        [&](Phase& phase) { fits.finish(phase); });
    Report& report = run.recorder.report();
    report.message = fmt::format("{} heads and {} units, held-back error {:.2g} ({})", report.layer->m(),
                                 report.layer->network->width(), fits.error, fits.ending);
    if (fits.error > exact_prediction)
      run.recorder.fail("fit", fmt::format("from none of {} starts: {}", fits.starts, report.message));
  }

  std::int64_t default_examples(ExampleShape shape, const Task& task) const override {
    const double unknowns = static_cast<double>(rows(shape.d, task) * shape.d);
    return examples_for(
        static_cast<std::int64_t>(std::ceil(unknowns / static_cast<double>(shape.k * shape.d))),
        options_.oversampling);
  }

  RunMemory predicted_memory(ExampleShape shape, const Task& task) const override {
    const Index m = most_heads(task);
    const PassShape pass = shape.of_heads(m);
    const double layer = layer_bytes(shape.d, m) + network_bytes(network(shape.d), shape.d);
    const std::int64_t examples = examples_of(shape, task);
    // Examples twice while a start is made.
    return {
        .work = 2 * example_bytes(shape.d, shape.k, examples) +
                std::max(fit_w_bytes(pass, examples), network_fit_bytes(pass, network(shape.d), examples)) +
                2 * layer,
        .report = 2 * layer,
        .heads = m};
  }

  // Conjugate gradients need about as many products a step in all runs.
  std::optional<PredictedSeconds> predicted_seconds(ExampleShape shape, Index m,
                                                    const Task& task) const override {
    constexpr double passes_a_step = 250, steps_if_learnt = 100;
    const Index heads = std::min(task.heads.value_or(m), most_heads(task)),
                more = task.heads ? 0 : most_heads(task) - 1;
    const double step =
        passes_a_step * pass_seconds(shape.d, shape.k, heads + network(shape.d).as_heads(shape.d),
                                     static_cast<double>(examples_of(shape, task)));
    // Each start ends with a number of heads in vain, and all of them together try no other number twice.
    const std::int64_t fits = more > 0 ? 2 * options_.starts + more : options_.starts;
    return PredictedSeconds{steps_if_learnt * static_cast<double>(more > 0 ? heads : 1) * step,
                            static_cast<double>(fits * options_.iterations) * step};
  }

 private:
  std::int64_t examples_of(ExampleShape shape, const Task& task) const {
    return std::min(*task.examples, default_examples(shape, task));
  }
  Index most_heads(const Task& task) const { return task.heads.value_or(options_.max_heads); }

  // Fits of `first` heads, and of one more as long as that halves the held-back error: what a head explains
  // is more than that. The number of the best.
  Index fit_heads(const Run& run, Fits& fits, Index first, int number, std::string_view phase) const {
    constexpr double lower_error = 0.5;
    Index best = first;
    for (Index m = first; m <= most_heads(run.task) && fits.error > exact_prediction; ++m) {
      const double before = fits.error;
      ++fits.starts;
      fits.fit(start(run, fits.training, m, number), options_.iterations, phase);
      if (m > first && !(fits.error < lower_error * before)) break;
      best = m;
    }
    return best;
  }

  NetworkShape network(Index d) const {
    constexpr Index units_a_feature = 4;
    NetworkShape out = options_.network;
    if (out.units == 0) out.units = units_a_feature * d;
    return out;
  }
  Index rows(Index d, const Task& task) const { return 2 * most_heads(task) * d + network(d).rows(d); }

  Layer start(const Run& run, const std::vector<Block>& training, Index m, int number) const {
    const Stream stream(Domain::learner, run.task.seed, "network newton");
    const auto item = static_cast<std::uint64_t>(2 * number);
    Layer layer =
        fit_w(behind_heads(training, options_.network.residual),
              start_thetas(stream, item, run.d(), m, options_.start_norm, number), run.context.stop);
    layer.network = start_network(network(run.d()), run.d(), stream, item + 1);
    return layer;
  }

  NetworkNewtonOptions options_;
};

}  // namespace

const Method network_newton_method = method_of<NetworkNewton>(
    "network-newton", "damped Gauss-Newton on heads and the network behind them at once, from random starts",
    "heuristic: no guarantee", network_newton_table(), [](const Spec& method, double) {
      std::vector<Rung> rungs;
      for (const char* oversampling : {"8", "32", "128", "512"})
        rungs.push_back({{Learner(with_options(method, {{"oversampling", oversampling}}))}});
      return rungs;
    });

}  // namespace hardhead::learner
