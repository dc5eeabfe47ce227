// The learner `gauss-newton`. For each number m of heads (fit_all) it reads examples_for(m) examples
// (fitting.h), or as many as it is allowed, and holds a tenth of them back. Where no m succeeds and it is
// allowed more, it begins again with 4 times as many examples, then with 16 and with 64 times. (On parity
// layers, few examples are overfitted by every start and more of them are learnt.)
//
// Restarts: at most `starts` for each m, all on the same examples, Theta_i from start_thetas() and W by least
// squares, until one predicts the held-back examples exactly; the best on those is kept. A start that ends
// elsewhere goes on once with heads of the wrong sign turned (head_signs.h). A single start where the
// examples cannot determine the layer: fewer fitted than pattern_bound, or a start that ended undetermined.
//
// With the option `rank`, heads are fitted in factors (factors.h). The first start has the Q_i, K_i and V_i
// that the labels show to first order, for which more examples are read than are fitted where d is large
// (factored_fits.h). Where first order leaves more than a third of the labels, twice as many examples are
// fitted: attention is far from linear there, and many examples say little of it. Heads are neither turned
// nor left out. With ranks=found, fits have heads of ranks d / m, twice that, .. (growing_ranks), until one
// predicts the held-back examples exactly, each from the examples that such heads ask for; what a rank is too
// large by is cut off (head_fits.h).
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "learner/cost.h"
#include "learner/fits/factored_fits.h"
#include "learner/fits/fitting.h"
#include "learner/fits/gauss_newton.h"
#include "learner/fits/head_fits.h"
#include "learner/fits/head_strengths.h"
#include "learner/objective/linear_w.h"
#include "learner/registered_methods.h"

namespace hardhead::learner {
namespace {

// Where no fit predicts, the learner takes growth_step times the examples, up to most_growth times those that
// it began with; where these barely determine one, twice as many, and goes on.
constexpr int growth_step = 4, most_growth = 64, growth_of_begun = 2;
// Heads that are counted at most, since more are seldom told from noise, and strengths beyond theirs.
constexpr Index most_counted = 8, counted_beyond = 2;
// Numbers of heads that are tried in a row without a held-back error this much lower than before. Errors on
// other held-back examples differ by a few percent where labels have noise.
constexpr int most_in_vain = 3;
constexpr double lower_error = 0.95;
// Examples at least: to fit whole heads, to count them, and of heads in factors.
constexpr std::int64_t fewest_for_heads = 200, fewest_for_count = 1000, fewest_in_factors = 1000;

struct GaussNewtonLearnerOptions {
  std::int64_t starts = 3;
  double oversampling = 4;
  Index student = 0;
  Index max_heads = 16;
  int iterations = 1000;
  int patience = GaussNewtonOptions().patience;
  double start_norm = 0.5;
  double target = GaussNewtonOptions::rounding;
  FactorOptions in_factors;
  Ranks ranks = Ranks::given;
};

OptionTable<GaussNewtonLearnerOptions> gauss_newton_table() {
  return OptionTable<GaussNewtonLearnerOptions>()
      .integer("starts", &GaussNewtonLearnerOptions::starts, 1, 1000,
               "random starts for each number of heads")
      .real("oversampling", &GaussNewtonLearnerOptions::oversampling, 1, 1e9,
            "examples over the larger of 2 m d / k and d^2 / (k (k-1)), but at least 200, and at least 1000 "
            "to count heads; with rank, over the bounds of such heads and d m / k, and at least 1000")
      .integer("student", &GaussNewtonLearnerOptions::student, 0, 64,
               "heads that are fitted; 0: the stated number, or found if none is stated")
      .integer("max_heads", &GaussNewtonLearnerOptions::max_heads, 1, 64,
               "largest number of heads tried when it is not given")
      .integer("iterations", &GaussNewtonLearnerOptions::iterations, 1, 1e6, "steps of a start, at most")
      .integer("patience", &GaussNewtonLearnerOptions::patience, 1, 1e6,
               "steps without a better held-back error before a start ends")
      .real(
          "start_norm", &GaussNewtonLearnerOptions::start_norm, 1e-6, 1e3,
          "Frobenius norm of each Theta_i at the start; every other start of whole heads has eight times as "
          "much, mostly on the diagonal")
      .real("target", &GaussNewtonLearnerOptions::target, GaussNewtonOptions::rounding, exact_prediction,
            "relative error of fitted and held-back examples at which a start is done")
      .part(&GaussNewtonLearnerOptions::in_factors, factor_rows())
      .choice(
          "ranks", &GaussNewtonLearnerOptions::ranks,
          "given: `rank` and `value_rank`; found: d / m at first, twice as much each time, up to `rank` (0: "
          "d); heads are then cut to the ranks that they have");
}

// What a fit may have: m whole heads, or m heads in factors.
struct HeadsTried {
  Index m;
  std::optional<Factors> in_factors;

