#include "learner/adam.h"

#include <fmt/format.h>
#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/parallel.h"
#include "learner/blocks.h"
#include "learner/cost.h"
#include "learner/fitting.h"
#include "learner/linear_w.h"
#include "learner/loss.h"

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
class Moments {
 public:
  explicit Moments(const Stacked& like) : first_(Stacked::Zero(like.rows(), like.cols())), second_(first_) {}

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

Report run(const SampleSource& source, const Task& task, const Parameters& options, const RunControl& control,
           Observer* observer) {
  Report report;
  const Index m = student_heads(task, options);
  const Split parts = stream_split(*task.examples);
  const std::int64_t steps = options.integer("steps"), batch = options.integer("batch");
  const Stopwatch watch;
  std::int64_t step = 0;
  double best = std::numeric_limits<double>::infinity();
  std::string reason;
  try {
    const std::vector<Block> holdout = read_blocks(source, parts.fitted, parts.held_back, control);
    double scale = 0;
    for (const Block& block : holdout) scale += block.y.squaredNorm();
    scale = static_cast<double>(batch) * (scale > 0 ? scale / static_cast<double>(parts.held_back) : 1);
    Stacked parameters = stack(
        random_layer(Stream(Domain::learner, task.seed, "adam"), source.d(), m, options.real("start_norm")));
    Moments moments(parameters);
    ThreadBuffers buffers;
    reason = "steps ran out";
    while (step < steps && best > exact_prediction) {
      control.check();
      const Loss there =
          batch_loss(source, pieces_of(step * batch, batch, parts.fitted), unstack(parameters), buffers);
      const double done = static_cast<double>(step) / static_cast<double>(steps);
      const double rate = options.real("rate") / 2 * (1 + std::cos(std::numbers::pi * done));
      moments.step(there.gradient * (2 / scale), rate, parameters);
      ++step;
      report.examples_used = std::min(parts.fitted, step * batch) + parts.held_back;
      if (!parameters.allFinite()) {
        reason = "parameters overflowed";
        break;
      }
      if (step % judged_every != 0 && step != steps) continue;
      control.progress("descent", done);
      const Layer layer = unstack(parameters);
      const double held = relative_error(holdout, layer);
      if (held < best || !report.layer) best = held, report.layer = layer;
    }
  } catch (const Stopped& stopped) {
    report.ending = Ending::stopped;
    report.message = stopped.reason;
    return report;
  }
  Phase phase{.name = "descent", .examples = report.examples_used};
  phase.add("heads", static_cast<double>(m));
  phase.add("steps", static_cast<double>(step));
  phase.add("rounds", static_cast<double>(step * batch) / static_cast<double>(parts.fitted));
  phase.add("holdout_error", best);
  phase.seconds = watch.seconds();
  report.phases.push_back(phase);
  if (observer != nullptr && report.layer) observer->layer(0, *report.layer);
  if (best <= exact_prediction) {
    report.message = fmt::format("{} heads, held-back error {:.2g} after {} steps", m, best, step);
  } else {
    report.ending = Ending::failed;
    report.failed_phase = "descent";
    report.message =
        fmt::format("{} after {} on {} distinct examples: the held-back error of {} heads is {:.2g} at best",
                    reason, step, report.examples_used, m, best);
  }
  return report;
}

std::int64_t default_examples(Index, Index, const Task&, const Parameters& options) {
  return options.integer("steps") * options.integer("batch") + most_held_back;
}

// Held-back examples; parameters, gradients and moments.
double predicted_bytes(Index d, Index k, const Task& task, const Parameters& options) {
  const double unknowns = 2 * static_cast<double>(student_heads(task, options) * d * d);
  return example_bytes(d, k, stream_split(*task.examples).held_back) + 8 * 8 * unknowns;
}

std::optional<double> predicted_seconds(Index d, Index k, Index, const Task& task,
                                        const Parameters& options) {
  const double steps =
      std::min(static_cast<double>(options.integer("steps")), 500 + 2.5 * static_cast<double>(d * d));
  return steps *
         pass_seconds(d, k, student_heads(task, options), static_cast<double>(options.integer("batch")));
}

}  // namespace

const Method adam_method{
    "adam",
    "Adam on all of (Theta, W) with fresh examples, a first-order baseline",
    "heuristic: no guarantee",
    {Parameter::integer("student", 0, 0, 64,
                        "heads of the student; 0: the stated number, or 8 if none is stated"),
     Parameter::integer("steps", 4000, 1, 1e9, "steps T"),
     Parameter::integer("batch", 256, 1, 1e6, "examples a step"),
     Parameter::real("rate", 1e-2, 1e-12, 10, "first rate; decays to 0 as a cosine"),
     Parameter::real("start_norm", 0.5, 1e-6, 1e3, "Frobenius norm of each Theta_i and W_i at the start")},
    default_examples,
    predicted_bytes,
    predicted_seconds,
    run};

}  // namespace hardhead::learner
