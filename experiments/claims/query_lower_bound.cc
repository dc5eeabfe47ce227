#include <fmt/format.h>

#include <cmath>

#include "experiments/claims/registered_claims.h"
#include "hardness/concepts/named_class.h"
#include "sq/dimension/dimension.h"
#include "sq/game/game.h"

namespace hardhead::experiments {
namespace {

bool exact_dimension(const std::string& spec, report::Table& table, const RunContext& context) {
  const auto members = hardness::make_class(Spec::parse(spec));
  const sq::Dimension found =
      pairwise_dimension(sq::CorrelationTable(*members), Rational(1, 10), context.stop);
  table.add({spec, "SQ dimension (pairwise, exact)", hardhead::to_string(found.lower),
             fmt::format("{}", members->size()), "-", "-"});
  return found.exact() && found.lower == members->size();
}

bool exact_dimensions(const Setting& setting, report::Table& table, const RunContext& context) {
  bool exact = true;
  for (int n = 1; n <= (setting.quick ? 8 : 10); ++n)
    exact = exact_dimension(fmt::format("parities:n={}", n), table, context) && exact;
  for (const int m : {2, 3, 4})
    exact = exact_dimension(fmt::format("parity:d=12,m={}", m), table, context) && exact;
  return exact;
}

// The power of d - 1 as which queries grow from the smallest d to the largest.
double exponent_of(const std::vector<double>& queries, const std::vector<std::int64_t>& sizes) {
  return std::log(queries.back() / queries.front()) /
         std::log(static_cast<double>(sizes.back() - 1) / static_cast<double>(sizes.front() - 1));
}

report::FigureCurve curve_of(const char* what, int m) {
  report::FigureCurve out{fmt::format("{}, m = {}", what, m), {}};
  out.heads = m;
  return out;
}

Evidence perform_query_lower_bound(const Setting& setting, const RunContext& context) {
  Evidence out;
  out.table.columns = {
      "class", "what", "found", "members", "lower bound on queries", "honest oracle: queries, won"};
  const bool exact = exact_dimensions(setting, out.table, context);
  const std::vector<std::int64_t> sizes = setting.quick
                                              ? std::vector<std::int64_t>{12, 14, 16, 18, 20}
                                              : std::vector<std::int64_t>{12, 14, 16, 18, 20, 22, 24};
  report::Figure figure{
      "queries", "Queries that the adversary forces (STAT(1/10))", {"d - 1", true}, {"queries", true}};
  bool above = true, growing = true;
  double done = 0;
  for (const int m : {2, 3, 4}) {
    std::vector<double> fewest;  // queries of the better learner, at each d
    report::FigureCurve forced = curve_of("correlations", m), combined = curve_of("combinations", m),
                        bound = curve_of("lower bound", m);
    bound.style = report::FigureCurve::Style::line;
    bound.kind = report::FigureCurve::Kind::bound;
    for (const std::int64_t d : sizes) {
      context.progress.report(fmt::format("R7: d = {}, m = {}", d, m), done);
      done += 1.0 / (3.0 * static_cast<double>(sizes.size()));
      for (const auto learner :
           {sq::GameOptions::Learner::correlation, sq::GameOptions::Learner::combination}) {
        const bool plain = learner == sq::GameOptions::Learner::correlation;
        sq::GameOptions options{.d = d, .m = m, .learner = learner, .seed = setting.seed};
        const sq::Game game = play(options, context.stop);
        options.policy = "honest";
        const sq::Game honest = play(options, context.stop);
        const auto least = game.bound_queries->convert_to<double>();
        const auto queries = static_cast<double>(game.queries_used);
        above = above && queries >= least && game.violations == 0 && game.learner_won && honest.learner_won;
        out.table.add({fmt::format("parity:d={},m={}", d, m),
                       plain ? "queries, correlations" : "queries, combinations",
                       fmt::format("{}", game.queries_used), fmt::format("{}", game.members_total),
                       fmt::format("{:.2f}", least),
                       fmt::format("{}, {}", honest.queries_used, honest.learner_won ? "yes" : "no")});
        const auto x = static_cast<double>(d - 1);
        (plain ? forced : combined).points.push_back({x, queries});
        if (plain) {
          bound.points.push_back({x, least});
          fewest.push_back(queries);
        } else {
          fewest.back() = std::min(fewest.back(), queries);
        }
      }
    }
    const double exponent = exponent_of(fewest, sizes);
    growing = growing && exponent >= m / 2.0;
    out.reason +=
        fmt::format("{}m = {}: the better learner needs {} queries at d = {} and {} at d = {}, (d-1)^{:.2f}",
                    out.reason.empty() ? "" : "; ", m, fewest.front(), sizes.front(), fewest.back(),
                    sizes.back(), exponent);
    figure.curves.insert(figure.curves.end(), {forced, combined, bound});
  }
  out.reason += fmt::format("; dimensions {} the number of members; games {} below the bound",
                            exact ? "equal" : "do NOT equal", above ? "never end" : "END");
  out.verdict = report::decided(exact && above && growing);
  out.figures.push_back(std::move(figure));
  return out;
}

}  // namespace

Experiment claims::query_lower_bound() {
  return {
      .id = "R7",
      .title = "Parity layers take d^Omega(m) statistical queries",
      .claim =
          "No algorithm that asks statistical queries learns general multi-head layers with fewer than "
          "d^Omega(m) queries, for k = 2 tokens even.",
      .source =
          "Chen and Li, arXiv 2402.04084, statistical-query lower bound; the construction and the bound "
          "4 tau^2 (alpha C(d-1,m) - 1/delta) are this project's (docs/sq.md)",
      .method =
          "SQ dimension (pairwise definition) computed exactly. Two learners against an adversary that "
          "answers the null mean whenever that is legal, in exact arithmetic: one member at a time, and "
          "combinations of members; then the same learners with an honest oracle. tau = 1/10, d = 12 .. "
          "24; quick: d up to 20. The adversary forces the first learner through all members but one: "
          "that count is known beforehand, and decides nothing.",
      .criterion =
          "Dimensions equal the number of members, 2^n and C(d-1,m), exactly; no game ends below the "
          "bound and no answer breaks its tolerance; and the queries of the learner that needs fewer grow "
          "from the smallest d to the largest at least as (d-1)^(m/2), for m = 2, 3 and 4. These numbers "
          "are exact and have no interval.",
      .quick_seconds = 10,
      .full_seconds = 270,
      .perform = perform_query_lower_bound};
}

}  // namespace hardhead::experiments