  Factors ranks(Index d) const { return in_factors.value_or(Factors{m, d, d}); }
  // The bounds on examples that can determine the heads, and the Theta_i.
  std::int64_t least_for_layer(ExampleShape shape) const {
    return counting_bound(ranks(shape.d), shape.d, shape.k);
  }
  std::int64_t least_for_patterns(ExampleShape shape) const {
    return pattern_bound(ranks(shape.d), shape.d, shape.k);
  }
};

class GaussNewtonLearner final : public ExampleAlgorithm {
 public:
  explicit GaussNewtonLearner(const GaussNewtonLearnerOptions& options) : options_(options) {
    if (options.ranks == Ranks::given) check_factor_options("gauss-newton", options.in_factors);
  }

  Told told() const override {
    return options_.ranks == Ranks::given && options_.in_factors.told() ? Told::form : Told::nothing;
  }

  void run(const Run& run) const override {
    BestFit best;
    const int last = last_growth(run.shape(), run.task);
    int growth = 0;
    do {
      const int step = best.ending == GaussNewtonEnding::barely_determined ? growth_of_begun : growth_step;
      growth = std::clamp(growth * step, 1, last);
      fit_all(run, growth, best);
    } while (growth < last && best.error > exact_prediction);
    Report& report = run.recorder.report();
    if (best.error <= exact_prediction)
      report.message = fmt::format("{} head{}, held-back error {:.2g}", report.layer->m(),
                                   report.layer->m() == 1 ? "" : "s", best.error);
    else
      run.recorder.fail(phase_name(report.layer->m()), failure(run, best));
  }

  std::int64_t least_examples(ExampleShape shape, const Task& task) const override {
    return tried(shape, task.heads.value_or(1)).front().least_for_layer(shape);
  }

  std::int64_t default_examples(ExampleShape shape, const Task& task) const override {
    return std::max(wanted_by_fit(shape, largest_tried(shape, task), most_growth),
                    counts(task) ? wanted_by_count(shape, most_growth) : 0);
  }

  // The layers that a fit begins and ends with, and what it takes with most heads and one more
  // (turned_heads), or what comes before it; and the best layer of each number of heads and each
  // rank, which the report has, and of all.
  RunMemory predicted_memory(ExampleShape shape, const Task& task) const override {
    const Index first = least_heads(task), last = most_heads(task);
    const PassShape pass = shape.of_heads(last + 1), counted = shape.of_heads(counted_at_once(task));
    const HeadsTried largest = largest_tried(shape, task);
    const std::int64_t examples = examples_of(shape, largest, most_growth, task),
                       of_count = std::min(*task.examples, wanted_by_count(shape, most_growth));
    double before_fit = 0;
    if (counts(task))
      before_fit = FirstOrder::bytes(counted, of_count, leading_heads_products) +
                   leading_heads_bytes(shape.d, counted.m);
    if (largest.in_factors)
      before_fit =
          std::max(before_fit, first_order_bytes(pass, *largest.in_factors,
                                                 of_first_order(shape, largest, most_growth, task).back()));
    const auto ranks = static_cast<Index>(tried(shape, last).size());
    const Index reported = ranks * (first + last) * (last - first + 1) / 2;
    return {.work = 4 * layer_bytes(shape.d, last + 1) +
                    std::max(before_fit,
                             example_bytes(shape.d, shape.k, examples) + fit_bytes(pass, largest, examples)),
            .report = layer_bytes(shape.d, reported + last),
            .heads = last};
  }

