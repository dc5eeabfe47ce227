#include <fmt/format.h>

#include "base/error.h"
#include "hardness/concepts/named_class.h"
#include "python/bindings.h"
#include "sq/dimension/dimension.h"
#include "sq/game/game.h"

namespace hardhead::python {

template <>
struct Members<sq::Dimension> {
  using T = sq::Dimension;
  static constexpr auto list =
      std::tuple(&T::definition, &T::lower, &T::upper, &T::bounded, &T::theorem, &T::bound_queries);
};

template <>
struct Members<sq::Game> {
  using T = sq::Game;
  static constexpr auto list = std::tuple(&T::queries_used, &T::members_total, &T::members_left,
                                          &T::left_after, &T::bound_queries, &T::theorem, &T::learner_won,
                                          &T::answers_checked, &T::violations, &T::gave_in, &T::examples);
};

namespace {

using hardness::NamedClass;
using sq::Dimension;
using sq::Game;
using sq::GameOptions;

Dimension dimension(const SpecOrText& spec, const Text<"definition">& definition, const Rational& tolerance,
                    const std::optional<Rational>& gamma) {
  const std::vector<std::string> known = {"pairwise", "average", "separation"};
  const std::size_t chosen = find_name("definition", definition.value, known);
  const Spec parsed = spec_of(spec);
  return interruptibly([&](const RunContext& context) {
    const auto members = hardness::make_class(parsed);
    const sq::CorrelationTable table(*members);
    if (chosen == 0) return sq::pairwise_dimension(table, tolerance, context.stop);
    if (chosen == 1) return sq::average_dimension(table, gamma ? *gamma : Rational(tolerance * tolerance));
    return sq::separation_dimension(*members, table, tolerance);
  });
}

Game play(const SpecOrText& spec, const Text<"oracle">& oracle, const std::optional<Text<"policy">>& policy,
          const Text<"learner">& learner, const Rational& tolerance, Seed<> seed) {
  const Spec parsed = spec_of(spec);
  const auto parity = hardness::parity_goal(parsed);
  if (!parity)
    throw InputError(fmt::format("play: '{}': games are played on parity:d=..,m=.. or block-parity:d=..,m=..",
                                 parsed.str()));
  GameOptions options{.d = parity->d, .m = parity->m, .tolerance = tolerance, .seed = seed};
  options.oracle = value_named<GameOptions::Oracle>("oracle", oracle.value);
  const bool from_examples =
      options.oracle == GameOptions::Oracle::one_stat || options.oracle == GameOptions::Oracle::honest;
  options.policy = value_of(policy).value_or(from_examples ? "honest" : "adversarial");
  options.learner = value_named<GameOptions::Learner>("learner", learner.value);
  return interruptibly([&](const RunContext& context) { return sq::play(options, context.stop); });
}

Rational parity_query_bound(Whole<"d"> d, Whole<"m", 0> m, const Rational& tolerance, const Rational& alpha,
                            const Rational& delta) {
  return sq::parity_query_bound({.d = d, .m = m, .alpha = alpha, .delta = delta}, tolerance);
}

}  // namespace

void bind_sq(py::module_& sq) {
  Record<NamedClass>(sq, "ConceptClass", "A class of concepts that a spec names.")
      .field("name", &NamedClass::name)
      .field("summary", &NamedClass::summary)
      .field("parameters", &NamedClass::parameters);
  sq.def("classes", [] {
    return std::vector<NamedClass>(hardness::named_classes().begin(), hardness::named_classes().end());
  });
  Record<Dimension>(sq, "Dimension", "A dimension between two certified bounds, and what it implies.")
      .field("definition", &Dimension::definition)
      .field("exact", &Dimension::exact)
      .field("lower", &Dimension::lower)
      .field("upper", &Dimension::upper)
      .field("bound_queries", &Dimension::bound_queries)
      .field("theorem", &Dimension::theorem)
      .pickled();
  sq.def("dimension", &dimension, "spec"_a, "definition"_a = "pairwise", py::kw_only(),
         "tolerance"_a = Rational(1, 10), "gamma"_a = py::none(),
         "The statistical-query dimension of a class: 'pairwise', 'average' or 'separation'.");
  Record<Game>(sq, "Game", "What a learner of parities asked an oracle, and what came of it.")
      .field("queries_used", &Game::queries_used)
      .field("members_total", &Game::members_total)
      .field("members_left", &Game::members_left)
      .field("left_after", &Game::left_after)
      .field("bound_queries", &Game::bound_queries)
      .field("theorem", &Game::theorem)
      .field("learner_won", &Game::learner_won)
      .field("answers_checked", &Game::answers_checked)
      .field("violations", &Game::violations)
      .field("gave_in", &Game::gave_in)
      .field("examples", &Game::examples)
      .pickled();
  sq.def(
      "play", &play, "spec"_a = "parity:d=12,m=3", py::kw_only(), "oracle"_a = "stat",
      "policy"_a = py::none(), "learner"_a = "correlation", "tolerance"_a = Rational(1, 10), "seed"_a = 1,
      "A learner of the family parity against an oracle. Of the spec d and m count; `seed` draws a target.");
  sq.def("parity_query_bound", &parity_query_bound, "d"_a, "m"_a, "tolerance"_a, "alpha"_a = Rational(1),
         "delta"_a = Rational(1), "Least number of STAT(tolerance) queries, proved.");
}

}  // namespace hardhead::python
