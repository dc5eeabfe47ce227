#include "study/run/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "attention/samples/exact_teacher.h"
#include "base/error.h"
#include "hardness/families/family.h"

namespace hardhead::study {
namespace {

using attention::ExactLayer;
using hardness::Instance;
using learner::Learner;

/// Labels of two Boolean tokens as the family has them; of other numbers by the exact layer, where there is
/// one.
std::shared_ptr<const attention::Teacher> teacher_of(const Instance& instance, QueryLength length) {
  if (length == QueryLength::free && instance.exact && instance.teacher->labelled().tokens)
    return std::make_shared<attention::ExactTeacher>(*instance.exact);
  return instance.teacher;
}

/// Throws InputError for a data file.
const Instance& answering(const std::shared_ptr<const Instance>& instance, const std::string& source) {
  if (instance == nullptr)
    throw InputError(
        fmt::format("'{}' is a data file: it has the values at its own X and answers no queries; name a "
                    "spec or a layer file",
                    source));
  return *instance;
}

void check_exact(const Learner& learner, const ValueAccess& access, const Instance& instance) {
  if (!instance.exact)
    throw InputError(
        fmt::format("{} computes with exact rationals: this layer is not built from powers of an "
                    "integer (parity, staircase and small lwr layers are)",
                    learner.str()));
  if (length_of(access, learner) == QueryLength::fixed)
    throw InputError(fmt::format("{} asks X of several lengths: --length free lets it", learner.str()));
}

learner::ValueOracle oracle_of(const Learner& learner, std::uint64_t seed, const ValueAccess& access,
                               const Instance& instance) {
  learner::OracleOptions options{.tolerance = access.tolerance,
                                 .budget = access.budget,
                                 .seed = seed,
                                 .last = attention::last_feature(instance.inputs),
                                 .listener = access.listener};
  if (!instance.spec.name.empty()) {
    const hardness::Family& family = hardness::find_family(instance.spec.name);
    if (family.gadget) options.gadget = family.gadget(instance);
    if (learner.by_values().needs().hints && family.hints) options.hints = family.hints(instance);
  }
  const QueryLength length = length_of(access, learner);
  if (length == QueryLength::fixed) options.tokens = instance.k;
  return {teacher_of(instance, length), instance.layer.d, std::move(options)};
}

/// The heads with their entries that are not 0, in an order of their own.
auto sorted_heads(const ExactLayer& layer) {
  using Theta = std::map<std::pair<attention::Index, attention::Index>, std::int64_t>;
  using W = std::map<std::pair<attention::Index, attention::Index>, Rational>;
  std::vector<std::pair<Theta, W>> out;
  for (const ExactLayer::Head& head : layer.heads) {
    auto& [theta, w] = out.emplace_back();
    for (const auto& entry : head.theta)
      if (entry.half_units != 0) theta[{entry.row, entry.column}] = entry.half_units;
    for (const auto& entry : head.w)
      if (entry.value != 0) w[{entry.row, entry.column}] = entry.value;
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace

QueryLength length_of(const ValueAccess& access, const Learner& learner) {
  if (access.length) return *access.length;
  const learner::Needs needs = learner.by_values().needs();
  return needs.tokens || needs.adapts ? QueryLength::fixed : QueryLength::free;
}

learner::RunMemory value_memory(const Learner& learner, const hardness::InstanceShape& instance,
                                const learner::Task& task) {
  const auto memory = learner.by_values().predicted_memory({instance.d, instance.m}, task);
  if (!memory)
    throw InputError(
        fmt::format("a memory limit, and the learner {}: what it needs is not known before it has asked, so "
                    "that it cannot be held to a limit",
                    learner.str()));
  attention::PassShape pass = instance.pass();
  pass.k = memory->tokens;
  // Answers, and the same without what they are off by.
  const double block = attention::example_bytes(pass.d, pass.k, memory->queries_at_once),
               labels = instance.forward ? learner::answer_bytes(pass, memory->queries_at_once) : block;
  return {.work = memory->work + 2 * block + labels, .report = memory->report, .heads = memory->heads};
}

learner::Report ask(const Learner& learner, const learner::Task& task, const ValueAccess& access,
                    const Problem& problem, const RunContext& context) {
  const Instance& instance = answering(problem.instance, problem.source);
  if (learner.by_values().needs().exact) {
    check_exact(learner, access, instance);
    learner::ExactOracle oracle(*instance.exact, access.budget);
    return learner::learn(learner, oracle, task, context);
  }
  learner::ValueOracle oracle = oracle_of(learner, task.seed, access, instance);
  return learner::learn(learner, oracle, task, context);
}

void check_asking(const Learner& learner, const ValueAccess& access, const Source& source) {
  if (!learner.asks_values()) return;
  const auto resolved = source.resolve();
  const Instance& instance = answering(resolved->instance, source.name());
  if (learner.by_values().needs().exact)
    check_exact(learner, access, instance);
  else
    learner::check_needs(learner, oracle_of(learner, 1, access, instance));
}

bool exactly_right(const ExactLayer& found, const ExactLayer& truth) {
  return sorted_heads(found) == sorted_heads(truth);
}

}  // namespace hardhead::study