  std::optional<PredictedSeconds> predicted_seconds(ExampleShape shape, Index m,
                                                    const Task& task) const override {
    const Index first = least_heads(task), last = std::max(first, std::min(m, most_heads(task)));
    double every_fit = 0;
    for (int growth = 1; growth <= last_growth(shape, task); growth *= growth_step)
      for (Index heads = first; heads <= most_heads(task); ++heads)
        for (const HeadsTried& one : tried(shape, heads))
          every_fit += seconds_of_a_fit(shape, one, growth, task);
    const double first_fit = seconds_of_a_fit(shape, tried(shape, last).front(), 1, task);
    return PredictedSeconds{first_fit + seconds_of_count(shape, task),
                            static_cast<double>(options_.starts) * every_fit};
  }

 private:
  static std::string phase_name(Index m) { return fmt::format("fit_{}_heads", m); }

  Index least_heads(const Task& task) const {
    return options_.student > 0 ? options_.student : task.heads.value_or(1);
  }
  Index most_heads(const Task& task) const {
    return options_.student > 0 ? options_.student : task.heads.value_or(options_.max_heads);
  }

  // What is tried for m heads, one after the other: heads in factors, where the options say so, of each rank
  // that they may have.
  std::vector<HeadsTried> tried(ExampleShape shape, Index m) const {
    FactorOptions largest = options_.in_factors;
    const bool finds_ranks = options_.ranks == Ranks::found;
    if (finds_ranks && largest.rank == 0) largest.rank = shape.d;
    const auto in_factors = largest.factors("gauss-newton", shape, m);
    if (!finds_ranks) return {{m, in_factors}};
    std::vector<HeadsTried> out;
    for (const Factors& factors : growing_ranks(*in_factors, shape)) out.push_back({m, factors});
    return out;
  }
  HeadsTried largest_tried(ExampleShape shape, const Task& task) const {
    return tried(shape, most_heads(task)).back();
  }

  // From one start.
  double seconds_of_a_fit(ExampleShape shape, const HeadsTried& heads, int growth, const Task& task) const {
    constexpr double passes = 100;
    const auto examples = static_cast<double>(examples_of(shape, heads, growth, task));
    const double whole = passes * pass_seconds(shape.d, shape.k, heads.m, examples);
    if (!heads.in_factors) return whole;
    const Factors& factors = *heads.in_factors;
    // A product with the normal matrix takes 4 form + 6 value products with d features, not 4 d.
    return first_order_seconds(shape, factors, of_first_order(shape, heads, growth, task).front()) +
           whole * static_cast<double>(2 * factors.form + 3 * factors.value) /
               (2.0 * static_cast<double>(shape.d));
  }
  double seconds_of_count(ExampleShape shape, const Task& task) const {
    constexpr double passes = 2;
    if (!counts(task)) return 0;
    const std::int64_t examples = std::min(*task.examples, wanted_by_count(shape, 1));
    return passes * pass_seconds(shape.d, shape.k, counted_at_once(task), static_cast<double>(examples));
  }

  static double fit_bytes(const PassShape& pass, const HeadsTried& heads, std::int64_t examples) {
    if (heads.in_factors)
      return std::max(factored_start_bytes(pass, *heads.in_factors, examples),
                      gauss_newton_bytes(pass, *heads.in_factors, examples));
    return std::max(fit_w_bytes(pass, examples), gauss_newton_bytes(pass, examples));
  }

  // Whether the number of heads has to be found.
  bool counts(const Task& task) const { return least_heads(task) < most_heads(task); }

  // Examples over the bounds, growth times as many as at first.
  std::int64_t wanted(ExampleShape shape, const HeadsTried& heads, int growth, std::int64_t fewest) const {
    return examples_for(heads.ranks(shape.d), shape, growth * options_.oversampling,
                        heads.in_factors ? fewest_in_factors : fewest);
  }
  std::int64_t wanted_by_fit(ExampleShape shape, const HeadsTried& heads, int growth) const {
    return wanted(shape, heads, growth, fewest_for_heads);
  }
  std::int64_t wanted_by_count(ExampleShape shape, int growth) const {
    return wanted(shape, tried(shape, 1).front(), growth, fewest_for_count);
  }

  // Strengths that are looked at: of heads, and some that are noise.
  Index counted_at_once(const Task& task) const {
    return std::min(most_heads(task), most_counted) + counted_beyond;
  }

