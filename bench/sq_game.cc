// The game on the parity family, as markdown tables: the queries an adversary forces from two learners,
// against the lower bound 4 tau^2 (C(d-1,m) - 1) (sq/dimension/parity_bound.h), and how they grow in d - 1;
// then the same learners with an honest oracle of the same tolerance, mean of five targets. Before them, what
// is no statistical query: elimination over GF(2) on 4 d examples of the same layers.
//
// Arguments: largest d (default 24; 20 takes seconds).
#include <fmt/format.h>

#include <cmath>
#include <map>

#include "bench/study_program.h"
#include "experiments/attacks/parity_elimination.h"
#include "sq/game/game.h"
#include "statistics/growth.h"
#include "study/problem/source.h"

namespace {

using namespace hardhead;
using Learner = sq::GameOptions::Learner;

constexpr std::int64_t features[] = {12, 16, 20, 24}, hidden[] = {2, 3, 4};
const Rational tolerances[] = {Rational(1, 4), Rational(1, 10), Rational(1, 100)};

struct Row {
  sq::Game adversarial;
  double honest_queries = 0;
  int honest_wins = 0;
};

constexpr int targets = 5;

Row measure(std::int64_t d, std::int64_t m, const Rational& tau, Learner learner, const RunContext& context) {
  sq::GameOptions options{.d = d, .m = m, .learner = learner, .tolerance = tau};
  Row row;
  row.adversarial = play(options, context.stop);
  options.policy = "honest";
  for (int target = 1; target <= targets; ++target) {
    options.seed = static_cast<std::uint64_t>(target);
    const sq::Game game = play(options, context.stop);
    row.honest_queries += static_cast<double>(game.queries_used) / targets;
    row.honest_wins += game.learner_won ? 1 : 0;
  }
  return row;
}

const char* name_of(Learner learner) {
  return learner == Learner::correlation ? "correlations" : "combinations";
}

void print_row(std::int64_t d, std::int64_t m, const Rational& tau, Learner learner, const Row& row) {
  const sq::Game& game = row.adversarial;
  const double bound = game.bound_queries->convert_to<double>();
  fmt::print("| {} | {} | {} | {} | {} | {} | {:.2f} | {:.2f} | {} | {} of {} | {:.1f} | {} of {} |\n", d, m,
             to_string(tau), name_of(learner), game.members_total, game.queries_used, bound,
             static_cast<double>(game.queries_used) / bound, game.learner_won ? "yes" : "no", game.violations,
             game.answers_checked, row.honest_queries, row.honest_wins, targets);
  std::fflush(stdout);
}

void print_eliminations() {
  fmt::print(
      "| d | m | access | hidden set found in | examples | checked on later examples "
      "|\n|---|---|---|---|---|---|\n");
  for (const std::int64_t d : features)
    for (const std::int64_t m : hidden) {
      const study::Source source(fmt::format("parity:d={},m={}", d, m));
      const experiments::ParityElimination result =
          experiments::eliminate_parity(*study::examples_of(source, Domain::samples, 1), d - 1, 4 * d);
      const bool right = result.verified() && result.found == source.resolve()->instance->hidden;
      fmt::print("| {} | {} | single examples, GF(2) elimination | {} | {} | {} of {} agree |\n", d, m,
                 right ? fmt::format("{:.1g} s", result.seconds) : "not found", result.examples,
                 result.agreeing, result.checked);
    }
  fmt::print("\n");
}

}  // namespace

int main(int argc, char** argv) {
  return bench::run_study([&](const RunContext& context) {
    const std::int64_t largest = bench::integer_argument(argc, argv, 1, 24, 12, 24);
    print_eliminations();
    std::map<std::tuple<std::int64_t, Rational, Learner>, std::vector<statistics::GrowthPoint>> growth;
    fmt::print(
        "| d | m | tau | learner | members | queries | bound | times bound | won | broken answers | honest: "
        "queries | wins |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    double done = 0;
    for (const std::int64_t d : features)
      for (const std::int64_t m : hidden)
        for (const Rational& tau : tolerances)
          for (const Learner learner : {Learner::correlation, Learner::combination}) {
            context.progress.report(fmt::format("d = {}, m = {}, tau = {}", d, m, to_string(tau)), done);
            done += 1.0 / 72;
            if (d > largest) continue;
            const Row row = measure(d, m, tau, learner, context);
            print_row(d, m, tau, learner, row);
            growth[{m, tau, learner}].push_back(
                {static_cast<double>(d - 1), {static_cast<double>(row.adversarial.queries_used)}});
          }
    if (largest < 24) return;
    fmt::print("\n| m | tau | learner | queries against d - 1 | power off m by |\n|---|---|---|---|---|\n");
    for (const auto& [key, points] : growth) {
      const auto& [m, tau, learner] = key;
      const statistics::Growth law = statistics::fit_growth(points);
      fmt::print("| {} | {} | {} | {} | {:.1f}% |\n", m, to_string(tau), name_of(learner), law.str("(d-1)"),
                 100 * std::abs(law.power.rate.value / static_cast<double>(m) - 1));
    }
  });
}
