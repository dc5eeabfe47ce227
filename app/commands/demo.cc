#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/output.h"
#include "app/terminal/layout.h"
#include "base/text/record_json.h"
#include "experiments/attacks/parity_elimination.h"
#include "sq/dimension/parity_bound.h"
#include "study/sweep/compare.h"

namespace hardhead::app {
namespace {

using experiments::ParityElimination;
using study::Comparison;

constexpr const char* nice = "nice:d=16,k=3,m=2";
constexpr const char* three_bits = "parity:d=12,m=3";
constexpr const char* hard = "parity:d=20,m=8,variant=exact";
constexpr const char* phases = "sculpt";
constexpr const char* descent = "adam:until=0.003";
constexpr std::int64_t seeds = 3;
/// Of a run: the whole demonstration has half a minute on two cores.
constexpr double seconds_each = 5;
constexpr std::size_t story_columns = 80;

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
  plan.sources = {nice, three_bits, hard};
  plan.learners = {Spec::parse(phases), Spec::parse(descent)};
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

const study::ComparisonRow& row_of(const Comparison& comparison, const char* source, const char* method) {
  return *std::ranges::find_if(comparison.rows, [&](const study::ComparisonRow& row) {
    return row.source == source && row.method == method;
  });
}

/// A layer, what both learners made of it, and what that shows.
std::string scene(const Comparison& comparison, const char* source, const std::string& what,
                  const std::string& seen) {
  std::string out = wrapped(what, story_columns);
  for (const auto& [method, name] : {std::pair{phases, "the six phases"}, {descent, "Adam, told nothing"}}) {
    const study::ComparisonRow& row = row_of(comparison, source, method);
    out += fmt::format("    {:<20}{:<26}{:>5.1f} s\n", name, row.degrees.str(), row.seconds_median);
  }
  return out + wrapped(seen, story_columns, 2) + "\n";
}

/// What a learner did, as it was measured in this very run.
std::string outcome(const Comparison& comparison, const char* source, const char* method) {
  const study::ComparisonRow& row = row_of(comparison, source, method);
  if (row.degrees.at_least_learnt() == seeds) return "learnt all of them";
  return row.degrees.nothing == seeds ? "found nothing" : "did not learn all of them";
}

std::string story(const Demonstration& demo) {
  const Comparison& seen = demo.comparison;
  const auto both = [&](const char* source) {
    return fmt::format("Seen: the six phases {}, Adam {}.", outcome(seen, source, phases),
                       outcome(seen, source, descent));
  };
  std::string out =
      wrapped(
          fmt::format("A learner sees random X with their labels F(X) and has to find the layer F. Each line "
                      "has {} random layers and the median seconds; a run has {} s at most.",
                      seeds, seconds_each),
          story_columns) +
      "\n";
  out += scene(seen, nice, "1. A nice layer: two random heads on three tokens of 16 features.",
               both(nice) + " This is what the upper bound is about.");
  out += scene(seen, three_bits, "2. A hard layer: it computes the parity of 3 hidden bits of 11.",
               both(three_bits) + " The phases begin with the sum of the W_i, which is 0 here.");
  out += scene(seen, hard, "3. The same with 8 hidden bits of 19.",
               both(hard) +
                   " With more time Adam learns it, from 9 million examples: 'hardhead learn "
                   "parity:d=20,m=8 --method adam:until=0.0033,starts=2,steps=40000'.");
  const ParityElimination& found = demo.elimination;
  out += wrapped(
      fmt::format("4. Whoever knows the family reads each example as an equation. Elimination {} from {} "
                  "examples in {:.4f} s.",
                  found.verified() && found.found == demo.hidden
                      ? fmt::format("found the hidden bits {{{}}}", fmt::join(found.found, ", "))
                      : "did not find the hidden bits",
                  found.examples, found.seconds),
      story_columns);
  out += wrapped(
      fmt::format("Proved: a learner by statistical queries of tolerance {} needs at least {:.0f} queries "
                  "to get within 0.9 of the null error on half of the {} hidden sets.",
                  demo.bound.tolerance, demo.bound.queries, demo.bound.goal.members().str()),
      story_columns, 2);
  return out + "\nNext: hardhead hardness parity:d=20,m=8, and docs/start.md\n";
}

Json json(const Demonstration& demo) {
  Json out = record_to_json(demo.comparison);
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
  return {options.common.json ? text_of(json(demo)) : story(demo)};
}

}  // namespace

Command demo_command() {
  return make_command({.name = "demo",
                       .summary = "nice and hard layers, two learners and an attack, told in half a minute",
                       .examples = {"hardhead demo"}},
                      FlagTable<DemoOptions>(), run);
}

}  // namespace hardhead::app