  std::int64_t examples_of(ExampleShape shape, const HeadsTried& heads, int growth, const Task& task) const {
    return std::min(*task.examples, wanted_by_fit(shape, heads, growth));
  }
  // Those that show heads in factors to first order.
  std::vector<std::int64_t> of_first_order(ExampleShape shape, const HeadsTried& heads, int growth,
                                           const Task& task) const {
    return first_order_examples(*heads.in_factors, shape, growth, examples_of(shape, heads, growth, task),
                                *task.examples);
  }
  // The last of 1, growth_step, .. most_growth that reads more examples than the one before it.
  int last_growth(ExampleShape shape, const Task& task) const {
    const HeadsTried largest = largest_tried(shape, task);
    const auto examples = [&](int growth) { return examples_of(shape, largest, growth, task); };
    int growth = 1;
    while (growth < most_growth && examples(growth) < examples(growth * growth_step)) growth *= growth_step;
    return growth;
  }

  // Numbers of heads, until one predicts exactly: first as many as stand out, then more, then fewer. Where a
  // fit overfits and there are more examples, they help and more heads do not. Where none or too many stand
  // out, half of most heads and then most: what one head does not learn, many may, and those that can be
  // spared are left out afterwards; fewer are tried then only if many overfit. More than stand out are tried
  // for as long as they lower the held-back error: what noise leaves, no number of heads explains.
  void fit_all(const Run& run, int& growth, BestFit& best) const {
    const Index first = least_heads(run.task);
    Index most = most_heads(run.task);
    while (!determined(run, most, growth)) --most;
    const Index outstanding = counts(run.task) ? heads_that_stand_out(run, growth) : first;
    const bool counted = outstanding >= first && outstanding <= std::min(most, most_counted);
    const Index begin = counted ? outstanding : std::max(first, most / 2);
    Fit fit, least;
    int in_vain = 0;
    for (Index m = begin; m <= most && best.error > exact_prediction && in_vain < most_in_vain;
         m = counted || m == most ? m + 1 : most) {
      fit = fit_heads(run, m, growth, best);
      if (fit.overfits && growth < last_growth(run.shape(), run.task)) return;
      in_vain = fit.error < lower_error * least.error ? 0 : in_vain + 1;
      if (in_vain == 0) least = fit;
    }
    if (!counted && !fit.overfits) return;
    for (Index m = first; m < begin && best.error > exact_prediction; ++m) fit_heads(run, m, growth, best);
  }

  // More unknowns than numbers would fit anything. The least number of heads is always tried.
  bool determined(const Run& run, Index m, int growth) const {
    const ExampleShape shape = run.shape();
    const HeadsTried least = tried(shape, m).front();
    return m == least_heads(run.task) ||
           least.least_for_layer(shape) <= split(examples_of(shape, least, growth, run.task)).fitted;
  }

  Index heads_that_stand_out(const Run& run, int growth) const {
    const std::int64_t examples = std::min(*run.task.examples, wanted_by_count(run.shape(), growth));
    return run.recorder.phase("count_heads", examples, [&](Phase& phase) {
      const FirstOrder map({run.source, 0, examples}, counted_at_once(run.task), leading_heads_products,
                           run.context);
      const Vector strengths = leading_heads(map, run.d(), counted_at_once(run.task),
                                             Stream(Domain::learner, run.task.seed, "gauss-newton count"))
                                   .strengths;
      const Index heads = outstanding_heads(strengths);
      phase.add("heads", static_cast<double>(heads));
      if (heads > 0) phase.add("strength_ratio", strengths(heads - 1) / strengths(heads));
      return heads;
    });
  }

  // The best of some starts.
  struct Fit {
    double error = std::numeric_limits<double>::infinity();  // held back
    bool overfits = false;
  };

  // Fits of m heads, of larger and larger ranks where these have to be found.
  Fit fit_heads(const Run& run, Index m, int& growth, BestFit& best) const {
    Fit fit;
    for (const HeadsTried& heads : tried(run.shape(), m)) {
      fit = fit_heads(run, heads, growth, best);
      if (fit.error <= exact_prediction || fit.overfits) break;
    }
    return fit;
  }

