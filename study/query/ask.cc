#include "study/query/ask.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "attention/samples/exact_teacher.h"
#include "base/error.h"
#include "hardness/families/family.h"
#include "hardness/families/lwr.h"
#include "hardness/families/rounding_layer.h"
#include "queries/learner.h"

namespace hardhead::study {
namespace {

using attention::ExactLayer;
using hardness::Instance;

/// What is public of a hard instance. Its levels do not depend on what is hidden: for a parity, W = 0, so
/// that they are -2 (kappa + 1) for an even h, which h = 0 shows, and 4 more for an odd one.
queries::PublicGadget gadget_of(const Instance& instance) {
  if (instance.spec.name.empty()) return {};
  const hardness::Hidden hides = hardness::find_family(instance.spec.name).hides;
  const attention::Index j0 = instance.layer.d - 1;
  if (hides == hardness::Hidden::parity_set) {
    attention::Block block(instance.layer.d, 2, 1);
    block.x.setOnes();
    block.x(j0, 1) = -1;
    instance.teacher->label(block);
    const double even = block.y(0, 0);
    return queries::ParityGadget{j0, even, even + 4};
  }
  if (hides == hardness::Hidden::lwr_secret) {
    const lwe::ProblemParameters p = hardness::rounding_problem(instance.spec).parameters;
    return queries::RoundingGadget{j0, p.n, p.q, p.p};
  }
  return {};
}

/// The parities of the first 1, 2, .. hidden features; null for families that hide no set.
queries::Hints hints_of(const Instance& instance) {
  if (instance.spec.name.empty() ||
      hardness::find_family(instance.spec.name).hides != hardness::Hidden::parity_set)
    return {};
  return [hidden = instance.hidden](const attention::Block& block) {
    attention::RowMatrix out(static_cast<attention::Index>(hidden.size()), block.count);
    for (attention::Index n = 0; n < block.count; ++n) {
      double parity = 1;
      for (std::size_t t = 0; t < hidden.size(); ++t) {
        parity *= block.token(0)(hidden[t], n) * block.token(1)(hidden[t], n);
        out(static_cast<attention::Index>(t), n) = parity;
      }
    }
    return out;
  };
}

/// Labels of two Boolean tokens as the family has them; of other numbers by the exact layer, where there is
/// one.
std::shared_ptr<const attention::Teacher> teacher_of(const Instance& instance, QueryLength length) {
  if (length == QueryLength::free && instance.exact && instance.teacher->labelled().tokens)
    return std::make_shared<attention::ExactTeacher>(*instance.exact);
  return instance.teacher;
}

/// What was asked for, or the stricter of the two lengths that the learner can do with.
QueryLength length_of(const ValueAccess& access, const queries::Needs& needs) {
  return access.length.value_or(needs.tokens || needs.whatever_there_is ? QueryLength::fixed
                                                                        : QueryLength::free);
}

queries::Report answers(const ValueQuestion& question, const Instance& instance, QueryLength length,
                        const RunContext& context) {
  const Spec& learner = question.learner;
  const queries::Task task{question.task.heads, gadget_of(instance), question.task.seed};
  if (queries::find_query_learner(learner.name).needs(learner).exact) {
    if (!instance.exact)
      throw InputError(
          fmt::format("{} computes with exact rationals: this layer is not built from powers of an "
                      "integer (parity, staircase and small lwr layers are)",
                      learner.str()));
    if (length == QueryLength::fixed)
      throw InputError(fmt::format("{} asks X of several lengths: --length free lets it", learner.str()));
    queries::ExactOracle oracle(*instance.exact, question.access.budget);
    return queries::query(learner, oracle, task, context);
  }
  queries::OracleOptions options{.tolerance = question.access.tolerance,
                                 .budget = question.access.budget,
                                 .seed = question.task.seed,
                                 .last = attention::last_feature(instance.inputs),
                                 .listener = question.access.listener};
  if (queries::find_query_learner(learner.name).needs(learner).hints) options.hints = hints_of(instance);
  if (length == QueryLength::fixed) options.tokens = instance.k;
  queries::ValueOracle oracle(teacher_of(instance, length), instance.layer.d, std::move(options));
  return queries::query(learner, oracle, task, context);
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

learner::Phase phase_of(queries::Step& step) {
  learner::Phase out{.name = std::move(step.name), .seconds = step.seconds};
  out.add("queries", static_cast<double>(step.queries));
  out.add("tokens", static_cast<double>(step.tokens));
  for (const auto& [name, value] : step.measures) out.add(name, value);
  if (step.layer) out.estimates.emplace_back(std::move(*step.layer));
  return out;
}

learner::Ending ending_of(queries::Ending ending) {
  switch (ending) {
    case queries::Ending::finished:
      return learner::Ending::finished;
    case queries::Ending::failed:
      return learner::Ending::failed;
    case queries::Ending::out_of_queries:
    case queries::Ending::stopped:
      break;
  }
  return learner::Ending::stopped;
}

}  // namespace

bool asks_values(const std::string& method) {
  return std::ranges::any_of(queries::query_learners(),
                             [&](const queries::QueryLearner& learner) { return learner.name == method; });
}

learner::RunMemory predicted_memory(const Spec& learner, const hardness::InstanceShape& instance,
                                    const learner::Task& task) {
  const queries::Task told{.heads = task.heads, .seed = task.seed};
  const auto memory =
      queries::find_query_learner(learner.name).memory(learner, {instance.d, instance.m}, told);
  if (!memory)
    throw InputError(
        fmt::format("a memory limit, and the learner {}: what it needs is not known before it has asked, so "
                    "that it cannot be held to a limit",
                    learner.str()));
  attention::PassShape pass = instance.pass();
  pass.k = memory->tokens;
  // Answers, and the same without what they are off by.
  const double block = attention::example_bytes(pass.d, pass.k, memory->queries_at_once),
               labels = instance.forward ? queries::answer_bytes(pass, memory->queries_at_once) : block;
  return {.work = memory->work + 2 * block + labels, .report = memory->report, .heads = memory->heads};
}

ValueAnswer ask(const ValueQuestion& question, const RunContext& context) {
  if (question.problem.instance == nullptr)
    throw InputError(
        fmt::format("'{}' is a data file: it has the values at its own X and answers no queries; name a "
                    "spec or a layer file",
                    question.problem.source));
  const Instance& instance = *question.problem.instance;
  const Spec& learner = question.learner;
  const QueryLength length =
      length_of(question.access, queries::find_query_learner(learner.name).needs(learner));
  queries::Report found = answers(question, instance, length, context);

  ValueAnswer out;
  out.used = {.length = length,
              .queries = found.queries_used,
              .tokens = found.tokens_used,
              .out_of_queries = found.ending == queries::Ending::out_of_queries};
  learner::Report& report = out.report;
  report.ending = ending_of(found.ending);
  report.failed_phase = std::move(found.failed_step);
  report.message = std::move(found.message);
  report.layer = std::move(found.layer);
  report.seconds = found.seconds;
  for (queries::Step& step : found.steps) report.phases.push_back(phase_of(step));
  if (found.exact) out.used.exactly_right = sorted_heads(*found.exact) == sorted_heads(*instance.exact);
  if (found.hidden) {
    out.used.hidden_right = std::ranges::equal(*found.hidden, instance.hidden);
    if (*out.used.hidden_right) report.layer = instance.layer;
    out.used.hidden = std::move(found.hidden);
  }
  return out;
}

}  // namespace hardhead::study
