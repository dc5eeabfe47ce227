#include "learner/fits/adam.h"

#include <fmt/format.h>
#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/run/parallel.h"
#include "learner/cost.h"
#include "learner/fits/fitting.h"
#include "learner/objective/blocks.h"
#include "learner/objective/linear_w.h"
#include "learner/objective/loss.h"

namespace hardhead::learner {

using namespace attention;

namespace {

constexpr std::int64_t judged_every = 100;  // steps

/// Examples first, first + 1, .. of the fitted ones, counted round and round.
struct Piece {
  std::int64_t first, count;
};

// Pieces are small, so that a batch has enough for all threads.
std::vector<Piece> pieces_of(std::int64_t first, std::int64_t batch, std::int64_t fitted) {
  constexpr std::int64_t most = 32;
  std::vector<Piece> pieces;
  for (std::int64_t done = 0; done < batch; done += pieces.back().count) {
    const std::int64_t at = (first + done) % fitted;
    pieces.push_back({at, std::min({most, batch - done, fitted - at})});
  }
  return pieces;
}

struct Buffers {
  Block block;
  BlockLoss::Scratch scratch;
};
using ThreadBuffers = tbb::enumerable_thread_specific<Buffers>;

Loss batch_loss(const SampleSource& source, const std::vector<Piece>& pieces, const Layer& layer,
                ThreadBuffers& buffers) {
  const BlockLoss block_loss(layer);
  return deterministic_reduce(
      static_cast<std::int64_t>(pieces.size()), 1, block_loss.zero(),
      [&](Loss& part, std::int64_t p) {
        const Piece& piece = pieces[static_cast<std::size_t>(p)];
        Buffers& own = buffers.local();
        own.block.resize(source.d(), source.k(), piece.count);
        source.read(piece.first, own.block);
        block_loss.add(own.block, own.scratch.attended, own.scratch, part);
      },
      [](Loss& left, const Loss& right) { left += right; });
}

/// Adam's state and update.
class AdamMoments {
 public:
  explicit AdamMoments(const Stacked& like)
      : first_(Stacked::Zero(like.rows(), like.cols())), second_(first_) {}

  void step(const Stacked& gradient, double rate, Stacked& parameters) {
    constexpr double keep_first = 0.9, keep_second = 0.999, least = 1e-12;
    ++steps_;
    first_ = keep_first * first_ + (1 - keep_first) * gradient;
    second_ = keep_second * second_ + (1 - keep_second) * gradient.cwiseAbs2();
    const double first_scale = 1 / (1 - std::pow(keep_first, steps_));
    const double second_scale = 1 / (1 - std::pow(keep_second, steps_));
    parameters.array() -=
        rate * first_scale * first_.array() / ((second_scale * second_.array()).sqrt() + least);
  }

 private:
  Stacked first_, second_;
  int steps_ = 0;
};

Layer random_layer(const Stream& stream, Index d, Index m, double norm) {
  const std::vector<Matrix> thetas = random_thetas(stream, 0, d, m, norm),
                            ws = random_thetas(stream, 1, d, m, norm);
  Layer layer{d, {}};
  for (std::size_t i = 0; i < thetas.size(); ++i) layer.heads.push_back({thetas[i], ws[i]});
  return layer;
}

struct AdamOptions {
  Index student = 0;
  std::int64_t steps = 4000;
  std::int64_t batch = 256;
  double rate = 1e-2;
  double start_norm = 0.5;
};

OptionTable<AdamOptions> adam_table() {
  return OptionTable<AdamOptions>()
      .integer("student", &AdamOptions::student, 0, 64,
               "heads of the student; 0: the stated number, or 8 if none is stated")
      .integer("steps", &AdamOptions::steps, 1, 1e9, "steps T")
      .integer("batch", &AdamOptions::batch, 1, 1e6, "examples a step")
      .real("rate", &AdamOptions::rate, 1e-12, 10, "first rate; decays to 0 as a cosine")
      .real("start_norm", &AdamOptions::start_norm, 1e-6, 1e3,
            "Frobenius norm of each Theta_i and W_i at the start");
}

/// Sum ||Y||^2 of a batch, as the held-back examples have it; not 0.
double scale_of(const std::vector<Block>& holdout, std::int64_t held_back, std::int64_t batch) {
  double sum = 0;
  for (const Block& block : holdout) sum += block.y.squaredNorm();
  return static_cast<double>(batch) * (sum > 0 ? sum / static_cast<double>(held_back) : 1);
}

/// One descent: its steps go on until one of its ends is reached.
class Descent {
 public:
  Descent(const Run& run, const AdamOptions& options)
      : run_(run),
        options_(options),
        parts_(stream_split(run.examples())),
        heads_(student_heads(run.task, options.student)),
        parameters_(stack(random_layer(Stream(Domain::learner, run.task.seed, "adam"), run.d(), heads_,
                                       options.start_norm))),
        moments_(parameters_) {}

