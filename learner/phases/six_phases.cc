#include "learner/phases/six_phases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "learner/fits/fitting.h"
#include "learner/fits/gauss_newton.h"
#include "learner/objective/blocks.h"
#include "learner/objective/linear_w.h"
#include "learner/phases/exhaustive_search.h"
#include "learner/phases/growing_hull.h"
#include "learner/phases/net.h"
#include "learner/phases/plan.h"
#include "learner/registered_methods.h"

namespace hardhead::learner {

SixPhasesOptions SixPhasesOptions::all(Route route) {
  return {.w_sum = route,
          .hull = route,
          .w_sum_refined = route,
          .hull_refined = route,
          .span = route,
          .net = route};
}

OptionTable<SixPhasesOptions> six_phases_table(Route route) {
  using Options = SixPhasesOptions;
  return OptionTable<Options>(Options::all(route))
      .choice("w_sum", &Options::w_sum, "one gradient step (paper) or least squares")
      .choice("hull", &Options::hull,
              "rows certified in the sup norm, a convex body, linear programmes (paper) or eigenvectors")
      .choice("w_sum_refined", &Options::w_sum_refined,
              "one regression on certified rows of large margin (paper) or a trimmed one")
      .choice("hull_refined", &Options::hull_refined, "as hull")
      .choice("span", &Options::span,
              "heads sought in the span of the hull, m coordinates (paper), or on it, m - 1")
      .choice("net", &Options::net, "all m-tuples of a net (paper) or greedy choice, exchange and refinement")
      .integer("rows", &Options::rows, 0, 1e9,
               "certified rows kept; 0: 3 d^2 / (k-1) (paper) or 8 d^2 / (k-1)")
      .integer("first", &Options::first, 0, 1e12,
               "examples of the first look, later ones double; 0: 25000 d, at most 10^6")
      .integer("budget", &Options::budget, 0, 1e12,
               "examples at most where the task does not say; 0: some minutes' worth (docs/learner.md)")
      .real("floor", &Options::floor, 1e-6, 0.5, "rows with an attention weight below it are not used")
      .integer("w_sum_examples", &Options::w_sum_examples, 1, 1e12, "examples of phase 1")
      .real("margin_share", &Options::margin_share, 1e-9, 1,
            "share of rows, of largest margin, looked at in phase 3")
      .real("margin_kept", &Options::margin_kept, 1e-3, 1, "share of those kept (at least 3 d rows)")
      .integer("rounds", &Options::rounds, 0, 1000, "repetitions of phases 3 and 4")
      .integer("max_heads", &Options::max_heads, 1, 64, "largest number of heads the gap may name")
      .real("slack", &Options::slack, 1, 1000,
            "half-width of the body's slabs, in multiples of the least possible")
      .integer("net_examples", &Options::net_examples, 1, 1e9, "examples of phase 6")
      .integer("net_points", &Options::net_points, 0, 1e7, "points of the net, at most; 0: 300 (paper), 1500")
      .real("net_radius", &Options::net_radius, 0.1, 100,
            "radius of the net, in expected distances of a head")
      .integer(
          "net_restarts", &Options::net_restarts, 0, 1e6,
          "further tries of the practical net while its error is above 1e-2 (none on a hull of gap below 3)")
      .integer("tuples", &Options::tuples, 1, 1e15, "most tuples of heads the paper's net may try");
}

namespace {

// Held-back error above which the finished run is a failure, and what the last doubtful phase showed.
constexpr double self_check_limit = 1e-6;
constexpr double doubtful_net_error = 0.1;

// What every phase is given besides the values of the phases before it. Of the examples 0 .. searched - 1 the
// first `looked_at` are searched at the first look, twice as many at the second, and so on. Of the held_back
// ones after them the first half chooses between layers, and the second is for the check at the end.
struct Setting {
  const Run& run;
  const SixPhasesOptions& options;
  std::int64_t looked_at, searched, held_back;  // held_back: each half

