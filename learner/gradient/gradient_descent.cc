// The learners `adam`, `sgd` and `sign-sgd`: stochastic gradients (optimiser.h) on a student of the shape
// that the options name (student.h), in single precision, then Gauss-Newton in double.
//
// A descent takes T steps. Each step takes the next `batch` examples (batches.h), or all there are if they
// are fewer, and follows the gradient of
//
//     sum ||F(X) - Y||^2 / (batch * mean ||Y||^2)   or   sum |F(X) - Y| / (batch * mean |Y|),
//
// where the means are those of the held-back examples. It then moves every entry of a full Theta_i off the
// diagonal towards 0 by rate * shrinkage * min(1, held-back error): a step of Adam or of signs is as long in
// a direction of pure noise as in any other, and the d^2 - d entries off the diagonal, which mostly are such
// directions at the start, would drown the diagonal before it has learnt anything. Up to 2000 examples, at
// most a tenth, are held back and judge the student at fixed steps. A descent ends when the held-back error
// is at most `until`, when it has not fallen by a hundredth for `patience` steps, when examples that have
// been taken twice are fitted a hundred times better than others (squared loss), or after its last step. Up
// to `starts` descents are made, each from other random parameters, until one ends with such an error.
//
// As soon as the held-back error is at most 0.01, 1e-4 and `until`, a polish merges heads of about the same
// attention form (student.h) and runs Gauss-Newton from there, in double, for about a tenth of the descent's
// time, also on the network of a student with one. If held-back examples are then predicted exactly, the run
// is done; else the descent goes on.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "learner/cost.h"
#include "learner/fits/fitting.h"
#include "learner/fits/gauss_newton.h"
#include "learner/gradient/descent.h"
#include "learner/network/network_squares.h"
#include "learner/objective/blocks.h"
#include "learner/objective/linear_w.h"
#include "learner/registered_methods.h"

namespace hardhead::learner {
namespace {

// A layer with a smaller held-back error is worth a polish.
constexpr double worth_a_polish = 0.01;
// Columns of all W_i together: the preconditioner has a matrix of this size.
constexpr Index most_polished_columns = 2048;
// What a polish keeps of its examples: it is enough where heads were merged. A prediction of memory has to
// count it for a student none of whose heads were.
constexpr double most_kept_bytes = 32.0 * 1024 * 1024;
// Examples of a polish over those that examples_for() says are needed.
constexpr double polish_oversampling = 4;

struct GradientOptions {
  Index student = 0;
  ThetaShape theta = ThetaShape::full;
  Index rank = 4;
  NetworkShape network{0, true};
  std::int64_t starts = 1;
  DescentOptions descent;
};

OptionTable<StudentStart> start_rows() {
  return OptionTable<StudentStart>()
      .real("theta_norm", &StudentStart::theta_norm, 1e-6, 1e3, "Frobenius norm of each Theta_i at the start")
      .real("off_diagonal", &StudentStart::off_diagonal, 0, 1,
            "size of its entries off the diagonal relative to those on it; 1: all alike")
      .real("w_norm", &StudentStart::w_norm, 1e-6, 1e3, "Frobenius norm of each W_i at the start");
}

OptionTable<DescentOptions> descent_rows(const DescentOptions& defaults) {
  return OptionTable<DescentOptions>(defaults)
      .choice("loss", &DescentOptions::loss, "what a descent minimises")
      .integer("steps", &DescentOptions::steps, 1, 1e9, "steps T, at most")
      .integer("batch", &DescentOptions::batch, 1, 1e6, "examples a step")
      .real("rate", &DescentOptions::rate, 1e-12, 1e3, "first rate")
      .choice("schedule", &DescentOptions::schedule, "how the rate goes down")
      .real("shrinkage", &DescentOptions::shrinkage, 0, 1e3,
            "how far a step moves Theta's entries off the diagonal towards 0, in rates times the held-back "
            "error")
      .integer("patience", &DescentOptions::patience, 0, 1e9,
               "steps without a smaller held-back error that end a start; 0: none do")
      .real("until", &DescentOptions::until, 1e-12, 1, "held-back error at which a descent ends")
      .part(&DescentOptions::start, start_rows());
}

OptionTable<GradientOptions> gradient_table(UpdateRule rule, double rate) {
  DescentOptions defaults;
  defaults.rule = rule;
  defaults.rate = rate;
  if (rule != UpdateRule::sgd) defaults.shrinkage = 0.3;
  OptionTable<DescentOptions> descent = descent_rows(defaults);
  if (rule != UpdateRule::adam)
    descent.real("momentum", &DescentOptions::momentum, 0, 0.9999, "part of the last direction that is kept");
  GradientOptions options;
  options.descent = defaults;
  return OptionTable<GradientOptions>(options)
      .integer("student", &GradientOptions::student, 0, 1024,
               "heads of the student; 0: four times the stated number, at least 64")
      .choice("theta", &GradientOptions::theta, "what the student assumes of each Theta_i")
      .integer("rank", &GradientOptions::rank, 1, 512, "rank of each Theta_i, for theta=low-rank")
      .part(&GradientOptions::network, network_rows("units of a network behind the student's heads; 0: none"))
      .integer("starts", &GradientOptions::starts, 1, 1000, "random starts, until one succeeds")
      .part(&GradientOptions::descent, descent);
}

// A network's numbers count as heads.
std::int64_t examples_of_a_polish(Index d, Index k, Index m, const NetworkShape& network,
                                  std::int64_t fitted) {
  return std::min(fitted, examples_for(d, k, m + network.as_heads(d), polish_oversampling));
}

/// The errors at which a descent is interrupted for a polish. After the last, `until`, it has ended.
std::vector<double> milestones(double until) {
  std::vector<double> out;
  for (const double error : {worth_a_polish, 1e-4})
    if (error > until) out.push_back(error);
  out.push_back(until);
  return out;
}

/// One run of a gradient learner: descents, each with its polishes, until one succeeds.
class GradientRun {
 public:
  GradientRun(const Run& run, const GradientOptions& options, const StudentShape& shape)
      : run_(run),
        options_(options),
        shape_(shape),
        parts_(stream_split(run.examples())),
        batch_(std::min(options.descent.batch, parts_.fitted)),
        holdout_(read_blocks(run.source, parts_.fitted, parts_.held_back, run.context)) {}