  void descend() {
    const std::vector<Block> holdout =
        read_blocks(run_.source, parts_.fitted, parts_.held_back, run_.context);
    const double scale = scale_of(holdout, parts_.held_back, options_.batch);
    while (step_ < options_.steps && best_ > exact_prediction) {
      run_.context.stop.check();
      const double done = static_cast<double>(step_) / static_cast<double>(options_.steps);
      step(scale, options_.rate / 2 * (1 + std::cos(std::numbers::pi * done)));
      if (!parameters_.allFinite()) {
        ending_ = "parameters overflowed";
        return;
      }
      if (step_ % judged_every != 0 && step_ != options_.steps) continue;
      run_.context.progress.report("descent", done);
      judge(holdout);
    }
  }

  /// What there is to say of the steps so far.
  void add_to(Phase& phase) const {
    const Report& report = run_.recorder.report();
    phase.examples = report.examples_used;
    phase.add("heads", static_cast<double>(heads_));
    phase.add("steps", static_cast<double>(step_));
    phase.add("rounds", static_cast<double>(step_ * options_.batch) / static_cast<double>(parts_.fitted));
    phase.add("holdout_error", best_);
    if (report.layer) phase.estimates = {*report.layer};
  }

  void conclude() const {
    Report& report = run_.recorder.report();
    if (best_ <= exact_prediction)
      report.message = fmt::format("{} heads, held-back error {:.2g} after {} steps", heads_, best_, step_);
    else
      run_.recorder.fail(
          "descent",
          fmt::format(
              "{} after {} on {} distinct examples: the held-back error of {} heads is {:.2g} at best",
              ending_, step_, report.examples_used, heads_, best_));
  }

 private:
  void step(double scale, double rate) {
    const std::vector<Piece> pieces = pieces_of(step_ * options_.batch, options_.batch, parts_.fitted);
    const Loss there = batch_loss(run_.source, pieces, unstack(parameters_), buffers_);
    moments_.step(there.gradient * (2 / scale), rate, parameters_);
    ++step_;
    run_.recorder.report().examples_used = std::min(parts_.fitted, step_ * options_.batch) + parts_.held_back;
  }

  void judge(const std::vector<Block>& holdout) {
    std::optional<Layer>& kept = run_.recorder.report().layer;
    const Layer layer = unstack(parameters_);
    const double held = relative_error(holdout, layer);
    if (kept && !(held < best_)) return;
    best_ = held;
    kept = layer;
  }

  const Run& run_;
  const AdamOptions& options_;
  Split parts_;
  Index heads_;
  Stacked parameters_;
  AdamMoments moments_;
  ThreadBuffers buffers_;
  std::int64_t step_ = 0;
  double best_ = std::numeric_limits<double>::infinity();
  const char* ending_ = "steps ran out";
};

class Adam final : public Learner {
 public:
  explicit Adam(const AdamOptions& options) : options_(options) {}

  void run(const Run& run) const override {
    Descent descent(run, options_);
    run.recorder.phase(
        "descent", 0, [&](Phase&) { descent.descend(); }, [&](Phase& phase) { descent.add_to(phase); });
    descent.conclude();
  }

  std::int64_t default_examples(ExampleShape, const Task&) const override {
    return options_.steps * options_.batch + most_held_back;
  }

  // Held-back examples; parameters, gradients and moments.
  double predicted_bytes(ExampleShape shape, const Task& task) const override {
    const auto [d, k] = shape;
    const double unknowns = 2 * static_cast<double>(student_heads(task, options_.student) * d * d);
    return example_bytes(d, k, stream_split(*task.examples).held_back) + 8 * 8 * unknowns;
  }

  std::optional<double> predicted_seconds(ExampleShape shape, Index, const Task& task) const override {
    const auto [d, k] = shape;
    const double steps =
        std::min(static_cast<double>(options_.steps), 500 + 2.5 * static_cast<double>(d * d));
    return steps *
           pass_seconds(d, k, student_heads(task, options_.student), static_cast<double>(options_.batch));
  }

 private:
  AdamOptions options_;
};

}  // namespace

const Method adam_method =
    method_of<Adam>("adam", "Adam on all of (Theta, W) with fresh examples, a first-order baseline",
                    "heuristic: no guarantee", adam_table());

}  // namespace hardhead::learner
