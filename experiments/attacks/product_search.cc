#include "experiments/attacks/product_search.h"

#include <fmt/format.h>

#include <cmath>

#include "hardness/families/family.h"
#include "hardness/families/parity.h"
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

AttackCost cost_of(double features, double bits, double noise) {
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

std::optional<AttackCost> worth_naming(const AttackCost& cost) {
  return cost.seconds <= a_year ? std::optional(cost) : std::nullopt;
}

}  // namespace

std::optional<AttackCost> product_search(const Spec& spec) {
  const hardness::Family& family = hardness::find_family(spec.name);
  if (family.hides == hardness::Hidden::parity_set) {
    const hardness::ParityOptions parity = hardness::parity_table().read(spec);
    return worth_naming(cost_of(static_cast<double>(parity.d - 1), static_cast<double>(parity.m), 0));
  }
  if (!family.hidden_behind_product) return std::nullopt;
  const lwe::ProblemParameters noisy = problem_behind(spec, lwe::ProblemKind::lpn);
  const auto ones = noisy.secret == lwe::SecretKind::fixed_weight ? noisy.weight : (noisy.n + 1) / 2;
  return worth_naming(cost_of(static_cast<double>(noisy.n), static_cast<double>(ones), noisy.rate));
}

}  // namespace hardhead::experiments