  void learn() {
    for (; starts_ < options_.starts && error_ > options_.descent.until; ++starts_) {
      const Stream random(Domain::learner, run_.task.seed, fmt::format("descent {}", starts_));
      DescentOptions options = options_.descent;
      options.batch = batch_;
      descent_.emplace(run_, shape_, options, holdout_, parts_.fitted, random);
      for (const double milestone : milestones(options.until)) {
        descend_to(milestone);
        if (descent_->error() > milestone) break;
        if (milestone <= worth_a_polish) polish();
        if (error_ <= exact_prediction) break;
      }
    }
    conclude();
  }

 private:
  // The first phase of a kind has its plain name, the next ones a number.
  std::string numbered(const char* name) const {
    return rounds_ == 1 ? std::string(name) : fmt::format("{}_{}", name, rounds_);
  }

  void descend_to(double error) {
    ++rounds_;
    const std::int64_t steps_before = descent_->steps();
    run_.recorder.phase(
        numbered("descent"), 0, [&](Phase&) { descent_->descend_to(error); },
        [&](Phase& phase) {
          Report& report = run_.recorder.report();
          steps_ += descent_->steps() - steps_before;
          keep(descent_->error(), descent_->best());
          const std::int64_t taken = descent_->steps() * batch_;
          phase.examples = std::min(parts_.fitted, taken) + parts_.held_back;
          report.examples_used = std::max(report.examples_used, phase.examples);
          phase.add("heads", static_cast<double>(shape_.heads));
          phase.add("steps", static_cast<double>(descent_->steps()));
          phase.add("rounds", static_cast<double>(taken) / static_cast<double>(parts_.fitted));
          phase.add("holdout_error", descent_->error());
          if (descent_->best()) phase.estimates = {*descent_->best()};
        });
  }

  // Gauss-Newton from the student with heads merged: a student that comes near a layer of fewer heads has
  // several heads near each of the layer's. What Gauss-Newton makes of them can be merged again.
  void polish() {
    const Layer trained = *descent_->best();
    run_.recorder.phase(
        numbered("polish"), 0,
        [&](Phase& phase) {
          Index tried = 0;
          for (const double distance : {0.5, 0.2}) {
            Layer start = merge_heads(trained, distance);
            while (start.m() != tried && start.m() * run_.d() <= most_polished_columns) {
              tried = start.m();
              const GaussNewtonResult fit = gauss_newton_from(start, phase);
              if (error_ <= exact_prediction) return;
              if (fit.holdout_error > worth_a_polish) break;
              start = merge_heads(fit.layer, distance);
            }
          }
        },
        [&](Phase& phase) {
          Report& report = run_.recorder.report();
          report.examples_used = std::max(report.examples_used, phase.examples + parts_.held_back);
          phase.add("heads", static_cast<double>(report.layer->m()));
          phase.add("holdout_error", error_);
          phase.estimates = {*report.layer};
        });
  }

