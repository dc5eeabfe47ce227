#include "study/run/likely_cause.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "base/error.h"
#include "hardness/families/nice_layer.h"
#include "hardness/niceness/niceness.h"
#include "study/run/estimate_error.h"

namespace hardhead::study {
namespace {

using hardness::Condition;

constexpr double least_factor = 1.8, by_far = 1e6;

std::map<std::string, double> shortfalls(const attention::Layer& layer, attention::Index k,
                                         const RunContext& context) {
  std::map<std::string, double> out;
  for (const Condition& c : hardness::certify_worst(layer, k, {}, context.stop).conditions)
    if (c.counts && c.status != hardness::ConditionStatus::not_applicable)
      out[c.name] = c.at_least ? 1 / c.constant_at_flip : c.constant_at_flip;
  return out;
}

/// Are all Theta_i that are not 0 multiples of one matrix, and not all the same?
bool have_one_direction(const attention::Layer& layer) {
  constexpr double rounding = 1e-12;
  const attention::Matrix* first = nullptr;
  bool differ = false;
  for (const attention::Head& head : layer.heads) {
    const double norm = head.theta.norm();
    if (norm == 0) continue;
    if (first == nullptr) {
      first = &head.theta;
      continue;
    }
    const double along = first->cwiseProduct(head.theta).sum() / first->squaredNorm();
    if ((head.theta - along * *first).norm() > rounding * norm) return false;
    differ = differ || std::abs(along - 1) > rounding;
  }
  return differ;
}

}  // namespace

std::string LikelyCause::str() const {
  if (!factor) return condition;
  return condition == label_noise ? fmt::format("{} ({:.3g})", condition, *factor)
                                  : fmt::format("{} ({:.2g})", condition, *factor);
}

LikelyCause LikelyCause::parse(const std::string& text) {
  const std::size_t space = text.find(" (");
  LikelyCause out{text.substr(0, space)};
  if (space == std::string::npos) return out;
  double factor = 0;
  const std::string digits = text.substr(space + 2);
  const char* const end = digits.data() + digits.size();
  const auto [stop, status] = std::from_chars(digits.data(), end, factor);
  if (status != std::errc{} || std::string_view(stop, end) != ")")
    throw InputError(
        fmt::format("likely cause '{}': a condition and its factor in brackets are expected", text));
  out.factor = factor;
  return out;
}

std::optional<LikelyCause> noise_cause(const Problem& problem) {
  if (!problem.truth || !problem.instance) return std::nullopt;
  if (problem.instance->label_noise > 0)
    return LikelyCause{LikelyCause::label_noise, problem.instance->label_noise};
  if (problem.instance->wrong_labels) return LikelyCause{LikelyCause::label_noise};
  return std::nullopt;
}

std::optional<LikelyCause> hard_cause(const Problem& problem) {
  if (!problem.truth) return std::nullopt;
  if (auto noise = noise_cause(problem)) return noise;
  if (problem.truth->network) return LikelyCause{LikelyCause::network};
  if (w_sum_vanishes(*problem.truth)) return LikelyCause{LikelyCause::w_sum_zero};
  if (have_one_direction(*problem.truth)) return LikelyCause{LikelyCause::identical_directions};
  return std::nullopt;
}

std::optional<LikelyCause> likely_cause(const Problem& problem, const RunContext& context) {
  if (!problem.truth) return std::nullopt;
  if (auto hard = hard_cause(problem)) return hard;
  const auto usual =
      shortfalls(hardness::nice_layer(problem.d, problem.truth->m(), 2, 1, 1), problem.k, context);
  std::optional<LikelyCause> cause;
  double largest = least_factor;
  for (const auto& [name, shortfall] : shortfalls(*problem.truth, problem.k, context)) {
    const auto reference = usual.find(name);
    const double factor = shortfall / std::max(1.0, reference == usual.end() ? 1.0 : reference->second);
    if (!(factor > largest)) continue;
    largest = factor;
    cause = LikelyCause{name, factor > by_far ? std::nullopt : std::optional(factor)};
  }
  return cause;
}

double likely_cause_bytes(attention::Index d, attention::Index m) {
  // A nice layer, the certificate's copy of a layer, and in each thread a few matrices.
  return attention::layer_bytes(d, 2 * m) + threads() * attention::layer_bytes(d, 4);
}

}  // namespace hardhead::study
