#include "learner/gradient/descent.h"

#include <algorithm>

#include "learner/objective/blocks.h"
#include "learner/objective/linear_w.h"

namespace hardhead::learner {
namespace {

// The loss of predicting 0 for `batch` examples, as the held-back ones have it; not 0.
double null_loss(const std::vector<Block>& holdout, LossKind kind, std::int64_t batch) {
  double sum = 0;
  for (const Block& block : holdout)
    sum += kind == LossKind::squared ? block.y.squaredNorm() : block.y.lpNorm<1>();
  return static_cast<double>(batch) * (sum > 0 ? sum / static_cast<double>(examples_in(holdout)) : 1);
}

// A fifth of the steps taken, so that what a success costs is known to as much; but so few at the start, and
// so many later, that judging takes a small part of the time.
std::int64_t steps_to_next_judgement(std::int64_t taken, std::int64_t batch) {
  constexpr std::int64_t least_steps = 100, examples = 50'000;
  const std::int64_t most = std::max(least_steps, examples / batch);
  return std::clamp(taken / 5, most / 20, most);
}

}  // namespace

Descent::Descent(const Run& run, const StudentShape& shape, const DescentOptions& options,
                 const std::vector<Block>& holdout, std::int64_t fitted, const Stream& start)
    : run_(run),
      shape_(shape),
      options_(options),
      holdout_(holdout),
      fitted_(fitted),
      batches_(run.source, fitted, options.batch, options.steps, start),
      parameters_(random_student(shape, start, options.start)),
      optimiser_(options.rule, options.momentum, parameters_, shape.theta_rows()),
      scale_(null_loss(holdout, options.loss, options.batch)) {}

double Descent::bytes(const StudentShape& student, const PassShape& examples, const DescentOptions& options,
                      std::int64_t fitted) {
  const auto [d, k, m, signs] = examples;
  const Index columns = float_block_size(k);
  const std::int64_t blocks = options.batch / columns + 2;
  // Parameters with two moments and a temporary in single precision; in double the random numbers that they
  // start from.
  const double parameters = 4 * 4 * student.parameters() + 8 * student.parameters();
  const double gradients = StudentLoss::gradient_bytes(student) *
                           static_cast<double>(most_partial_results(blocks, blocks_a_run) + 1);
  const double buffers = example_bytes(d, k, columns) + float_block_bytes(d, k, columns) +
                         StudentLoss::scratch_bytes(student, k, columns);
  // The best layer, and the one that is judged.
  const double judging = 2 * layer_bytes(d, m) + relative_error_bytes(examples);
  return parameters + gradients + threads() * buffers + judging +
         Batches::bytes(d, k, fitted, options.batch, options.steps);
}

void Descent::descend_to(double error) {
  while (step_ < options_.steps && error_ > error) {
    run_.context.stop.check();
    step();
    if (!parameters_.allFinite()) {
      ending_ = DescentEnding::overflowed;
      return;
    }
    if (step_ < judged_ + steps_to_next_judgement(judged_, options_.batch) && step_ != options_.steps)
      continue;
    run_.context.progress.report("descent", static_cast<double>(step_) / static_cast<double>(options_.steps));
    judge();
    if (overfitted()) {
      ending_ = DescentEnding::overfitted;
      return;
    }
    if (options_.patience > 0 && step_ - last_gain_ >= options_.patience) {
      ending_ = DescentEnding::stopped_falling;
      return;
    }
  }
}

void Descent::step() {
  batches_.next();
  const StudentLoss loss(shape_, options_.loss, parameters_);
  const auto add = [&](StudentGradient& part, std::size_t b) {
    Buffers& own = buffers_.local();
    batches_.read(b, own.read, own.block);
    loss.add(own.block, own.scratch, part);
  };
  StudentGradient sum = sum_over_blocks(batches_.blocks(), loss.zero(), run_.context.stop, add);
  loss.finish(sum);
  loss_since_ += sum.loss / scale_;
  sum.gradient *= static_cast<float>(1 / scale_);
  const double done = static_cast<double>(step_) / static_cast<double>(options_.steps);
  const double rate = options_.rate * rate_left(options_.schedule, done);
  optimiser_.step(sum.gradient, rate, parameters_);
  shrink_off_diagonal(shape_, rate * options_.shrinkage * std::min(1.0, error_), parameters_);
  ++step_;
}

void Descent::judge() {
  constexpr double gain = 0.99;
  training_loss_ = loss_since_ / static_cast<double>(step_ - judged_);
  loss_since_ = 0;
  judged_ = step_;
  const Layer layer = to_layer(shape_, parameters_);
  // The first layer is judged in any case, so that a run that is stopped has one.
  const double held_back = relative_error(holdout_, layer, best_ ? run_.context.stop : StopToken());
  if (held_back < gain * error_of_last_gain_) {
    last_gain_ = step_;
    error_of_last_gain_ = held_back;
  }
  if (best_ && !(held_back < error_)) return;
  error_ = held_back;
  best_ = layer;
}

// Examples that have all been taken before, and a loss on them that is far below the held-back error: more
// steps would only fit them more closely.
bool Descent::overfitted() const {
  constexpr double far_below = 0.01;
  const bool taken_before = step_ * options_.batch > 2 * fitted_;
  return taken_before && options_.loss == LossKind::squared && training_loss_ < far_below * error_;
}

}  // namespace hardhead::learner
