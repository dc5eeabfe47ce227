#include "experiments/attacks/attack_cost.h"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/attacks/junta_search.h"
#include "experiments/attacks/parity_elimination.h"
#include "hardness/families/family.h"
#include "hardness/families/junta.h"
#include "hardness/families/parity.h"
#include "lwe/attacks/attack.h"

namespace hardhead::experiments {
namespace {

using lwe::ProblemKind;
using lwe::ProblemParameters;

constexpr double examples_a_sample = 2;  // half of all examples have the switch on

constexpr double failure = 0.01;

AttackCost attack_on_parity(long d) {
  const std::int64_t examples = elimination_examples(d, failure);
  const ProblemParameters bits{.problem = ProblemKind::lpn, .n = d - 1, .q = 2};
  return {"elimination over GF(2)", static_cast<double>(examples),
          lwe::find_attack("elimination").cost(bits, examples / 2).seconds,
          fmt::format("proved: finds the hidden set with probability {} at least", 1 - failure)};
}

AttackCost attack_on_junta(const hardness::JuntaOptions& junta) {
  if (junta.function == hardness::JuntaFunction::parity) return attack_on_parity(junta.d);
  return {"all sets of coordinates", static_cast<double>(junta_examples(junta, failure)),
          junta_search_seconds(junta),
          fmt::format("proved: finds the hidden function with probability {} at least", 1 - failure)};
}

/// `low-bits` takes any q that is a power of two, and then finds that no label says anything of a low bit,
/// where p divides q or a label leaves more than two residues: three in a row agree in no sum of low bits.
bool in_vain(const lwe::Attack& attack, const ProblemParameters& parameters) {
  return attack.name == "low-bits" && parameters.p < parameters.q &&
         (parameters.q % parameters.p == 0 || lwe::window(parameters).width() > 2);
}

}  // namespace

lwe::ProblemParameters problem_behind(const Spec& layer, ProblemKind kind) {
  const auto rows = lwe::recipe_table(kind).rows();
  Spec samples{layer.name, {}};
  for (const auto& value : layer.values)
    if (std::ranges::find(rows, value.first, &Parameter::name) != rows.end()) samples.values.push_back(value);
  return lwe::Recipe::parse(samples).parameters;
}

std::vector<AttackCost> attack_costs(const ProblemParameters& parameters) {
  constexpr int most_doublings = 40;
  std::vector<AttackCost> out;
  for (const lwe::Attack& attack : lwe::attacks()) {
    if (in_vain(attack, parameters)) continue;
    for (int i = 0; i <= most_doublings; ++i) {
      const std::int64_t samples = parameters.n << i;
      const lwe::Cost cost = attack.cost(parameters, samples);
      if (!cost.objection(samples).empty()) continue;
      out.push_back(
          {attack.name, examples_a_sample * static_cast<double>(samples), cost.seconds, attack.guarantee});
      break;
    }
  }
  return out;
}

std::optional<AttackCost> cheapest_attack(const Spec& spec) {
  if (hardness::find_family(spec.name).hides == hardness::Hidden::parity_set)
    return attack_on_parity(hardness::parity_table().read(spec).d);
  if (spec.name == "junta") return attack_on_junta(hardness::junta_table().read(spec));
  for (const ProblemKind kind : {ProblemKind::lwe, ProblemKind::lwr, ProblemKind::lpn})
    if (spec.name == name_of(kind)) {
      const std::vector<AttackCost> all = attack_costs(problem_behind(spec, kind));
      const auto cheapest = std::ranges::min_element(all, {}, &AttackCost::seconds);
      if (cheapest != all.end()) return *cheapest;
    }
  return std::nullopt;
}

}  // namespace hardhead::experiments
