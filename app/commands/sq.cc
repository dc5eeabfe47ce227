#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/output.h"
#include "base/error.h"
#include "base/files/paths.h"
#include "hardness/concepts/named_class.h"
#include "hardness/families/family.h"
#include "hardness/families/parity.h"
#include "sq/dimension/dimension.h"
#include "sq/game/game.h"
#include "study/cost/hard_presets.h"
#include "study/figure/figure.h"
#include "study/report/json.h"

namespace hardhead::app {
namespace {

using sq::Dimension;

std::string decimal(const Rational& value) {
  return denominator(value) == 1 ? to_string(value) : fmt::format("{:.6g}", value.convert_to<double>());
}

/// A bound on a number of queries as a count: the least integer that is as large, 0 at least.
std::string least_count(const Rational& bound) {
  return bound <= 0 ? "0" : grouped(ceil_of(bound).str());
}

const Rational default_tolerance(1, 10);
constexpr const char* up_to_one = "above 0 and at most 1";

struct DimensionOptions {
  CommonOptions common;
  std::string spec;
  std::string definition = "pairwise";
  std::optional<Rational> gamma;  ///< of the definition "average"
  Rational tolerance = default_tolerance;
};

struct BoundOptions {
  CommonOptions common;
  std::string spec;
  Rational tolerance = default_tolerance;
  Rational alpha = 1, delta = 1;  ///< the goal (parity_bound.h)
  std::string figure;             ///< a folder; empty for none
};

struct PlayOptions {
  CommonOptions common;
  std::string spec;
  sq::GameOptions::Oracle oracle = sq::GameOptions::Oracle::stat;
  std::optional<std::string> policy;
  sq::GameOptions::Learner learner = sq::GameOptions::Learner::correlation;
  Rational tolerance = default_tolerance;
  bool transcript = false;  ///< every query and its answer, in JSON
};

/// Each query as the sets of its characters, coordinates from 0 on, and its answer.
Json transcript_of(const sq::Game& game) {
  Json out = Json::array();
  for (const sq::AskedCorrelation& asked : game.asked) {
    Json sets = Json::array();
    for (const sq::Bits set : asked.sets) {
      Json coordinates = Json::array();
      for (int j = 0; j < sq::max_bits; ++j)
        if ((set >> j & 1) != 0) coordinates.push_back(j);
      sets.push_back(std::move(coordinates));
    }
    out.push_back({{"sets", std::move(sets)}, {"answer", to_string(asked.answer)}});
  }
  return out;
}

const Flag tolerance_flag = {"--tolerance", "TAU", "tau; vstat: t = 1/tau^2"};

/// What is found about a class by one of the three definitions; gamma is of "average", by default tau^2, or
/// E[f^2] where that is less.
Dimension dimension_of(const std::string& definition, const sq::ConceptClass& members,
                       const sq::CorrelationTable& table, const Rational& tau,
                       const std::optional<Rational>& gamma, const RunContext& context) {
  if (definition == "average")
    return average_dimension(table, gamma ? *gamma : std::min(Rational(tau * tau), table.rho()));
  if (definition == "separation") return separation_dimension(members, table, tau);
  return pairwise_dimension(table, tau, context.stop);
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

Answer dimension(const DimensionOptions& options, const RunContext& context) {
  const Spec spec = study::source_spec(options.spec);
  if (options.gamma && options.definition != "average")
    throw InputError(fmt::format("--gamma {}: the definition '{}' has none; 'average' has one",
                                 to_string(*options.gamma), options.definition));
  const auto members = hardness::make_class(spec);
  const sq::CorrelationTable table(*members, context.stop);
  const Dimension found =
      dimension_of(options.definition, *members, table, options.tolerance, options.gamma, context);
  Json json = report::report_json("dimension");
  json.update({{"spec", spec.str()}, {"members", members->size()}, {"bits", members->bits()}});
  json.update(dimension_json(found));
  if (options.common.json) return {text_of(json)};
  return {fmt::format("{}: {} on {}\n{} dimension {} ({})\nbound at tau = {}: {} queries\n{}", spec.str(),
                      counted(members->size(), "member"), counted(members->bits(), "bit"), found.definition,
                      range_of(found), found.exact() ? "exact" : "certified bounds",
                      to_string(options.tolerance), least_count(found.bound_queries),
                      wrapped(found.theorem, 100, 2))};
}

struct Bound {
  std::string name;
  std::optional<Rational> queries;  // none: no learner wins
  std::string theorem;
};

std::string queries_of(const Bound& bound, std::string (*number)(const Rational&)) {
  return bound.queries ? number(*bound.queries) : "unwinnable";
}

/// The family's own bounds, for any d; those of the three definitions where correlations can be tabulated.
std::vector<Bound> parity_bounds(const Rational& tau, const sq::ParityGoal& goal) {
  std::vector<Bound> out;
  if (tau <= Rational(1, 2))
    out.push_back({"STAT(tau)", parity_query_bound(goal, tau),
                   "4 tau^2 (alpha C(d-1,m) - 1/delta): sq/dimension/parity_bound.h"});
  else
    out.push_back({"STAT(tau)", std::nullopt, "for tau > 1/2 the adversary never has to give in"});
  out.push_back({"VSTAT(1/tau^2)", parity_query_bound_vstat(goal, 1 / (tau * tau)),
                 "2/(3t) (alpha C(d-1,m) - 1/delta): sq/dimension/parity_bound.h"});
  return out;
}

/// What is proved by the number of heads, 1 .. most of them; empty where no tolerance has a bound.
std::vector<hardness::QueriesBehindHeads> by_heads(const Rational& tau, const sq::ParityGoal& goal,
                                                   attention::Index most) {
  std::vector<hardness::QueriesBehindHeads> out;
  if (tau > Rational(1, 2)) return out;
  for (attention::Index heads = 1; heads <= most; ++heads)
    for (hardness::QueriesBehindHeads& one : hardness::queries_behind_heads(goal, heads, tau))
      out.push_back(std::move(one));
  return out;
}

std::string heads_text(const std::vector<hardness::QueriesBehindHeads>& found) {
  Rows rows = {{"heads", "as", "hidden bits", "queries to STAT(tau), at least"}};
  for (const hardness::QueriesBehindHeads& one : found)
    rows.push_back({std::to_string(one.heads), one.way, std::to_string(one.bits), least_count(one.queries)});
  return "\nby heads: the largest bound among the m that as many heads hide\n\n" + table(rows);
}

/// The same as a figure, by up to 24 heads.
report::Figure heads_figure(const Rational& tau, const sq::ParityGoal& goal) {
  report::Figure out{.name = "queries",
                     .title = fmt::format("parities of d = {}: queries that are proved, by heads", goal.d),
                     .x = {.label = "heads"},
                     .y = {.label = fmt::format("queries to STAT({})", to_string(tau)), .log = true},
                     .curves = {}};
  for (const hardness::QueriesBehindHeads& one : by_heads(tau, goal, 24)) {
    auto curve = std::ranges::find(out.curves, one.way, &report::FigureCurve::label);
    if (curve == out.curves.end())
      curve = out.curves.insert(curve,
                                {.label = one.way, .points = {}, .kind = report::FigureCurve::Kind::bound});
    curve->points.push_back({static_cast<double>(one.heads), one.queries.convert_to<double>()});
  }
  return out;
}

Answer bound(const BoundOptions& options, const RunContext& context) {
  const Spec spec = study::source_spec(options.spec);
  static_cast<void>(sq::Stat(options.tolerance));  // refuses what is no tolerance
  std::vector<Bound> bounds;
  std::string members;
  bool tabulated = true;
  std::vector<hardness::QueriesBehindHeads> heads;
  if (auto parity = hardness::parity_goal(spec)) {
    const sq::ParityGoal goal{.d = parity->d, .m = parity->m, .alpha = options.alpha, .delta = options.delta};
    bounds = parity_bounds(options.tolerance, goal);
    members = goal.members().str();
    heads = by_heads(options.tolerance, goal, 8);
    if (!options.figure.empty()) {
      make_output_folder(options.figure);
      report::draw(heads_figure(options.tolerance, goal), options.figure);
    }
    tabulated = goal.d <= sq::max_bits && goal.members() <= sq::max_tabulated_members;
  }
  if (!options.figure.empty() && heads.empty())
    throw InputError(fmt::format("--figure {}: it shows parities at tau up to 1/2, not '{}' at {}",
                                 options.figure, spec.str(), to_string(options.tolerance)));
  if (tabulated) {
    const auto made = hardness::make_class(spec);
    const sq::CorrelationTable table(*made, context.stop);
    members = std::to_string(made->size());
    for (const char* definition : {"pairwise", "average", "separation"}) {
      const Dimension found = dimension_of(definition, *made, table, options.tolerance, {}, context);
      bounds.push_back({found.definition, found.bound_queries, found.theorem});
    }
  }
  if (options.common.json) {
    Json json = report::report_json("query-bounds");
    json.update({{"spec", spec.str()}, {"members", members}, {"tolerance", to_string(options.tolerance)}});
    for (const Bound& b : bounds)
      json["bounds"].push_back(
          {{"name", b.name}, {"bound_queries", queries_of(b, to_string)}, {"theorem", b.theorem}});
    for (const hardness::QueriesBehindHeads& one : heads)
      json["by_heads"].push_back({{"heads", one.heads},
                                  {"as", one.way},
                                  {"hidden_bits", one.bits},
                                  {"bound_queries", to_string(one.queries)}});
    return {text_of(json)};
  }
  Rows rows = {{"bound", "queries, at least", "theorem"}};
  for (const Bound& b : bounds) rows.push_back({b.name, queries_of(b, least_count), b.theorem});
  return {fmt::format("{}: {} members, tau = {}\n\n{}{}", spec.str(), members, to_string(options.tolerance),
                      table(rows), heads.empty() ? "" : heads_text(heads))};
}

/// The queries after which the number of members left first fell to N/2, N/4, ...
std::string fall_of(const sq::Game& game) {
  Rows rows = {{"members left", "after query"}};
  std::int64_t next = game.members_total;
  for (std::size_t i = 0; i < game.left_after.size(); ++i)
    if (const std::int64_t left = game.left_after[i]; left <= next) {
      rows.push_back({std::to_string(left), std::to_string(i + 1)});
      next = left / 2;
    }
  return table(rows);
}

Answer play(const PlayOptions& options, const RunContext& context) {
  const Spec spec = study::source_spec(options.spec);
  const auto parity = hardness::parity_goal(spec);
  if (!parity)
    throw InputError(fmt::format(
        "sq play: '{}': games are played on parity:d=..,m=.. or block-parity:d=..,m=..", spec.str()));
  const std::string canonical = hardness::find_family(spec.name).canonical(spec).str();
  using Kind = sq::GameOptions::Oracle;
  const bool samples = options.oracle == Kind::one_stat || options.oracle == Kind::honest;
  const sq::GameOptions rules = {.d = parity->d,
                                 .m = parity->m,
                                 .oracle = options.oracle,
                                 .policy = options.policy.value_or(samples ? "honest" : "adversarial"),
                                 .learner = options.learner,
                                 .tolerance = options.tolerance,
                                 .seed = options.common.seed};
  const sq::Game game = sq::play(rules, context.stop);
  if (options.common.json) {
    Json json = report::report_json("query-game");
    json.update({{"spec", canonical},
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
    if (options.transcript)
      json.update({{"d", parity->d},
                   {"m", parity->m},
                   {"tolerance", to_string(options.tolerance)},
                   {"width", to_string(game.width)},
                   {"bound_exact", game.bound_queries ? Json(to_string(*game.bound_queries)) : Json(nullptr)},
                   {"transcript", transcript_of(game)}});
    return {text_of(json)};
  }
  const std::string queries = counted(game.queries_used, "query", "queries");
  std::string text =
      fmt::format("{}: {} of {} left after {}: the learner {}\n", canonical,
                  counted(game.members_left, "member"), game.members_total,
                  samples ? fmt::format("{} and {}", counted(game.examples, "example"), queries) : queries,
                  game.learner_won ? "won" : "did not win");
  text +=
      fmt::format("bound: {}; {}\n",
                  game.bound_queries ? least_count(*game.bound_queries) + " queries" : "none", game.theorem);
  text += fmt::format("answers checked exactly: {}, broken: {}; the adversary gave in {}\n\n",
                      game.answers_checked, game.violations, counted(game.gave_in, "time"));
  return {text + fall_of(game)};
}

}  // namespace

Command sq_dimension_command() {
  return make_command(
      {.name = "sq dimension",
       .summary =
           "how many members a class has that are nearly uncorrelated: a dimension, exact or between bounds",
       .examples = {"hardhead sq dimension parities:n=6",
                    "hardhead sq dimension parity:d=12,m=3 --definition average"}},
      FlagTable<DimensionOptions>()
          .positional(
              {"SPEC",
               "parity:d=12,m=3, parities, subsets, dictators, points, thresholds or bent; of parity's "
               "parameters only d and m matter"},
              &DimensionOptions::spec)
          .flag({"--definition", "NAME", "which dimension"}, &DimensionOptions::definition,
                one_of_names({"pairwise", "average", "separation"}))
          .flag({"--gamma", "G", "average correlation", "the less of tau^2 and E[f^2]"},
                &DimensionOptions::gamma, exact_number("above 0 and at most E[f^2]"))
          .flag(tolerance_flag, &DimensionOptions::tolerance, exact_number(up_to_one)),
      dimension);
}

Command sq_bound_command() {
  return make_command({.name = "sq bound",
                       .summary = "the least number of queries, in numbers, each with its theorem",
                       .examples = {"hardhead sq bound parity:d=40,m=6 --tolerance 1/10"}},
                      FlagTable<BoundOptions>()
                          .positional({"SPEC", "as for sq dimension"}, &BoundOptions::spec)
                          .flag(tolerance_flag, &BoundOptions::tolerance, exact_number(up_to_one))
                          .flag({"--alpha", "A", "fraction of members that a learner has to succeed on"},
                                &BoundOptions::alpha, exact_number(up_to_one))
                          .flag({"--delta", "D", "by which fraction it has to beat the null error"},
                                &BoundOptions::delta, exact_number(up_to_one))
                          .flag({"--figure", "FOLDER",
                                 "of a parity: draws the bound by the number of heads there, as queries.svg"},
                                &BoundOptions::figure, nonempty_text("a folder")),
                      bound);
}

Command sq_play_command() {
  using Oracle = sq::GameOptions::Oracle;
  using Learner = sq::GameOptions::Learner;
  return make_command(
      {.name = "sq play",
       .summary = "a learner against an oracle: queries used, members left, the bound, who won",
       .examples = {"hardhead sq play parity:d=8,m=2 --learner combination"}},
      FlagTable<PlayOptions>()
          .positional(
              {"SPEC", "parity:d=12,m=3; its base, variant and seed have no effect: --seed draws the target"},
              &PlayOptions::spec)
          .flag({"--oracle", "KIND", "what answers"}, &PlayOptions::oracle,
                one_of<Oracle>({{"stat", Oracle::stat},
                                {"vstat", Oracle::vstat},
                                {"one-stat", Oracle::one_stat},
                                {"honest", Oracle::honest},
                                {"correlational", Oracle::correlational}}))
          .flag({"--policy", "NAME", "how it answers", "adversarial; honest where the oracle is"},
                &PlayOptions::policy, one_of_names(sq::answer_policies()))
          .flag(
              {"--learner", "NAME", "who asks"}, &PlayOptions::learner,
              one_of<Learner>({{"correlation", Learner::correlation}, {"combination", Learner::combination}}))
          .flag(tolerance_flag, &PlayOptions::tolerance, exact_number(up_to_one))
          .on({"--transcript", "",
               "with --json: every query, as the sets of its characters, and its answer, for "
               "scripts/check.py"},
              &PlayOptions::transcript),
      play);
}

}  // namespace hardhead::app
