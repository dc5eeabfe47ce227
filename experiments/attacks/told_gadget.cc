#include "experiments/attacks/told_gadget.h"

#include <fmt/format.h>

#include <cmath>

#include "hardness/families/family.h"
#include "learner/gadget/table.h"
#include "learner/gadget/walsh.h"

namespace hardhead::experiments {
namespace {

namespace walsh = learner::walsh;

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

std::optional<AttackCost> cheapest_told_gadget(const Spec& spec) {
  const hardness::Family& family = hardness::find_family(spec.name);
  std::optional<AttackCost> out;
  for (const std::optional<AttackCost>& one : {walsh_on(spec, family), table_on(spec, family)})
    if (one && one->seconds <= a_year && (!out || one->seconds < out->seconds)) out = one;
  return out;
}

}  // namespace hardhead::experiments
