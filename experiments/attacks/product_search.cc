#include "experiments/attacks/product_search.h"

#include <fmt/format.h>

#include <cmath>

#include "hardness/families/family.h"
#include "hardness/families/parity.h"

namespace hardhead::experiments {
namespace {

constexpr double accident = 1e-6, a_year = 31'557'600, sets_by_default = 1e8;
/// Seconds of one word of 64 examples in one set (`learn hard-1h --method walsh:size=8 --threads 1`) and of
/// reading an example.
constexpr double seconds_a_word = 4.5e-9, seconds_an_example = 5e-7;

double sets_of(double features, double size) {
  return std::exp(std::lgamma(features + 1) - std::lgamma(size + 1) - std::lgamma(features - size + 1));
}

/// The examples with the switch on that leave less than `accident`.
double equations(double sets, double noise) {
  const double agreement = 1 - 2 * noise, ln = std::log(sets / accident);
  return noise == 0 ? ln / std::log(2) + 1 : (ln + std::log(2)) * 2 / (agreement * agreement);
}

AttackCost cost_of(double features, double bits, double noise) {
  double smaller = 0;
  for (double size = 1; size < bits; ++size) smaller += sets_of(features, size);
  const double wanted = sets_of(features, bits);
  const bool by_default = wanted <= sets_by_default;
  const double sets = by_default ? smaller + wanted : wanted;
  double examples = 64;
  while (examples / 2 < equations(sets, noise)) examples *= 2;
  const double words = sets * std::ceil(examples / 128);
  return {.name = by_default ? "walsh" : fmt::format("walsh:size={}", bits),
          .examples = examples,
          .seconds = words * seconds_a_word + examples * seconds_an_example,
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
