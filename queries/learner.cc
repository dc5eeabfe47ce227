#include "queries/learner.h"

#include <fmt/format.h>

#include "base/error.h"
#include "queries/registered_learners.h"

namespace hardhead::queries {
namespace {

std::string tokens_of(Index k) {
  return k == 1 ? "1 token" : fmt::format("{} tokens", k);
}

void check_needs(const std::string& name, const Needs& needs, const ValueOracle& oracle) {
  if (needs.whatever_there_is) return;
  const attention::Labelled domain = oracle.domain();
  if (oracle.last_is_one() && !needs.takes_biases)
    throw InputError(fmt::format(
        "{} chooses every feature, and this layer has biases: its last feature is 1 in all tokens", name));
  if (needs.exact)
    throw InputError(
        fmt::format("{} computes with exact rationals, which this layer's answers are not", name));
  if (needs.tokens && domain.tokens && *needs.tokens != *domain.tokens)
    throw InputError(
        fmt::format("{} asks X of {}, and every X of this oracle has {} (--length free lets a "
                    "learner choose the number)",
                    name, tokens_of(*needs.tokens), tokens_of(*domain.tokens)));
  if (!needs.tokens && domain.tokens)
    throw InputError(
        fmt::format("{} asks X of several lengths, and every X of this oracle has {} (--length free "
                    "lets a learner choose the number)",
                    name, tokens_of(*domain.tokens)));
  if (needs.hints && !oracle.has_hints())
    throw InputError(fmt::format("{} reads hints, which layers of family parity give and no others", name));
  if (needs.real_tokens && domain.boolean_only)
    throw InputError(
        fmt::format("{} asks tokens with entries other than -1 and +1, and this layer has exact "
                    "values for those only",
                    name));
}

// The one place where what a learner throws becomes an outcome.
Report recorded(const QueryLearner::Body& body, Run run, const Account& account) {
  const Stopwatch watch;
  Report& report = run.recorder.report();
  const auto end = [&](Ending ending, std::string message) {
    report.ending = ending;
    report.message = std::move(message);
  };
  try {
    body(run);
  } catch (const Stopped& stopped) {
    end(Ending::stopped, stopped.reason);
  } catch (const OutOfQueries& spent) {
    end(Ending::out_of_queries,
        fmt::format("the budget of {} queries does not suffice: step {} asks for more", spent.budget,
                    report.steps.back().name));
  } catch (const BadAnswer& answer) {
    end(Ending::failed, answer.message);
  } catch (const Failed& failed) {
    end(Ending::failed, failed.message);
  }
  if (report.ending == Ending::failed) report.failed_step = report.steps.back().name;
  report.queries_used = account.queries();
  report.tokens_used = account.tokens();
  report.seconds = watch.seconds();
  return std::move(report);
}

}  // namespace

std::span<const QueryLearner> query_learners() {
#define HARDHEAD_QUERY_LEARNER(name) detail::name##_learner(),
  static const std::vector<QueryLearner> all{HARDHEAD_QUERY_LEARNERS(HARDHEAD_QUERY_LEARNER)};
#undef HARDHEAD_QUERY_LEARNER
  return all;
}

const QueryLearner& find_query_learner(const std::string& name) {
  return find_named("query learner", name, query_learners());
}

Report query(const Spec& spec, ValueOracle& oracle, const Task& task, const RunContext& context) {
  const QueryLearner& learner = find_query_learner(spec.name);
  const Needs needs = learner.needs(spec);
  check_needs(spec.name, needs, oracle);
  if (needs.gadget && std::holds_alternative<std::monostate>(task.gadget))
    throw InputError(
        fmt::format("{} reads what a hard family hides (parity, lwr): this source is neither", spec.name));
  Recorder recorder(oracle.account(), context.stop);
  return recorded(learner.configure(spec), {&oracle, nullptr, task, context, recorder}, oracle.account());
}

Report query(const Spec& spec, ExactOracle& oracle, const Task& task, const RunContext& context) {
  const QueryLearner& learner = find_query_learner(spec.name);
  if (!learner.needs(spec).exact)
    throw InputError(fmt::format("{} does not compute with exact rationals", spec.name));
  Recorder recorder(oracle.account(), context.stop);
  return recorded(learner.configure(spec), {nullptr, &oracle, task, context, recorder}, oracle.account());
}

}  // namespace hardhead::queries
