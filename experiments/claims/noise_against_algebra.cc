#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/statistics/binomial_interval.h"
#include "base/statistics/median.h"
#include "experiments/attacks/attack_cost.h"
#include "experiments/claims/registered_claims.h"
#include "experiments/cost_cells.h"
#include "hardness/families/family.h"
#include "hardness/families/rounding_layer.h"
#include "lwe/attacks/attack.h"
#include "study/problem/source.h"

namespace hardhead::experiments {
namespace {

using report::FigureCurve;

// Of the time, the rest of which goes into what noisy layers cost.
constexpr double share_of_verdict = 0.5;

constexpr int noisy_bits = 19, noisy_weight = 3;

std::string noisy_spec(double rate) {
  return fmt::format("lpn:n={},secret=fixed-weight,weight={},rate={}", noisy_bits, noisy_weight, rate);
}

/// One point of a curve in examples and one in seconds, and the row of both.
class NoiseTable {
 public:
  explicit NoiseTable(report::Table& table) : table_(table) {
    table_.columns = {"rate", "who", "examples", "seconds", "found"};
  }

  void add(double rate, const std::string& who, double examples, double seconds, const std::string& found) {
    const auto text = [](double value) {
      return value > 0 ? fmt::format("{:.4g}", value) : std::string("-");
    };
    table_.add({fmt::format("{}", rate), who, text(examples), text(seconds), found});
    if (examples > 0) point(examples_, who, rate, examples);
    if (seconds > 0) point(seconds_, who, rate, seconds);
  }

  report::Figure examples() const {
    return {"examples", "Label noise: examples", {"rate of wrong labels"}, {"examples", true}, examples_};
  }
  report::Figure seconds() const {
    return {"seconds", "Label noise: time", {"rate of wrong labels"}, {"seconds", true}, seconds_};
  }

 private:
  static void point(std::vector<FigureCurve>& curves, const std::string& who, double x, double y) {
    auto curve = std::ranges::find(curves, who, &FigureCurve::label);
    if (curve == curves.end()) curve = curves.insert(curves.end(), {who, {}});
    curve->points.push_back({x, y});
  }

