#include "experiments/hardness_profile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "hardness/block/block_parity.h"
#include "hardness/concepts/all_members.h"
#include "hardness/families/family.h"
#include "hardness/families/junta.h"
#include "hardness/families/lwr.h"
#include "hardness/families/parity.h"
#include "hardness/gadget/head_count.h"
#include "learner/learner.h"
#include "lwe/attacks/fourier.h"
#include "sq/dimension/information.h"
#include "sq/dimension/leap.h"
#include "sq/dimension/low_degree.h"
#include "sq/dimension/parity_bound.h"
#include "study/sweep/forecast.h"

namespace hardhead::experiments {
namespace {

using study::LearnerCost;

constexpr double an_hour = 3600;

std::vector<ProvedBound> bounds_of_parity(const sq::ParityGoal& goal, const Rational& tau) {
  const Rational vstat = sq::parity_query_bound_vstat(goal, 1);
  return {{fmt::format("queries to STAT({})", to_string(tau)), sq::parity_query_bound(goal, tau),
           "4 tau^2 (C(d-1,m) - 1): a learner by statistical queries of this tolerance asks as many"},
          {"queries x t to VSTAT(t)", vstat,
           fmt::format("2/3 (C(d-1,m) - 1): if t fresh examples answer each query, it reads {} examples at "
                       "least; one that asks P queries of the same examples, {}/P",
                       ceil_of(vstat).str(), ceil_of(vstat).str())}};
}

int log2_rounded_up(const Integer& value) {
  int out = 0;
  while (Integer(1) << out < value) ++out;
  return out;
}

/// Degree 1, and the one that is asked for.
void add_low_degree(std::vector<ProvedBound>& bounds, const sq::MemberPairs& pairs,
                    const HardnessOptions& options) {
  const int degree = options.degree.value_or(std::max(1, log2_rounded_up(sq::functions_of(pairs))));
  const auto add = [&](int t, const std::string& meaning) {
    bounds.push_back({fmt::format("examples to statistics of degree {}", t),
                      Rational(sq::least_examples(pairs, t)), meaning});
  };
  add(1,
      "from fewer, the mean of no function of one example tells a random member from unrelated labels by a "
      "standard deviation: low-degree advantage below 1");
  if (degree > 1) add(degree, fmt::format("the same for sums of functions of {} examples at a time", degree));
}

/// Queries that tell a member from unrelated labels, and statistics of low degree.
void add_statistics(std::vector<ProvedBound>& bounds, const sq::MemberPairs& pairs,
                    const HardnessOptions& options) {
  const Rational& tau = options.tolerance;
  bounds.push_back(
      {fmt::format("queries to STAT({})", to_string(tau)), sq::detection_bound(pairs, tau),
       "2 tau^2 over the largest mean correlation of a member with all: from fewer, answers need "
       "not tell some member from unrelated labels"});
  add_low_degree(bounds, pairs, options);
}

/// What nobody can do with less.
void add_information(std::vector<ProvedBound>& bounds, const sq::InformationLimit& limit) {
  bounds.push_back(
      {"examples, whoever computes", limit.at_least,
       "information limit: from fewer, the best guess of what is hidden is right with probability below 1/2" +
           (limit.enough ? fmt::format("; from {} on it is right as often as that", *limit.enough) : "")});
  bounds.push_back({"value queries, whoever computes", limit.queries_at_least,
                    "the same for labels at chosen X, each chosen in view of those before"});
}

/// What the labels ask of any layer of the gadget's form (hardness/gadget/head_count.h).
void add_heads(std::vector<ProvedBound>& bounds, const hardness::LabelsByH& labels, attention::Index heads) {
  using hardness::Slopes;
  const auto add = [&](const std::string& of, Slopes slopes, const std::string& meaning) {
    bounds.push_back({of,
                      Rational(labels.shifted ? hardness::least_steps(labels.g, slopes)
                                              : hardness::least_heads(labels.g, slopes)),
                      meaning});
  };
  add("heads, steps of one slope", Slopes::one,
      fmt::format("a layer of such steps, at any places and of any weights, needs as many for {}; this one "
                  "has {}, {}",
                  labels.name, heads, labels.slopes));
  add("heads, slopes in a chain", Slopes::chain,
      "the same for steps each of whose slopes is a whole multiple of the next");
  add("heads, any slopes", Slopes::any,
      "the same for all heads whose logit is affine in h; others are not covered");
}

std::string percent(const Rational& share) {
  return fmt::format("{:.3g}%", 100 * share.convert_to<double>());
}

std::vector<std::string> remarks_on_rounding(const lwe::ProblemParameters& p) {
  std::vector<std::string> out;
  if (const auto gain = hardness::averaging_gain(p))
    out.push_back(fmt::format(
        "without any example, averaging all secrets lowers the error by {} of the null error, and by {} "
        "where the number of heads shows H (heads=exact): an advantage up to this is no sign of learning",
        percent(gain->all), percent(gain->same_heads)));
  if (p.q % p.p != 0)
    out.push_back(fmt::format(
        "p={} does not divide q={}: labels correlate at {:.3g} with (-1)^h, a product of as many bits as "
        "entries of w are odd, and lwe's attack `fourier` lifts the secret from there",
        p.p, p.q, std::abs(lwe::rounding_coefficient(p, 1))));
  return out;
}

/// What pairs of members say, where they are few enough to be known; else what the number of functions says.
void add_pairs(std::vector<ProvedBound>& bounds, const std::optional<sq::MemberPairs>& pairs,
               const Integer& functions, int labels, const HardnessOptions& options) {
  if (pairs) add_statistics(bounds, *pairs, options);
  add_information(bounds,
                  pairs ? sq::information_limit(*pairs, labels) : sq::information_limit(functions, labels));
}

/// The samples, as a power of d, that gradient learners are expected to need for a leap (arXiv 2407.05622).
std::string predicted_samples(int leap) {
  return leap <= 2 ? "about d" : fmt::format("about d^{}", leap - 1);
}

/// Parameters that cost fits go by, and the seed.
constexpr std::string_view told_by_sizes[] = {"d", "k", "m", "n", "q", "function", "seed"};

/// Parameters of one family that cost fits go by.
constexpr std::pair<std::string_view, std::string_view> told_by_sizes_of[] = {{"lpn", "secret"},
                                                                              {"lpn", "weight"}};

/// A parameter of which the measured layers do not have the family's default.
struct MeasuredAt {
  std::string_view family, parameter, value;
};
constexpr MeasuredAt measured_at[] = {{"lwe", "sigma", "0.5"}};

std::string measured_value(std::string_view family, const Parameter& row) {
  for (const MeasuredAt& one : measured_at)
    if (one.family == family && one.parameter == row.name) return std::string(one.value);
  return row.fallback;
}

/// In what the layers whose costs are fitted differ from those of the spec, besides sizes and seed.
std::vector<std::string> differences(const Spec& spec) {
  const hardness::Family& family = hardness::find_family(spec.name);
  std::vector<std::string> out;
  for (const Parameter& row : family.parameters) {
    if (std::ranges::find(told_by_sizes, row.name) != std::end(told_by_sizes) ||
        std::ranges::find(told_by_sizes_of, std::pair<std::string_view, std::string_view>(
                                                spec.name, row.name)) != std::end(told_by_sizes_of))
      continue;
    const std::string measured = measured_value(spec.name, row);
    if (const std::string& value = *spec.value(row.name); value != measured)
      out.push_back(fmt::format("{}={} where the measured layers have {}", row.name, value, measured));
  }
  return out;
}

/// `family` and `m` as in study::MeasuredCost; `d` in place of the layer's, where it is given.
void add_learners(HardnessProfile& profile, const std::string& family, std::int64_t m,
                  std::optional<std::int64_t> d = std::nullopt) {
  const study::LayerSize size{static_cast<int>(d.value_or(profile.shape.d)),
                              static_cast<int>(profile.shape.k), static_cast<int>(m)};
  for (const study::CostFit& fit : study::cost_fits(family, size))
    profile.learners.push_back(fit.at(size.d, size.m));
  if (!profile.learners.empty()) profile.unlike = differences(profile.spec);
}

/// Those of a layer that hides a secret of Z_q^n. Costs grow with how many secrets there are, and were
/// measured on uniform ones: for another law they are those of the uniform layer that hides as many.
void add_learners_of_secrets(HardnessProfile& profile, const lwe::ProblemParameters& problem) {
  if (problem.secret == lwe::SecretKind::uniform) return add_learners(profile, profile.spec.name, problem.n);
  const double bits = problem.log2_secrets(), bits_an_entry = std::log2(static_cast<double>(problem.q));
  const std::int64_t n = std::max<std::int64_t>(1, std::llround(bits / bits_an_entry));
  const std::int64_t d = n * std::llround(bits_an_entry) + 1;
  add_learners(profile, profile.spec.name, n, d);
  if (profile.learners.empty()) return;
  profile.unlike.push_back(
      fmt::format("2^{:.1f} secrets among {} features, where a uniform layer that hides as many has {}", bits,
                  profile.shape.d, d));
}

std::string remark_on_leaps(const sq::Leaps& leaps) {
  return fmt::format(
      "leap {} for correlations and the squared loss ({} examples expected of gradient learners), {} for "
      "statistical queries and the absolute loss ({}): sq/dimension/leap.h",
      leaps.csq, predicted_samples(leaps.csq), leaps.sq, predicted_samples(leaps.sq));
}

/// Of the labels as a function of the bits that enter h = <s, b>; empty where these are too many.
std::optional<sq::Leaps> leaps_of_rounding(const hardness::RoundingProblem& problem) {
  std::vector<std::int64_t> weights;
  for (const std::int64_t weight : problem.gadget.s)
    if (weight != 0) weights.push_back(weight);
  if (weights.size() > sq::max_leap_bits) return std::nullopt;
  const std::vector<std::int64_t> labels = problem.labels();
  std::vector<std::int64_t> values(std::size_t{1} << weights.size());
  for (std::size_t z = 0; z < values.size(); ++z) {
    std::int64_t h = 0;
    for (std::size_t j = 0; j < weights.size(); ++j)
      if ((z >> j & 1) != 0) h += weights[j];
    values[z] = labels[static_cast<std::size_t>(h)];
  }
  return sq::leaps(values);
}

void profile_of_rounding(HardnessProfile& out, const HardnessOptions& options) {
  const hardness::RoundingProblem problem = hardness::rounding_problem(out.spec);
  add_pairs(out.bounds, hardness::rounding_pairs(problem.parameters),
            hardness::secrets_behind_layers(problem.parameters), static_cast<int>(problem.parameters.p),
            options);
  out.remarks = remarks_on_rounding(problem.parameters);
  if (const auto leaps = leaps_of_rounding(problem)) out.remarks.push_back(remark_on_leaps(*leaps));
  add_learners_of_secrets(out, problem.parameters);
}

/// Those that a secret of zeros and ones is expected to have.
std::int64_t ones_of_secret(const lwe::ProblemParameters& problem) {
  return problem.secret == lwe::SecretKind::fixed_weight ? problem.weight : (problem.n + 1) / 2;
}

/// Noise on labels can only say less than the labels themselves. For correlations: with e for the noise,
/// rho(w, v) of lwe is half of the sum of |E exp(2 pi i s e / q)|^2 over all s != 0 with s (w - v) = 0 mod q,
/// which without noise are all 1.
void profile_of_noisy(HardnessProfile& out, const HardnessOptions& options) {
  lwe::ProblemParameters problem = hardness::find_family(out.spec.name).samples(out.spec).problem;
  const bool is_parity = problem.problem == lwe::ProblemKind::lpn;
  const Integer secrets = hardness::secrets_behind_layers(problem);
  if (is_parity) {
    add_statistics(out.bounds, sq::noisy_parity_pairs(secrets, Rational(problem.rate)), options);
    const auto bits = problem.secret == lwe::SecretKind::fixed_weight ? problem.weight : problem.n;
    out.remarks.push_back(
        fmt::format("leap of at most {}: the number of ones in the secret, of which labels say nothing until "
                    "all are known",
                    bits));
    out.remarks.emplace_back("the information limit is that of labels without noise, which say more");
  } else {
    problem.p = problem.q;  // <w, a> itself
    if (const auto pairs = hardness::rounding_pairs(problem)) add_statistics(out.bounds, *pairs, options);
    out.remarks.emplace_back("the bounds are those of labels without noise, which say more");
  }
  add_information(out.bounds, sq::information_limit(secrets, static_cast<int>(problem.q)));
  if (is_parity)
    add_learners(out, out.spec.name, ones_of_secret(problem));
  else
    add_learners_of_secrets(out, problem);
}

void profile_of_junta(HardnessProfile& out, const HardnessOptions& options) {
  const hardness::JuntaOptions junta = hardness::find_family(out.spec.name).junta(out.spec);
  const std::vector<std::int64_t> values = hardness::junta_values(junta.function, junta.m);
  const std::set<std::int64_t> labels(values.begin(), values.end());
  add_pairs(out.bounds, hardness::junta_pairs(junta), hardness::junta_functions(junta),
            static_cast<int>(labels.size()), options);
  out.remarks.push_back(remark_on_leaps(sq::leaps(values)));
  add_learners(out, fmt::format("junta {}", name_of(junta.function)), junta.m);
}

/// "8 heads hide 6 bits as exact (1086 queries), .."
std::string remark_on_heads(attention::Index d, attention::Index heads, const Rational& tau) {
  std::vector<std::string> parts;
  for (const hardness::QueriesBehindHeads& one : hardness::queries_behind_heads({.d = d}, heads, tau))
    parts.push_back(fmt::format("{} bits as {} ({})", one.bits, one.way, ceil_of(one.queries).str()));
  return fmt::format(
      "{} heads hide {}; in brackets the queries to STAT({}) that are proved for the best m up to it", heads,
      fmt::join(parts, ", "), to_string(tau));
}

void add_bounds_of_parity(HardnessProfile& out, const sq::ParityGoal& parity,
                          const HardnessOptions& options) {
  out.bounds = bounds_of_parity(parity, options.tolerance);
  const sq::MemberPairs pairs = sq::parity_pairs(parity.d, parity.m);
  add_low_degree(out.bounds, pairs, options);
  add_information(out.bounds, sq::information_limit(pairs, 2));
  const auto bits = static_cast<int>(parity.m);  // a parity is detected as a whole or not at all
  out.remarks.push_back(remark_on_leaps({.csq = bits, .sq = bits}));
}

void profile_of_parity(HardnessProfile& out, const HardnessOptions& options) {
  const sq::ParityGoal parity = hardness::parity_goal(out.spec).value();
  add_bounds_of_parity(out, parity, options);
  out.remarks.push_back(remark_on_heads(parity.d, out.shape.m, options.tolerance));
  const Integer members = parity.members();
  if (members >= Integer(study::fewest_hidden_sets))
    add_learners(out, out.spec.name, parity.m);
  else
    out.remarks.push_back(
        fmt::format("{}: costs of learners are fitted to layers that are one of {} and more",
                    members == 1 ? "nothing is hidden, since there is one set"
                                 : "one of " + members.str() + " sets is hidden",
                    study::fewest_hidden_sets));
}

/// Label for label a layer of `parity`, whose bounds are its own.
void profile_of_block_parity(HardnessProfile& out, const HardnessOptions& options) {
  const sq::ParityGoal parity = hardness::parity_goal(out.spec).value();
  add_bounds_of_parity(out, parity, options);
  out.remarks.push_back(fmt::format(
      "labels are those of parity:variant=exact, behind one head and {} units where that has {} heads",
      hardness::block_parity_units(parity.m), parity.m + 2));
}

void profile_of_nice(HardnessProfile& out, const HardnessOptions&) {
  const hardness::InstanceShape& shape = out.shape;
  const auto counting = learner::counting_bound(shape.d, shape.k, shape.m);
  const auto pattern = learner::pattern_bound(shape.d, shape.k);
  out.bounds = {{"examples", Rational(std::max(counting, pattern)),
                 fmt::format("from fewer, some parameters are not determined (counting equations: {}, "
                             "attention patterns: {})",
                             counting, pattern)}};
  add_learners(out, out.spec.name, shape.m);
}

constexpr const char* remark_on_staircase =
    "no hardness is claimed: steps have a finite width, so that labels tell more than those of lwr, and "
    "experiments/attacks/rounding_attack.h reads the secret off a few hundred examples";

constexpr const char* remark_on_smoothed =
    "no hardness is claimed: near the parity layer correlations of degree 3 with exact labels read what is "
    "hidden (experiments/attacks/smoothing_attack.h); claim R18 measures from how many examples";

/// A family of which something is known besides attacks: what adds it to the profile, or a remark alone.
struct KnownFamily {
  std::string_view name;
  void (*add)(HardnessProfile& out, const HardnessOptions& options);
  const char* remark = nullptr;
};

constexpr KnownFamily known_families[] = {{"parity", profile_of_parity},
                                          {"junta", profile_of_junta},
                                          {"lwr", profile_of_rounding},
                                          {"lwe", profile_of_noisy},
                                          {"lpn", profile_of_noisy},
                                          {"nice", profile_of_nice},
                                          {"staircase", nullptr, remark_on_staircase},
                                          {"smoothed", nullptr, remark_on_smoothed},
                                          {"block-parity", profile_of_block_parity}};

std::string of_learners(const LearnerCost* best) {
  if (best == nullptr)
    return "no learner's cost is fitted here ('hardhead best' measures whether one succeeds)";
  const double seconds = best->seconds.value;
  const statistics::Interval& ends = best->seconds.interval;
  const char* word = ends.low >= an_hour   ? "hard"
                     : ends.high < an_hour ? "easy"
                                           : "not settled, easy or hard,";
  const std::string middle = study::duration(seconds);
  return fmt::format(
      "{} for learners ({}{}, {} .. {}, by {}{})", word, middle.starts_with("under") ? "" : "about ", middle,
      study::duration(ends.low), study::duration(ends.high), best->learner,
      best->beyond.empty() ? "" : "; extrapolated: " + fmt::format("{}", fmt::join(best->beyond, ", ")));
}

std::string of_attack(const std::optional<AttackCost>& attack, std::string_view whom) {
  if (!attack) return "";
  const char* word = attack->seconds >= an_hour ? "hard" : attack->beyond ? "not settled" : "easy";
  return fmt::format("; {} for {} ({}: {:.4g} examples, {})", word, whom, attack->name, attack->examples,
                     attack->beyond
                         ? fmt::format("2^{:.1f} operations; {}", attack->log2_operations, *attack->beyond)
                         : study::duration(attack->seconds));
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
  const std::string rest =
      of_attack(gadget, "learners that are told the gadget") + of_attack(attack, "whoever knows the family");
  std::string first = of_learners(best_learner());
  if (best_learner() != nullptr && !unlike.empty())
    first = fmt::format("not settled for learners; measured were layers unlike this one ({}), which are {}",
                        fmt::join(unlike, ", "), first);
  return first + rest;
}

HardnessProfile hardness_profile(const Spec& spec, const HardnessOptions& options) {
  HardnessProfile out;
  out.spec = hardness::find_family(spec.name).canonical(spec);
  out.shape = hardness::instance_shape(out.spec);
  out.gadget = cheapest_told_gadget(out.spec);
  out.attack = cheapest_attack(out.spec);
  for (const KnownFamily& family : known_families) {
    if (family.name != out.spec.name) continue;
    if (family.add != nullptr) family.add(out, options);
    if (family.remark != nullptr) out.remarks.emplace_back(family.remark);
  }
  if (const auto& labels = hardness::find_family(out.spec.name).labels_by_h)
    add_heads(out.bounds, labels(out.spec), out.shape.m);
  return out;
}

}  // namespace hardhead::experiments
