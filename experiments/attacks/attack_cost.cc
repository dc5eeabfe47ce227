#include "experiments/attacks/attack_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "experiments/attacks/junta_search.h"
#include "experiments/attacks/parity_elimination.h"
#include "hardness/families/family.h"
#include "hardness/families/junta.h"
#include "learner/gadget/behind_switch.h"
#include "lwe/attacks/attack.h"

namespace hardhead::experiments {
namespace {

namespace walsh = learner::walsh;

using lwe::ProblemKind;
using lwe::ProblemParameters;

constexpr double examples_a_sample = 2;  // half of all examples have the switch on

constexpr double failure = 0.01;

constexpr double seconds_an_entry = 4e-9;  // of an example, drawn and read (docs/performance.md)

/// What it takes to draw and read the examples behind a layer of the family, two tokens each.
double seconds_of_reading(double examples, const ProblemParameters& p) {
  const double features = static_cast<double>(p.n) * std::log2(static_cast<double>(p.q)) + 1;
  return seconds_an_entry * examples * 2 * features;
}

AttackCost attack_on_parity(long d) {
  const std::int64_t examples = elimination_examples(d, failure);
  const ProblemParameters bits{.problem = ProblemKind::lpn, .n = d - 1, .q = 2};
  const lwe::Cost cost = lwe::find_attack("elimination").cost(bits, examples / 2);
  return {"elimination over GF(2)", static_cast<double>(examples), cost.seconds,
          fmt::format("proved: finds the hidden set with probability {} at least", 1 - failure),
          cost.log2_operations()};
}

AttackCost attack_on_junta(const hardness::JuntaOptions& junta) {
  if (junta.function == hardness::JuntaFunction::parity) return attack_on_parity(junta.d);
  return {"all sets of coordinates", static_cast<double>(junta_examples(junta, failure)),
          junta_search_seconds(junta),
          fmt::format("proved: finds the hidden function with probability {} at least", 1 - failure)};
}

/// As attack_costs() says.
std::optional<AttackCost> least_cost(const lwe::Attack& attack, const ProblemParameters& parameters) {
  constexpr int most_doublings = 40;
  constexpr double often = 0.9;
  std::optional<AttackCost> out;
  double success = 0;
  for (int i = 0; i <= most_doublings && success < often; ++i) {
    const std::int64_t samples = parameters.n << i;
    lwe::Cost cost = lwe::predicted_cost(attack, parameters, samples);
    const std::optional<std::string> beyond = std::exchange(cost.beyond, std::nullopt);
    const bool better = !out || (out->beyond && !beyond) ||
                        (beyond ? out->beyond && cost.seconds < out->seconds : cost.success > success);
    if (!cost.objection(samples).empty() || !better) continue;
    out = {attack.name,
           examples_a_sample * static_cast<double>(samples),
           cost.seconds,
           attack.guarantee,
           cost.log2_operations(),
           beyond};
    success = beyond ? 0 : cost.success;
  }
  return out;
}

constexpr double a_year = 31'557'600;
/// Of reading an example, roughly.
constexpr double seconds_an_example = 5e-7;

/// The examples with the switch on that leave less than walsh::accident.
double equations(double sets, double noise) {
  const double agreement = 1 - 2 * noise, ln = std::log(sets / walsh::accident);
  return noise == 0 ? ln / std::log(2) + 1 : (ln + std::log(2)) * 2 / (agreement * agreement);
}

AttackCost cost_of_walsh(double features, double bits, double noise) {
  double smaller = 0;
  for (double size = 1; size < bits; ++size) smaller += walsh::sets_of(features, size);
  const double wanted = walsh::sets_of(features, bits);
  const bool by_default = wanted <= walsh::most_sets;
  const double sets = by_default ? smaller + wanted : wanted;
  double examples = walsh::first_examples;
  while (examples / 2 < equations(sets, noise)) examples *= 2;
  const double words = sets * std::ceil(examples / 128);
  return {.name = by_default ? "walsh" : fmt::format("walsh:size={}", bits),
          .examples = examples,
          .seconds = words * walsh::seconds_a_word + examples * seconds_an_example,
          .guarantee =
              "all products of that many bits; from unrelated labels one is named with probability "
              "1e-6 at most",
          .log2_operations = std::log2(words)};
}

std::optional<AttackCost> walsh_on(const Spec& spec, const hardness::Family& family) {
  if (!family.hidden_behind_product || !family.samples) return std::nullopt;
  const lwe::ProblemParameters noisy = family.samples(spec).problem;
  const auto ones = noisy.secret == lwe::SecretKind::fixed_weight ? noisy.weight : (noisy.n + 1) / 2;
  return cost_of_walsh(static_cast<double>(noisy.n), static_cast<double>(ones), noisy.rate);
}

std::optional<AttackCost> table_on(const Spec& spec, const hardness::Family& family) {
  const attention::Index bits = family.shape(spec).d - 1;
  const bool labels_by_bits = family.hides != hardness::Hidden::nothing || family.labels_by_h;
  if (!labels_by_bits || bits > learner::look_up::most_bits) return std::nullopt;
  const auto examples = static_cast<double>(learner::look_up::examples(bits));
  return AttackCost{.name = "table",
                    .examples = examples,
                    .seconds = examples * learner::look_up::seconds_an_example,
                    .guarantee = "199 of 200 labels have been seen",
                    .log2_operations = std::log2(examples)};
}

}  // namespace

std::vector<AttackCost> attack_costs(const ProblemParameters& parameters) {
  std::vector<AttackCost> out;
  for (const lwe::Attack& attack : lwe::attacks())
    if (auto cost = least_cost(attack, parameters)) out.push_back(std::move(*cost));
  return out;
}

std::optional<AttackCost> cheapest_attack(const Spec& spec) {
  const hardness::Family& family = hardness::find_family(spec.name);
  if (family.junta) return attack_on_junta(family.junta(spec));
  if (!family.samples) return std::nullopt;
  const ProblemParameters problem = family.samples(spec).problem;
  if (family.hides == hardness::Hidden::parity_set) return attack_on_parity(problem.n + 1);
  std::vector<AttackCost> all = attack_costs(problem);
  for (AttackCost& cost : all) cost.seconds += seconds_of_reading(cost.examples, problem);
  const auto cheapest = std::ranges::min_element(
      all, {}, [](const AttackCost& cost) { return std::pair(cost.beyond.has_value(), cost.seconds); });
  return cheapest == all.end() ? std::nullopt : std::optional(*cheapest);
}

std::optional<AttackCost> cheapest_told_gadget(const Spec& spec) {
  const hardness::Family& family = hardness::find_family(spec.name);
  std::optional<AttackCost> out;
  for (const std::optional<AttackCost>& one : {walsh_on(spec, family), table_on(spec, family)})
    if (one && one->seconds <= a_year && (!out || one->seconds < out->seconds)) out = one;
  return out;
}

}  // namespace hardhead::experiments
