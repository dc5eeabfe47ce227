#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/output.h"
#include "base/error.h"
#include "sq/dimension.h"
#include "sq/game.h"
#include "sq/named_class.h"
#include "study/json.h"

namespace hardhead::app {
namespace {

using Json = nlohmann::ordered_json;
using sq::Dimension;

std::string decimal(const Rational& value) {
  return denominator(value) == 1 ? to_string(value) : fmt::format("{:.6g}", value.convert_to<double>());
}

/// What is learnt about a class: the options of the command, and the three definitions.
Dimension dimension_of(const Settings& settings, const std::string& definition,
                       const sq::ConceptClass& members, const sq::CorrelationTable& table,
                       const RunControl& control) {
  const Rational& tau = settings.game.tolerance;
  if (definition == "average")
    return average_dimension(table, settings.gamma ? *settings.gamma : Rational(tau * tau));
  if (definition == "separation") return separation_dimension(members, table, tau);
  return pairwise_dimension(table, tau, control);
}

std::string range_of(const Dimension& dimension) {
  if (dimension.exact()) return decimal(dimension.lower);
  return fmt::format("{} .. {}", decimal(dimension.lower),
                     dimension.bounded ? decimal(dimension.upper) : "?");
}

Json dimension_json(const Dimension& dimension) {
  return {{"definition", dimension.definition},
          {"exact", dimension.exact()},
          {"lower", to_string(dimension.lower)},
          {"upper", to_string(dimension.upper)},
          {"bound_queries", to_string(dimension.bound_queries)},
          {"theorem", dimension.theorem}};
}

Answer dimension(const Settings& settings, const Spec& spec, const RunControl& control) {
  if (settings.gamma && settings.definition != "average")
    throw InputError(fmt::format("--gamma {}: the definition '{}' has none; 'average' has one",
                                 to_string(*settings.gamma), settings.definition));
  const auto members = sq::make_class(spec);
  const sq::CorrelationTable table(*members, control);
  const Dimension found = dimension_of(settings, settings.definition, *members, table, control);
  Json json = study::report_json();
  json.update({{"spec", spec.str()}, {"members", members->size()}, {"bits", members->bits()}});
  json.update(dimension_json(found));
  if (settings.json) return {ExitCode::answered, text_of(json)};
  return {
      ExitCode::answered,
      fmt::format("{}: {} on {} bits\n{} dimension {} ({})\nbound at tau = {}: {} queries\n{}", spec.str(),
                  counted(members->size(), "member"), members->bits(), found.definition, range_of(found),
                  found.exact() ? "exact" : "certified bounds", to_string(settings.game.tolerance),
                  decimal(found.bound_queries), wrapped(found.theorem, 100, 2))};
}

struct Bound {
  std::string name, queries, theorem;
};

/// The family's own bounds, for any d; those of the three definitions where correlations can be tabulated.
std::vector<Bound> parity_bounds(const Settings& settings, const sq::ParityGoal& goal) {
  const Rational& tau = settings.game.tolerance;
  std::vector<Bound> out;
  if (tau <= Rational(1, 2))
    out.push_back({"STAT(tau)", to_string(parity_query_bound(goal, tau)),
                   "4 tau^2 (alpha C(d-1,m) - 1/delta): sq/parity_bound.h"});
  else
    out.push_back({"STAT(tau)", "unwinnable", "for tau > 1/2 the adversary never has to give in"});
  out.push_back({"VSTAT(1/tau^2)", to_string(parity_query_bound_vstat(goal, 1 / (tau * tau))),
                 "2/(3t) (alpha C(d-1,m) - 1/delta): sq/parity_bound.h"});
  return out;
}

Answer bound(const Settings& settings, const Spec& spec, const RunControl& control) {
  static_cast<void>(sq::Stat(settings.game.tolerance));  // refuses what is no tolerance
  std::vector<Bound> bounds;
  std::string members;
  bool tabulated = true;
  if (spec.name == "parity") {
    const std::vector<Parameter> parameters = {
        Parameter::integer("d", 20, 2, 1 << 20, "features"),
        Parameter::integer("m", 6, 1, 1 << 20, "size of the hidden set")};
    const Parameters p(spec, parameters);
    const sq::ParityGoal goal{
        .d = p.integer("d"), .m = p.integer("m"), .alpha = settings.alpha, .delta = settings.delta};
    bounds = parity_bounds(settings, goal);
    members = goal.members().str();
    tabulated = goal.d <= sq::max_bits && goal.members() <= sq::max_tabulated_members;
  }
  if (tabulated) {
    const auto made = sq::make_class(spec);
    const sq::CorrelationTable table(*made, control);
    members = std::to_string(made->size());
    for (const char* definition : {"pairwise", "average", "separation"}) {
      const Dimension found = dimension_of(settings, definition, *made, table, control);
      bounds.push_back({found.definition, to_string(found.bound_queries), found.theorem});
    }
  }
  if (settings.json) {
    Json json = study::report_json();
    json.update(
        {{"spec", spec.str()}, {"members", members}, {"tolerance", to_string(settings.game.tolerance)}});
    for (const Bound& b : bounds)
      json["bounds"].push_back({{"name", b.name}, {"bound_queries", b.queries}, {"theorem", b.theorem}});
    return {ExitCode::answered, text_of(json)};
  }
  std::vector<std::vector<std::string>> rows = {{"bound", "queries, at least", "theorem"}};
  for (const Bound& b : bounds) rows.push_back({b.name, b.queries, b.theorem});
  return {ExitCode::answered, fmt::format("{}: {} members, tau = {}\n\n{}", spec.str(), members,
                                          to_string(settings.game.tolerance), table(rows))};
}

/// The queries after which the number of members left first fell to N/2, N/4, ...
std::string fall_of(const sq::Game& game) {
  std::vector<std::vector<std::string>> rows = {{"members left", "after query"}};
  std::int64_t next = game.members_total;
  for (std::size_t i = 0; i < game.left_after.size(); ++i)
    if (const std::int64_t left = game.left_after[i]; left <= next) {
      rows.push_back({std::to_string(left), std::to_string(i + 1)});
      next = left / 2;
    }
  return table(rows);
}

Answer play(const Settings& settings, const Spec& spec, const RunControl& control) {
  if (spec.name != "parity")
    throw InputError(fmt::format("sq play: '{}': games are played on parity:d=..,m=..", spec.str()));
  const std::vector<Parameter> parameters = {Parameter::integer("d", 12, 2, sq::max_bits, "features"),
                                             Parameter::integer("m", 3, 1, sq::max_bits - 1, "hidden")};
  const Parameters p(spec, parameters);
  sq::GameOptions options = settings.game;
  options.d = p.integer("d");
  options.m = p.integer("m");
  options.seed = settings.seed;
  using Kind = sq::GameOptions::Oracle;
  const bool samples = options.oracle == Kind::one_stat || options.oracle == Kind::honest;
  options.policy = settings.policy.value_or(samples ? "honest" : "adversarial");
  const sq::Game game = sq::play(options, control);
  if (settings.json) {
    Json json = study::report_json();
    json.update({{"spec", p.canonical().str()},
                 {"queries_used", game.queries_used},
                 {"members_total", game.members_total},
                 {"members_left", game.members_left},
                 {"left_after", game.left_after},
                 {"bound_queries",
                  game.bound_queries ? Json(game.bound_queries->convert_to<double>()) : Json(nullptr)},
                 {"theorem", game.theorem},
                 {"learner_won", game.learner_won},
                 {"answers_checked", game.answers_checked},
                 {"violations", game.violations},
                 {"gave_in", game.gave_in},
                 {"examples", game.examples}});
    return {ExitCode::answered, text_of(json)};
  }
  std::string text = fmt::format(
      "{}: {} of {} left after {}: the learner {}\n", p.canonical().str(),
      counted(game.members_left, "member"), game.members_total,
      samples ? fmt::format("{} and {} queries", counted(game.examples, "example"), game.queries_used)
              : fmt::format("{} queries", game.queries_used),
      game.learner_won ? "won" : "did not win");
  text += fmt::format("bound: {}; {}\n",
                      game.bound_queries ? decimal(*game.bound_queries) + " queries" : "none", game.theorem);
  text += fmt::format("answers checked exactly: {}, broken: {}; the adversary gave in {} times\n\n",
                      game.answers_checked, game.violations, game.gave_in);
  return {ExitCode::answered, text + fall_of(game)};
}

}  // namespace

Command sq_dimension_command() {
  return {
      "sq dimension",
      "how many members a class has that are nearly uncorrelated: a dimension, exact or between bounds",
      {"SPEC", "parity:d=12,m=3, parities, subsets, dictators, points, thresholds or bent"},
      {"--definition", "--gamma", "--tolerance"},
      {},
      {"hardhead sq dimension parities:n=6", "hardhead sq dimension parity:d=12,m=3 --definition average"},
      [](const Settings& settings, const RunControl& control) {
        return dimension(settings, Spec::parse(settings.source), control);
      }};
}

Command sq_bound_command() {
  return {"sq bound",
          "the least number of queries, in numbers, each with its theorem",
          {"SPEC", "as for sq dimension"},
          {"--tolerance", "--alpha", "--delta"},
          {},
          {"hardhead sq bound parity:d=40,m=6 --tolerance 1/10"},
          [](const Settings& settings, const RunControl& control) {
            return bound(settings, Spec::parse(settings.source), control);
          }};
}

Command sq_play_command() {
  return {"sq play",
          "a learner against an oracle: queries used, members left, the bound, who won",
          {"SPEC", "parity:d=12,m=3"},
          {"--oracle", "--policy", "--learner", "--tolerance"},
          {},
          {"hardhead sq play parity:d=8,m=2 --learner combination"},
          [](const Settings& settings, const RunControl& control) {
            return play(settings, Spec::parse(settings.source), control);
          }};
}

}  // namespace hardhead::app
