#include "experiments/hardness_profile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "hardness/families/family.h"
#include "hardness/families/parity.h"
#include "learner/learner.h"
#include "sq/dimension/parity_bound.h"
#include "study/sweep/forecast.h"

namespace hardhead::experiments {
namespace {

using study::LearnerCost;

constexpr double an_hour = 3600;

std::string rounded_up(const Rational& value) {
  Integer whole = numerator(value) / denominator(value);
  if (Rational(whole) < value) ++whole;
  return whole.str();
}

std::vector<ProvedBound> bounds_of_parity(const hardness::ParityOptions& parity, const Rational& tau) {
  const sq::ParityGoal goal{.d = parity.d, .m = parity.m};
  const Rational vstat = sq::parity_query_bound_vstat(goal, 1);
  return {{fmt::format("queries to STAT({})", to_string(tau)), sq::parity_query_bound(goal, tau),
           "4 tau^2 (C(d-1,m) - 1): a learner by statistical queries of this tolerance asks as many"},
          {"queries x t to VSTAT(t)", vstat,
           fmt::format("2/3 (C(d-1,m) - 1): if t fresh examples answer each query, it reads {} examples at "
                       "least; one that asks P queries of the same examples, {}/P",
                       rounded_up(vstat), rounded_up(vstat))}};
}

std::vector<ProvedBound> bounds_of_nice(const hardness::InstanceShape& shape) {
  const auto counting = learner::counting_bound(shape.d, shape.k, shape.m);
  const auto pattern = learner::pattern_bound(shape.d, shape.k);
  return {{"examples", Rational(std::max(counting, pattern)),
           fmt::format("from fewer, some parameters are not determined (counting equations: {}, attention "
                       "patterns: {})",
                       counting, pattern)}};
}

/// In what the layers of claim R6 differ from those of the spec, besides sizes and seed.
std::vector<std::string> differences(const Spec& spec) {
  const hardness::Family& family = hardness::find_family(spec.name);
  std::vector<std::string> out;
  for (const Parameter& row : family.parameters) {
    if (row.name == "d" || row.name == "k" || row.name == "m" || row.name == "seed") continue;
    if (const std::string& value = *spec.value(row.name); value != row.fallback)
      out.push_back(fmt::format("{}={} where the measured layers have {}", row.name, value, row.fallback));
  }
  return out;
}

void add_learners(HardnessProfile& profile, int m) {
  const auto d = static_cast<int>(profile.shape.d), k = static_cast<int>(profile.shape.k);
  for (const study::CostFit& fit : study::cost_fits(profile.spec.name, d, k))
    profile.learners.push_back(fit.at(d, m));
  if (!profile.learners.empty()) profile.unlike = differences(profile.spec);
}

std::string of_learners(const LearnerCost* best) {
  if (best == nullptr)
    return "no learner's cost is fitted here ('hardhead best' measures whether one succeeds)";
  const double seconds = best->seconds.value;
  const statistics::Interval& ends = best->seconds.interval;
  const char* word = ends.low >= an_hour   ? "hard"
                     : ends.high < an_hour ? "easy"
                                           : "not settled, easy or hard,";
  return fmt::format(
      "{} for learners (about {}, {} .. {}, by {}{})", word, study::duration(seconds),
      study::duration(ends.low), study::duration(ends.high), best->learner,
      best->beyond.empty() ? "" : "; extrapolated: " + fmt::format("{}", fmt::join(best->beyond, ", ")));
}

std::string of_attack(const std::optional<AttackCost>& attack) {
  if (!attack) return "";
  return fmt::format("{} for whoever knows the family ({}: {:.4g} examples, {})",
                     attack->seconds < an_hour ? "easy" : "hard", attack->name, attack->examples,
                     study::duration(attack->seconds));
}

}  // namespace

bool ends_with_the_layer(const std::string& learner) {
  return learner != "sculpt, hull";
}

const LearnerCost* HardnessProfile::best_learner() const {
  const LearnerCost* best = nullptr;
  for (const LearnerCost& one : learners)
    if (!one.no_fit && ends_with_the_layer(one.learner) &&
        (best == nullptr || one.seconds.value < best->seconds.value))
      best = &one;
  return best;
}

std::string HardnessProfile::verdict() const {
  const std::string second = of_attack(attack);
  return of_learners(best_learner()) + (second.empty() ? "" : "; " + second);
}

HardnessProfile hardness_profile(const Spec& spec, const HardnessOptions& options) {
  HardnessProfile out;
  out.spec = hardness::find_family(spec.name).canonical(spec);
  out.shape = hardness::instance_shape(out.spec);
  out.attack = cheapest_attack(out.spec);
  if (spec.name == "parity") {
    const hardness::ParityOptions parity = hardness::parity_table().read(out.spec);
    out.bounds = bounds_of_parity(parity, options.tolerance);
    add_learners(out, static_cast<int>(parity.m));
  } else if (spec.name == "nice") {
    out.bounds = bounds_of_nice(out.shape);
    add_learners(out, static_cast<int>(out.shape.m));
  }
  return out;
}

}  // namespace hardhead::experiments
