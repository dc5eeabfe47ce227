#include "study/likely_cause.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "hardness/nice_layer.h"
#include "hardness/niceness.h"

namespace hardhead::study {
namespace {

using hardness::Condition;

constexpr double least_factor = 1.8, by_far = 1e6;

std::map<std::string, double> shortfalls(const attention::Layer& layer, attention::Index k,
                                         const RunControl& control) {
  const Parameters constants(Spec{"certificate", {}}, hardness::niceness_constants());
  std::map<std::string, double> out;
  for (const Condition& c : hardness::certify_worst(layer, k, constants, control).conditions)
    if (c.counts && c.verdict != hardness::Verdict::not_applicable)
      out[c.name] = c.at_least ? 1 / c.constant_at_flip : c.constant_at_flip;
  return out;
}

}  // namespace

std::string likely_cause(const Problem& problem, const RunControl& control) {
  if (!problem.truth) return "";
  if (problem.instance && problem.instance->label_noise > 0)
    return fmt::format("label_noise ({:.3g})", problem.instance->label_noise);
  if (problem.instance && problem.instance->wrong_labels) return "label_noise";
  const auto usual =
      shortfalls(hardness::nice_layer(problem.d, problem.truth->m(), 2, 1, 1), problem.k, control);
  std::string cause;
  double largest = least_factor;
  for (const auto& [name, shortfall] : shortfalls(*problem.truth, problem.k, control)) {
    const auto reference = usual.find(name);
    const double factor = shortfall / std::max(1.0, reference == usual.end() ? 1.0 : reference->second);
    if (!(factor > largest)) continue;
    largest = factor;
    cause = factor > by_far ? name : fmt::format("{} ({:.2g})", name, factor);
  }
  return cause;
}

}  // namespace hardhead::study