  report::Table& table_;
  std::vector<FigureCurve> examples_, seconds_;
};

constexpr std::int64_t attacked_examples = 4000;

/// How many layers the attack solves, of which it has more examples than any of these attacks wants.
std::int64_t solved_layers(double rate, const AttackCost& cost, const Setting& setting,
                           const RunContext& context, std::int64_t seeds) {
  constexpr double most_seconds = 120;
  std::int64_t solved = 0;
  for (const std::uint64_t seed : seeds_of(setting, seeds)) {
    const Spec layer = Spec::parse(with_seed(noisy_spec(rate), seed));
    const hardness::Instance instance = hardness::make_instance(layer);
    attention::Block block(instance.layer.d, instance.k, attacked_examples);
    study::examples_of(instance, Domain::samples, seed)->read(0, block);
    const lwe::ProblemParameters parameters =
        hardness::find_family(instance.spec.name).samples(instance.spec).problem;
    const lwe::Challenge challenge{parameters, hardness::rounding_samples(parameters, block)};
    const lwe::AttackReport report =
        lwe::attack(challenge, lwe::find_attack(cost.name), most_seconds, context);
    context.stop.check();
    solved += report.solved() && std::ranges::equal(report.secret, instance.hidden) ? 1 : 0;
  }
  return solved;
}

/// Layers of one kind, by size, until one size is not learnt.
struct NoisySeries {
  std::string noise;             ///< "rate 0.125"
  int student = 0;               ///< heads
  std::vector<CostCell> layers;  ///< without costs
};

CostCell noisy_parity(int bits, int weight) {
  return {.learner = "adam, diagonal",
          .source = fmt::format("lpn:n={},secret=fixed-weight,weight={},rate=0.125", bits, weight),
          .d = bits + 1,
          .k = 2,
          .m = weight};
}

CostCell noisy_numbers(int q, int bits, int n) {
  return {.learner = "adam, diagonal",
          .source = fmt::format("lwe:n={},q={},sigma=0.5", n, q),
          .d = n * bits + 1,
          .k = 2,
          .m = n};
}

std::vector<NoisySeries> noisy_series(const Setting& setting) {
  if (setting.quick) return {{"rate 0.125", 32, {noisy_parity(11, 2)}}};
  std::vector<NoisySeries> out;
  for (const auto& [weight, lengths] : std::vector<std::pair<int, std::vector<int>>>{{2, {15, 19, 23, 31}},
                                                                                     {3, {11, 15, 19, 23}},
                                                                                     {4, {11, 15, 19}},
                                                                                     {5, {11, 13, 15}},
                                                                                     {6, {11, 13}}}) {
    NoisySeries& series = out.emplace_back("rate 0.125", 32);
    for (const int bits : lengths) series.layers.push_back(noisy_parity(bits, weight));
  }
  for (const auto& [q, bits, lengths] :
       std::vector<std::tuple<int, int, std::vector<int>>>{{4, 2, {2, 3, 4, 5, 6, 7}}, {16, 4, {2, 3}}}) {
    NoisySeries& series = out.emplace_back("sigma 0.5", 64);
    for (const int n : lengths) series.layers.push_back(noisy_numbers(q, bits, n));
  }
  return out;
}

/// What noisy layers cost a gradient learner.
std::vector<study::MeasuredCost> noisy_costs(const Setting& setting, report::Table& table,
                                             const RunContext& context) {
  const CellPlan plan{.seeds = setting.quick ? 1 : 3, .most = setting.quick ? 1500 : 21'000};
  std::vector<study::MeasuredCost> out;
  const std::vector<NoisySeries> all = noisy_series(setting);
  for (std::size_t i = 0; i < all.size(); ++i)
    for (const CostCell& layer : all[i].layers) {
      const double done = static_cast<double>(i) / static_cast<double>(all.size());
      context.progress.report("R16: " + layer.source, share_of_verdict + (1 - share_of_verdict) * done);
      const CostCell cell = budget_cell(
          layer, fmt::format("adam:theta=diagonal,student={},batch={}", all[i].student, learning_batch), plan,
          setting, context);
      const std::vector<study::MeasuredCost> runs = cell.runs();
      out.insert(out.end(), runs.begin(), runs.end());
      const auto median = cell.median();
      table.add({all[i].noise, fmt::format("adam, diagonal, fewest steps for {}", cell.source),
                 median ? fmt::format("{:.4g}", *median)
                        : fmt::format("more than {:.4g}", cell.costs.front().value),
                 cell.seconds.empty() ? "-" : fmt::format("{:.4g}", statistics::median(cell.seconds)),
                 cell.setting.empty() ? "not at any rate" : cell.setting});
      if (!median) break;
    }
  return out;
}

Evidence perform_noise_against_algebra(const Setting& setting, const RunContext& context) {
  const std::vector<double> rates =
      setting.quick ? std::vector{0.0, 0.125} : std::vector{0.0, 0.015625, 0.0625, 0.125, 0.25};
  const std::int64_t seeds = setting.quick ? 2 : 10, draws = setting.quick ? 7 : 51;
  Evidence out;
  NoiseTable table(out.table);
  bool dies = true;
  report::Verdict remains = report::Verdict::holds;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    const double rate = rates[i];
    context.progress.report(fmt::format("R16: rate {}", rate),
                            share_of_verdict * static_cast<double>(i) / static_cast<double>(rates.size()));
    const Spec spec = hardness::find_family("lpn").canonical(Spec::parse(noisy_spec(rate)));
    const lwe::ProblemParameters parameters = hardness::find_family(spec.name).samples(spec).problem;
    const double limit = statistics::median(draw_information(parameters, setting.seed, draws, context.stop));
    const std::vector<AttackCost> costs = attack_costs(parameters);
    const auto cheapest = std::ranges::min_element(costs, {}, &AttackCost::seconds);
    for (auto cost = costs.begin(); cost != costs.end(); ++cost) {
      std::string found = "predicted";
      if (cost == cheapest) {
        const std::int64_t solved = solved_layers(rate, *cost, setting, context, seeds);
        found = fmt::format("predicted; finds {} of {} in {} examples", solved, seeds, attacked_examples);
        remains =
            report::all_of({remains, report::at_least(statistics::clopper_pearson(solved, seeds), 0.5)});
        dies = dies && (cost->name == "elimination") == (rate == 0);
      }
      table.add(rate, cost->name, cost->examples, cost->seconds, found);
    }
    const study::BestShotOptions ladder = ladder_of(setting, setting.quick ? 1 : 5);
    const study::BestShot shot =
        study::best_shot(noisy_spec(rate), Spec::parse("adam:theta=diagonal"), ladder, context);
    context.stop.check();
    const bool learnt = shot.ending == study::LadderEnding::reached;
    table.add(rate, "adam, diagonal", learnt ? shot.asked_median : 0, learnt ? shot.seconds_median : 0,
              study::summary(shot, ladder));
    // The last of the curves, so that the others have the same colours where time is drawn.
    table.add(rate, "information limit", limit, 0, "-");
    out.reason += fmt::format(
        "{}rate {}: limit {:.3g} examples, {} {:.3g} ({:.2g} s), adam {}", out.reason.empty() ? "" : "; ",
        rate, limit, cheapest->name, cheapest->examples, cheapest->seconds,
        learnt ? fmt::format("{:.3g} ({:.2g} s)", shot.asked_median, shot.seconds_median)
               : fmt::format("none of {} budgets", shot.ladder.size()));
  }
  out.verdict = report::all_of({report::decided(dies), remains});
  out.figures = {table.examples(), table.seconds()};
  out.costs = study::costs_table(noisy_costs(setting, out.table, context));
  return out;
}

}  // namespace

Experiment claims::noise_against_algebra() {
  return {
      .id = "R16",
      .title = "Label noise ends elimination, and other attacks still read the hidden bits",
      .claim =
          "Elimination is what keeps parities from being hard for everybody. With any share of wrong labels "
          "it no longer applies, and what remains is dearer.",
      .source = "A. Blum, A. Kalai, H. Wasserman, JACM 50(4), 2003; costs by the models of lwe/",
      .method =
          "Layers lpn:n=19,secret=fixed-weight,weight=3: parities of three hidden bits of 19 whose "
          "training labels are wrong at a rate of 0, 1/64, 1/16, 1/8, 1/4 (quick: 0 and 1/8). The "
          "information limit, as in R15; the predicted cost of every attack that applies, and the "
          "one predicted cheapest on 4,000 examples of 10 layers (quick: 2); and the best shot "
          "(`hardhead best`) of adam, told that every Theta_i is diagonal: 5 fresh layers (quick: 1), a "
          "ladder of 240 s (quick: 8) with runs of at most a quarter of that. Besides, and with no part"
          " in the verdict: the fewest examples with which adam, told the same, ends with an advantage "
          "of 0.99, on lpn with an eighth of the labels wrong, n = 11 .. 31 and 2 to 6 ones in the "
          "secret (32 heads), and on lwe with sigma = 0.5, q = 4, n = 2 .. 7 and q = 16, n = 2, 3 (64 "
          "heads), until a size is not learnt; 3 seeds, steps on a ladder of ratio sqrt(2) up to 20,480"
          " of 512 examples, the best of three rates on two other layers (quick: one size, 1 seed, "
          "1,280 steps).",
      .criterion =
          "The attack that is predicted cheapest is elimination at rate 0 and another one at all others, "
          "and at every rate it finds the hidden set of at least half of all layers, by the exact 95% "
          "interval.",
      .quick_seconds = 30,
      .full_seconds = 6000,
      .perform = perform_noise_against_algebra};
}

}  // namespace hardhead::experiments