  GaussNewtonResult gauss_newton_from(const Layer& start, Phase& phase) {
    const std::int64_t examples =
        examples_of_a_polish(run_.d(), run_.k(), start.m(), shape_.network, parts_.fitted);
    phase.examples = std::max(phase.examples, examples);
    const std::vector<Block> training = read_blocks(run_.source, 0, examples, run_.context);
    const GaussNewtonOptions options = polish_options(examples * start.m());
    GaussNewtonResult fit =
        start.network ? fit_with_network(training, holdout_, start, options, run_.context, phase.name)
                      : gauss_newton(training, holdout_, refitted(start, training, run_.context.stop),
                                     options, run_.context, phase.name);
    keep(fit.holdout_error, fit.layer);
    return fit;
  }

  // As many conjugate gradient steps as take about a tenth of the descent's time, where each passes once over
  // `examples_and_heads` in double: what converges takes far fewer.
  GaussNewtonOptions polish_options(std::int64_t examples_and_heads) const {
    constexpr double least_steps = 100, most_steps = 1e5, part = 1.0 / 40;
    const double descended = static_cast<double>(descent_->steps() * batch_ * shape_.heads);
    const double steps = part * descended / static_cast<double>(examples_and_heads);
    return {.iterations = 60,
            .all_inner_iterations = static_cast<int>(std::clamp(steps, least_steps, most_steps)),
            .kept_bytes = most_kept_bytes};
  }

  // With the W_i that fit best: merged heads leave some of what they did together undone.
  static Layer refitted(const Layer& layer, const std::vector<Block>& training, const StopToken& stop) {
    std::vector<Matrix> thetas;
    for (const Head& head : layer.heads) thetas.push_back(head.theta);
    return fit_w(training, thetas, stop);
  }

  // The report has the best layer of all.
  void keep(double error, const std::optional<Layer>& layer) {
    if (!layer || !(error < error_)) return;
    error_ = error;
    run_.recorder.report().layer = layer;
  }

  void conclude() const {
    Report& report = run_.recorder.report();
    if (error_ <= options_.descent.until)
      report.message = fmt::format("{} head{}, held-back error {:.2g} after {} steps", report.layer->m(),
                                   report.layer->m() == 1 ? "" : "s", error_, steps_);
    else
      run_.recorder.fail(
          "descent",
          fmt::format("{} after {} on {} distinct examples: the held-back error of {} heads is "
                      "{:.2g} at best",
                      name_of(descent_->ending()), steps_, report.examples_used, shape_.heads, error_));
  }

  const Run& run_;
  const GradientOptions& options_;
  StudentShape shape_;
  Split parts_;
  std::int64_t batch_;  // all examples at most
  std::vector<Block> holdout_;
  std::optional<Descent> descent_;                          // the one under way
  double error_ = std::numeric_limits<double>::infinity();  // held back, of the report's layer
  std::int64_t starts_ = 0, steps_ = 0;                     // of all descents
  int rounds_ = 0;                                          // descents and continued descents
};

class GradientDescent final : public ExampleAlgorithm {
 public:
  explicit GradientDescent(const GradientOptions& options) : options_(options) {
    const auto& [units, residual] = options.network;
    if (units == 0 && !residual) throw InputError("residual=0: a student of width=0 has no network");
    if (units > 0 && options.theta != ThetaShape::full)
      throw InputError(fmt::format("width={}: a student with a network has theta=full", units));
  }

  Told told() const override {
    if (options_.theta != ThetaShape::full) return Told::form;
    return options_.network.empty() ? Told::nothing : Told::network;
  }

  void run(const Run& run) const override { GradientRun(run, options_, shape(run.d(), run.task)).learn(); }

  std::int64_t default_examples(ExampleShape, const Task&) const override {
    return options_.descent.steps * options_.descent.batch + most_held_back;
  }

  // Held-back examples; a descent, and the polish of what it learnt; layers.
  RunMemory predicted_memory(ExampleShape example, const Task& task) const override {
    const auto [d, k, signs] = example;
    const Split parts = stream_split(*task.examples);
    const StudentShape student = shape(d, task);
    DescentOptions descent = options_.descent;
    descent.batch = std::min(descent.batch, parts.fitted);
    constexpr std::int64_t phases_a_start = 6, merged = 5;
    const PassShape whole = example.of_heads(student.heads),
                    polished = example.of_heads(std::min(student.heads, most_polished_columns / d));
    return {.work = example_bytes(d, k, parts.held_back) + layer_bytes(d, merged * student.heads) +
                    Descent::bytes(student, whole, descent, parts.fitted) +
                    (descent.until <= worth_a_polish ? polish_bytes(polished, parts.fitted) : 0),
            .report = layer_bytes(d, (options_.starts * phases_a_start + 1) * student.heads),
            .heads = student.heads};
  }

