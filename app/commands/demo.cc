#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/output.h"
#include "app/text/comparison_table.h"
#include "experiments/attacks/parity_elimination.h"
#include "sq/dimension/parity_bound.h"
#include "study/sweep/json.h"

namespace hardhead::app {
namespace {

using experiments::ParityElimination;
using study::Comparison;

constexpr const char* nice = "nice:d=16,k=3,m=2";
constexpr const char* hard = "parity:d=20,m=6,variant=exact";
constexpr const char* two_bits = "parity:d=10,m=2,variant=minimal";
constexpr std::int64_t seeds = 5;
/// Of a run: the whole demonstration has a quarter of a minute on two cores.
constexpr double seconds_each = 2;

struct DemoOptions {
  CommonOptions common;
};

struct QueryBound {
  sq::ParityGoal goal;
  double tolerance = 0.1, queries = 0;
};

struct Demonstration {
  Comparison comparison;
  ParityElimination elimination;
  std::vector<attention::Index> hidden;
  QueryBound bound;
};

Comparison compare(std::uint64_t seed, const RunContext& context) {
  study::Plan plan;
  plan.sources = {nice, hard, two_bits};
  plan.learners = {Spec::parse("sculpt"), Spec::parse("gauss-newton:starts=1")};
  plan.seeds = seeds;
  plan.seed = seed;
  plan.run.task.time_limit_seconds = seconds_each;
  return study::compare(plan, context);
}

Demonstration demonstrate(std::uint64_t seed, const RunContext& context) {
  Demonstration demo;
  demo.comparison = compare(seed, context);
  context.stop.check();
  const study::Problem problem = study::open_problem(fmt::format("{},seed={}", hard, seed), {.seed = seed});
  demo.elimination = experiments::eliminate_parity(*problem.training, problem.d - 1, 4 * problem.d);
  demo.hidden = problem.instance->hidden;
  demo.bound.goal.d = problem.d;
  demo.bound.goal.m = static_cast<long>(demo.hidden.size());
  demo.bound.goal.alpha = Rational(1, 2);
  demo.bound.goal.delta = Rational(1, 10);
  demo.bound.queries = round_to_nearest(sq::parity_query_bound(demo.bound.goal, Rational(1, 10)));
  return demo;
}

/// What the learners said on the first of the hard layers, with what they reached on all of them.
std::string said_on_hard(const Comparison& comparison) {
  std::string out;
  for (const study::ComparisonRow& row : comparison.rows)
    if (row.source == hard && !row.runs.empty())
      out += wrapped(fmt::format("{}: advantage {} in the median; {}", row.method,
                                 brief(row.advantage_median), row.runs.front().report.message),
                     100, 2);
  return out;
}

std::string meaning(const Demonstration& demo) {
  const ParityElimination& found = demo.elimination;
  std::string out = wrapped(fmt::format(
      "Each row has {} random layers. A run has at most {} s: one that is stopped is scored by the best "
      "layer it has by then, and counted under 'failed'. 'recovered: 95%' and 'learnt: 95%' are the exact "
      "intervals of the shares of layers.",
      seeds, seconds_each));
  out += wrapped(
      "A test error says little by itself: the null error is that of the best predictor that takes what is "
      "hidden for unknown, and the advantage is how far below it a learner gets (1: all "
      "the way, 0 or less: it learnt nothing).");
  out += wrapped(
      fmt::format("'{}' are random heads, as the upper bound wants them. '{}' is an attention layer that "
                  "computes the parity of 6 hidden coordinates of 19; '{}' is the XOR of 2 hidden bits of 9. "
                  "On the first layer with 6 hidden coordinates the learners said:",
                  nice, hard, two_bits));
  out += said_on_hard(demo.comparison);
  out += wrapped(
      fmt::format("That does not make it hard for every learner: 'hardhead learn {} --method adam' trains a "
                  "wide student on some millions of examples and learns it in a minute or two.",
                  hard));
  out += wrapped(fmt::format(
      "What is proved: with statistical queries of tolerance {}, error 0.9 of the null error on half "
      "of all {} hidden sets takes at least {:.0f} queries, and the bound grows like d^m (proved, "
      "sq/dimension/parity_bound.h). It binds learners by statistical queries only. Single examples are "
      "linear equations over GF(2): elimination read {} examples and {} in {:.4f} s.",
      demo.bound.tolerance, demo.bound.goal.members().str(), demo.bound.queries, found.examples,
      found.verified() ? fmt::format("found the hidden set {{{}}}, right on {} of {} further examples",
                                     fmt::join(found.found, ", "), found.agreeing, found.checked)
                       : "did not find the hidden set",
      found.seconds));
  return out;
}

nlohmann::ordered_json json(const Demonstration& demo) {
  nlohmann::ordered_json out = study::to_json(demo.comparison);
  const ParityElimination& found = demo.elimination;
  out["elimination"] = {{"instance", hard},
                        {"access", "examples (not statistical queries)"},
                        {"examples", found.examples},
                        {"equations", found.equations},
                        {"found", found.found},
                        {"hidden", demo.hidden},
                        {"verified", found.verified() && found.found == demo.hidden},
                        {"seconds", found.seconds}};
  out["query_bound"] = {{"instance", hard},
                        {"tolerance", demo.bound.tolerance},
                        {"members", demo.bound.goal.members().str()},
                        {"fraction_of_members", 0.5},
                        {"error_over_null_error", 0.9},
                        {"queries", demo.bound.queries},
                        {"theorem", "4 tau^2 (alpha C(d-1,m) - 1/delta), sq/dimension/parity_bound.h"}};
  return out;
}

Answer run(const DemoOptions& options, const RunContext& context) {
  const Demonstration demo = demonstrate(options.common.seed, context);
  return {ExitCode::answered, options.common.json ? text_of(json(demo))
                                                  : comparison_table(demo.comparison) + "\n" + meaning(demo)};
}

}  // namespace

Command demo_command() {
  return make_command(
      {.name = "demo",
       .summary = "nice against hard, two learners, and what it means (a quarter of a minute)",
       .examples = {"hardhead demo"}},
      FlagTable<DemoOptions>(), run);
}

}  // namespace hardhead::app