  // A phase of the n-th look, from the second on, has n behind its name.
  int look = 1;
  std::string named(const char* phase) const { return numbered_phase(phase, look); }
};

std::int64_t first_look(Index d, const SixPhasesOptions& options) {
  if (options.first > 0) return options.first;
  return std::min<std::int64_t>(1'000'000, 25'000 * d);
}

Setting setting_of(const Run& run, const SixPhasesOptions& options) {
  const std::int64_t first =
      GrowingHull::grows(options) ? std::min(first_look(run.d(), options), run.examples()) : run.examples();
  const std::int64_t held_back = std::max<std::int64_t>(1, stream_split(first).held_back / 2);
  return {run, options, first - 2 * held_back, run.examples() - 2 * held_back, held_back};
}

// The paper's linear programmes and tuples can cost anything: their price is told before the work, and
// refused beyond the budget.

Plan plan_for(const Setting& at, Index heads) {
  return make_plan(at.run.d(), at.run.k(), heads, at.looked_at, at.options);
}

// Says which limit the paper's parts exceed; empty if none.
std::string beyond_budget(const Setting& at, const Plan& plan) {
  if (const auto most = static_cast<double>(at.options.tuples); plan.tuples > most)
    return fmt::format("{:.3g} tuples of heads are more than the option tuples={:.3g}", plan.tuples, most);
  const double limit = at.run.task.time_limit_seconds.value_or(INFINITY);
  const double seconds = plan.certificate_seconds + plan.hull_seconds + plan.tuple_seconds;
  if (seconds > limit)
    return fmt::format("{:.2g} s are more than the time limit of {:.3g} s", seconds, limit);
  return "";
}

void announce_plan(const Setting& at) {
  const SixPhasesOptions& options = at.options;
  if (options.hull != Route::paper && options.hull_refined != Route::paper && options.net != Route::paper)
    return;
  const std::optional<Index> heads = at.run.task.heads;
  const Plan plan = plan_for(at, heads.value_or(2));
  const std::string text =
      fmt::format("predicted for {}{}", plan.str(), heads ? "" : " (if there are as many)");
  if (heads)
    if (const std::string excess = beyond_budget(at, plan); !excess.empty())
      throw BudgetError(text + "; " + excess);
  at.run.context.progress.announce(text);
}

// Phase 5: a ball around the hull's least-norm point, on the hull (practical, m - 1 coordinates a head) or in
// its linear span (the paper, m coordinates). If the Theta_i are orthogonal and equally long, the least-norm
// point has norm |Theta_i| / sqrt(m), and each is |offset| sqrt(m-1) away from it.
SearchSpace space_of(const AffineHull& hull, const SixPhasesOptions& options) {
  const double offset = hull.offset.norm(),
               radius = options.net_radius * offset * std::sqrt(static_cast<double>(hull.directions.size()));
  if (options.span == Route::practical) return {hull, radius, hull.heads()};
  return {linear_span(hull), std::hypot(radius, offset), hull.heads()};
}

SearchSpace span(const Setting& at, const HullEstimate& known) {
  const SixPhasesOptions& options = at.options;
  return at.run.recorder.phase(at.named("span"), 0, [&](Phase& phase) {
    SearchSpace space = space_of(known.hull, options);
    phase.add("dimension", static_cast<double>(space.dimension()));
    phase.add("net_radius", space.radius);
    const Route last = options.rounds > 0 ? options.hull_refined : options.hull;
    const char* what = last == Route::paper ? "width" : "eigenvalue";
    for (std::size_t l = 0; l < std::min<std::size_t>(known.spectrum.size(), 8); ++l)
      phase.add(fmt::format("{}_{}", what, l + 1), known.spectrum[l]);
    return space;
  });
}

// What phase 6 hands on: its layer, and the held-back examples that it was judged by.
struct NetLayer {
  Layer layer;
  double holdout_error = 1;
  std::vector<Block> holdout;
};

// Where the number of heads is not stated, the hull names it, and the cost of their tuples is known only now.
void check_tuples(const Setting& at, Index heads) {
  if (at.options.net != Route::paper || at.run.task.heads) return;
  const Plan plan = plan_for(at, heads);
  at.run.context.progress.announce("predicted for " + plan.str());
  if (const std::string excess = beyond_budget(at, plan); !excess.empty())
    throw Failed{fmt::format("the hull names {} heads: {}", heads, excess), "net"};
}

NetResult heads_on_net(const Setting& at, const std::vector<Block>& blocks, const SearchSpace& space,
                       double gap) {
  const std::int64_t points = net_points_wanted(at.options);
  if (at.options.net == Route::paper) return exhaustive_search(blocks, space, points, at.run.context);
  // A hull that misses the heads is not worth restarts.
  const NetOptions options{.points = points, .restarts = gap < doubtful_gap ? 0 : at.options.net_restarts};
  const Stream stream(Domain::learner, at.run.task.seed, "six phases");
  return search_net(blocks, space, options, stream, at.run.context);
}

// Phase 6.
NetLayer net(const Setting& at, const SearchSpace& space, double gap) {
  const Run& run = at.run;
  const std::int64_t used = std::min(at.looked_at, at.options.net_examples);
  return run.recorder.phase(at.named("net"), used, [&](Phase& phase) {
    check_tuples(at, space.heads);
    const std::vector<Block> blocks = read_blocks(run.source, 0, used, run.context);
    NetResult found = heads_on_net(at, blocks, space, gap);
    NetLayer out;
    out.holdout = read_blocks(run.source, at.searched, at.held_back, run.context);
    Report& report = run.recorder.report();
    report.examples_used = at.looked_at + at.held_back;
    report.layer = found.layer;
    out.holdout_error = relative_error(out.holdout, found.layer, run.context.stop);
    phase.add("net_points", static_cast<double>(found.points));
    phase.add("tuples", static_cast<double>(found.tuples));
    phase.add("starts", found.starts);
    phase.add("net_error", found.net_error);
    phase.add("fit_error", found.error);
    phase.add("holdout_error", out.holdout_error);
    phase.estimates = {found.layer};
    out.layer = std::move(found.layer);
    return out;
  });
}

// Not in the paper: Gauss-Newton from the layer of the net. Its best layer goes into the report, whatever
// ends it.
void polish(const Setting& at, const NetLayer& start) {
  const Run& run = at.run;
  const std::int64_t used =
      std::min(at.looked_at, examples_for(run.d(), run.k(), start.layer.m(), polish_oversampling));
  std::vector<Block> training;
  std::optional<GaussNewton> fit;
  run.recorder.phase(
      at.named("polish"), used,
      [&](Phase&) {
        training = read_blocks(run.source, 0, used, run.context);
        const GaussNewtonOptions options;
        fit.emplace(whole_layers(training, options.kept_bytes, run.context.stop), start.holdout,
                    stack(start.layer), options, run.context.stop);
        fit->minimise(run.context.progress, "polish");
      },
      [&](Phase& phase) {
        if (!fit) return;
        const GaussNewtonResult& found = fit->result();
        run.recorder.report().layer = found.layer;
        phase.add("starts", 1);
        phase.add("iterations", found.iterations);
        phase.add("inner_steps", found.inner_steps);
        phase.add("training_error", found.training_error);
        phase.add("holdout_error", found.holdout_error);
        phase.estimates = {found.layer};
      });
}

// On examples nothing else has read. A failure is put down to the first phase whose own evidence is doubtful.
std::optional<Failed> self_check(const Setting& at, const HullEstimate& hull, double net_error) {
  const Run& run = at.run;
  Report& report = run.recorder.report();
  const double error = run.recorder.phase(at.named("self_check"), 0, [&](Phase& phase) {
    phase.examples = at.held_back;
    const double fresh =
        relative_error(read_blocks(run.source, at.searched + at.held_back, at.held_back, run.context),
                       *report.layer, run.context.stop);
    report.examples_used = at.looked_at + 2 * at.held_back;
    phase.add("error", fresh);
    return fresh;
  });
  const Index heads = hull.hull.heads();
  if (error <= self_check_limit) {
    report.message = fmt::format("{} head{} (gap {:.3g}), error {:.2g} on fresh examples", report.layer->m(),
                                 report.layer->m() == 1 ? "" : "s", hull.gap, error);
    return std::nullopt;
  }
  if (hull.gap < doubtful_gap)
    return Failed{fmt::format("the gap after {} heads is only {:.2f}: the certified rows do not single out a "
                              "hull (error {:.2g} on fresh examples)",
                              heads, hull.gap, error),
                  "hull"};
  if (net_error > doubtful_net_error)
    return Failed{
        fmt::format("the best {} points of the net leave an error of {:.2g}, and the polish ends at {:.2g}",
                    heads, net_error, error),
        "net"};
  return Failed{fmt::format("Gauss-Newton ends at an error of {:.2g} on fresh examples", error), "polish"};
}

// Phases 5 and 6 and what follows them, on the hull of a look. Empty if the layer passes its check.
std::optional<Failed> seek_heads(const Setting& at, const HullEstimate& hull) {
  const SearchSpace space = span(at, hull);
  const NetLayer found = net(at, space, hull.gap);
  polish(at, found);
  return self_check(at, hull, found.holdout_error);
}

class SixPhases final : public ExampleAlgorithm {
 public:
  explicit SixPhases(const SixPhasesOptions& options) : options_(options) {}

  // Looks at the first examples, then at twice as many, and so on, until a layer passes its check. A hull of
  // doubtful gap is searched for heads at the first look and the last, and between them if it names another
  // number of heads than the one that was searched before, or rests on four times as many examples.
  void run(const Run& run) const override {
    Setting at = setting_of(run, options_);
    announce_plan(at);
    GrowingHull growing(run, options_);
    Index sought = 0;
    std::int64_t sought_at = 0;
    for (bool found = false; !found; at.looked_at = std::min(2 * at.looked_at, at.searched), ++at.look) {
      const bool last = at.looked_at == at.searched;
      if (!look(growing, at.looked_at, last)) continue;
      const HullEstimate& hull = growing.estimate();
      if (!last && hull.gap < doubtful_gap && hull.hull.heads() == sought && at.looked_at < 4 * sought_at)
        continue;
      sought = hull.hull.heads();
      sought_at = at.looked_at;
      const std::optional<Failed> failed = seek_heads(at, hull);
      if (failed && last) throw *failed;
      found = !failed;
    }
  }

  std::int64_t default_examples(ExampleShape shape, const Task&) const override {
    if (options_.budget > 0) return options_.budget;
    const std::int64_t first = first_look(shape.d, SixPhasesOptions{});
    if (!GrowingHull::grows(options_)) return first;
    constexpr std::int64_t operations = 50'000'000'000, most = 50'000'000;
    return std::clamp(operations / (shape.k * shape.d * shape.d), first, most);
  }

  RunMemory predicted_memory(ExampleShape shape, const Task& task) const override {
    const Index heads = task.heads.value_or(options_.max_heads);
    const PassShape pass = shape.of_heads(heads);
    return {.work = six_phases_bytes(pass, *task.examples, options_),
            .report = six_phases_report_bytes(pass, *task.examples),
            .heads = heads};
  }

  std::optional<PredictedSeconds> predicted_seconds(ExampleShape shape, Index m,
                                                    const Task& task) const override {
    const std::int64_t examples = GrowingHull::grows(options_)
                                      ? std::min(first_look(shape.d, options_), *task.examples)
                                      : *task.examples;
    const auto seconds = [&](std::int64_t looked_at) {
      return make_plan(shape.d, shape.k, task.heads.value_or(m), looked_at, options_).seconds();
    };
    return PredictedSeconds{seconds(examples), seconds(*task.examples)};
  }

 private:
  // False if there are too few examples for a hull, and more to come.
  static bool look(GrowingHull& growing, std::int64_t count, bool last) {
    try {
      growing.begun() ? growing.refine(count) : growing.begin(count);
    } catch (const InsufficientData&) {
      if (last) throw;
      return false;
    }
    return true;
  }

  SixPhasesOptions options_;
};

}  // namespace

const Method sculpt_method = method_of<SixPhases>(
    "sculpt", "the six phases by the spectral route, then a Gauss-Newton polish",
    "phases 1-6 follow the algorithm that Chen and Li prove correct; the spectral hull, the greedy net "
    "search and the polish in it are heuristics",
    six_phases_table(Route::practical));

const Method paper_method = method_of<SixPhases>(
    "paper",
    "the six phases by the paper's route: linear programmes, all tuples of a net; then the same polish",
    "the algorithm that Chen and Li prove correct, with constants chosen by hand: the proof's are out of "
    "reach, so the guarantee does not carry over",
    six_phases_table(Route::paper));

}  // namespace hardhead::learner