  std::optional<PredictedSeconds> predicted_seconds(ExampleShape example, Index,
                                                    const Task& task) const override {
    constexpr double of_a_pass_in_double = 0.25;
    const auto [d, k, signs] = example;
    const double all_steps = static_cast<double>(options_.descent.steps),
                 steps = std::min(all_steps, 500 + 2.5 * static_cast<double>(d * d)),
                 step = of_a_pass_in_double *
                        pass_seconds(d, k, heads(task), static_cast<double>(options_.descent.batch));
    return PredictedSeconds{steps * step, static_cast<double>(options_.starts) * all_steps * step};
  }

 private:
  Index heads(const Task& task) const {
    constexpr Index least = 64, for_each_stated = 4;
    if (options_.student > 0) return options_.student;
    return std::clamp<Index>(for_each_stated * task.heads.value_or(1), least, 1024);
  }

  // Gauss-Newton on this many heads at most, and its examples.
  double polish_bytes(const PassShape& pass, std::int64_t fitted) const {
    if (pass.m == 0) return 0;
    const std::int64_t examples = examples_of_a_polish(pass.d, pass.k, pass.m, options_.network, fitted);
    if (!options_.network.empty())
      return example_bytes(pass.d, pass.k, examples) + network_fit_bytes(pass, options_.network, examples);
    return example_bytes(pass.d, pass.k, examples) +
           std::max(fit_w_bytes(pass, examples), gauss_newton_bytes(pass, examples, most_kept_bytes));
  }

  StudentShape shape(Index d, const Task& task) const {
    return {d, heads(task), options_.theta, options_.theta == ThetaShape::low_rank ? options_.rank : 0,
            options_.network};
  }

  GradientOptions options_;
};

// More steps on wider students, each with three rates. Where there are enough steps, they are also given to
// several starts, one after the other: a descent that stays on its first plateau seldom leaves it. Descents
// end well below the error that is wanted: the held-back error is one of few examples.
std::vector<Rung> gradient_ladder(const Spec& method, double rate, double wanted) {
  constexpr std::int64_t least_steps_of_a_start = 2500;
  const std::string until = fmt::format("{:.2g}", std::max(DescentOptions{}.until, wanted / 3));
  std::vector<Rung> rungs;
  std::int64_t steps = 1250;
  for (const Index heads : {32, 64, 64, 128, 128, 256, 256}) {
    const auto setting = [&](double factor, std::int64_t steps_of_a_start) {
      return with_options(method, {{"student", fmt::format("{}", heads)},
                                   {"steps", fmt::format("{}", steps_of_a_start)},
                                   {"rate", fmt::format("{:.3g}", factor * rate)},
                                   {"until", until}});
    };
    Rung rung;
    for (const double factor : {1.0, 0.3, 3.0}) rung.settings.push_back(setting(factor, steps));
    for (const std::int64_t starts : {8, 32})
      if (steps / starts >= least_steps_of_a_start)
        rung.settings.push_back(
            with_options(setting(1, steps / starts), {{"starts", fmt::format("{}", starts)}}));
    rungs.push_back(std::move(rung));
    steps *= 4;
  }
  return rungs;
}

Method gradient_method(UpdateRule rule, std::string name, std::string summary, double rate) {
  return method_of<GradientDescent>(
      std::move(name), std::move(summary), "heuristic: no guarantee", gradient_table(rule, rate),
      [rate](const Spec& method, double wanted) { return gradient_ladder(method, rate, wanted); });
}

}  // namespace

const Method adam_method = gradient_method(
    UpdateRule::adam, "adam", "Adam on a wide student with fresh examples, then Gauss-Newton", 3e-3);
const Method sgd_method = gradient_method(
    UpdateRule::sgd, "sgd", "stochastic gradients with momentum on a wide student, then Gauss-Newton", 0.05);
const Method sign_sgd_method =
    gradient_method(UpdateRule::sign_sgd, "sign-sgd",
                    "signs of gradients for Theta and Adam for W on a wide student, then Gauss-Newton", 6e-3);

}  // namespace hardhead::learner