  // Starts for such heads until one predicts exactly. Then fewer may do, also where starts with fewer have
  // failed.
  Fit fit_heads(const Run& run, const HeadsTried& heads, int& growth, BestFit& best) const {
    const std::string name = phase_name(heads.m);
    const ExampleShape shape = run.shape();
    const int last = last_growth(shape, run.task);
    const std::optional<Stacked> begun = begun_by_fewer(run, heads, best);
    std::optional<FactoredStarts> in_factors_from;
    if (heads.in_factors && !begun) {
      in_factors_from.emplace(run, *heads.in_factors, of_first_order(shape, heads, growth, run.task),
                              options_.start_norm, starts_stream(run));
      if (growth == 1 && in_factors_from->far_from_linear()) growth = std::min(growth_of_begun, last);
    }
    const std::int64_t examples = examples_of(shape, heads, growth, run.task);
    HeadFits fits(run, heads.in_factors, steps(heads.in_factors && growth < last), name, best,
                  leaves_out(heads, run.task));
    run.recorder.phase(
        name, examples,
        [&](Phase&) {
          const Split parts = split(examples);
          fits.read(parts);
          if (begun) return fits.start(*begun);
          const bool determined = parts.fitted >= heads.least_for_patterns(shape);
          while (fits.go_on() && fits.starts() < (determined ? options_.starts : 1))
            fits.start(in_factors_from
                           ? in_factors_from->start(fits.starts(), fits.training(), run.context.stop)
                           : whole_start(run, heads.m, fits.starts(), fits.training()));
          if (counts(run.task)) fits.leave_out_spare_heads();
        },
        [&](Phase& phase) { fits.finish(phase); });
    return {fits.error(), fits.overfits()};
  }

  // Where examples led that barely determined the heads.
  static std::optional<Stacked> begun_by_fewer(const Run& run, const HeadsTried& heads, const BestFit& best) {
    if (!heads.in_factors || best.ending != GaussNewtonEnding::barely_determined) return std::nullopt;
    const Layer& layer = *run.recorder.report().layer;
    if (layer.m() != heads.m) return std::nullopt;
    return without_spare_rank(layer, *heads.in_factors, 0, run.context.stop).parameters;
  }

  // Whether what the task does not state may be more than the layer has.
  bool leaves_out(const HeadsTried& heads, const Task& task) const {
    return heads.in_factors ? options_.ranks == Ranks::found : counts(task);
  }

  static Stream starts_stream(const Run& run) {
    return Stream(Domain::learner, run.task.seed, "gauss-newton");
  }
  Stacked whole_start(const Run& run, Index m, int start, const std::vector<Block>& training) const {
    const auto item = static_cast<std::uint64_t>(m * 1000 + start);
    return stack(fit_w(training,
                       start_thetas(starts_stream(run), item, run.d(), m, options_.start_norm, start),
                       run.context.stop));
  }

  GaussNewtonOptions steps(bool more_examples) const {
    return {.iterations = options_.iterations,
            .more_examples = more_examples,
            .target = options_.target,
            .patience = options_.patience};
  }

  std::string failure(const Run& run, const BestFit& best) const {
    const Report& report = run.recorder.report();
    const Index first = least_heads(run.task), last = most_heads(run.task);
    std::string message = fmt::format(
        "from no start did {} predict held-back examples: best error {:.2g} with {} heads ({})",
        first == last ? fmt::format("{} heads", first) : fmt::format("{} to {} heads", first, last),
        best.error, report.layer->m(), name_of(best.ending));
    const HeadsTried least = tried(run.shape(), report.layer->m()).front();
    const std::int64_t bound = least.least_for_patterns(run.shape());
    if (const std::int64_t fitted = split(report.examples_used).fitted; fitted < bound)
      message += fmt::format("; {} examples fitted, {} = {} needed to determine Theta", fitted,
                             least.in_factors ? "r (2 d - r) / (k (k-1))" : "d^2 / (k (k-1))", bound);
    return message;
  }

  GaussNewtonLearnerOptions options_;
};

}  // namespace

const Method gauss_newton_method = method_of<GaussNewtonLearner>(
    "gauss-newton", "damped Gauss-Newton on all of (Theta, W) from small random starts",
    "heuristic: no guarantee", gauss_newton_table(),
    [](const Spec& method, double) { return oversampling_ladder(method, {4, 64, 1024}); });

}  // namespace hardhead::learner
