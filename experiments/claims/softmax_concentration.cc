#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/numeric/random.h"
#include "base/statistics/growth.h"
#include "experiments/claims/registered_claims.h"

namespace hardhead::experiments {
namespace {

using Substrings = std::vector<std::vector<std::size_t>>;

constexpr double entry_at_200 = 0.01;

// A first token of fair signs, what it looks for, v = Theta^T x_1, and its own logit <v, x_1>. The entries of
// Theta are fair coins, 0 or `entry`, so those of v are integer multiples of `entry`.
struct Query {
  std::vector<double> v;
  double own_logit = 0;
};

Query draw_query(int d, double entry, std::uint64_t seed) {
  const auto size = static_cast<std::size_t>(d);
  const Stream stream(Domain::instance, seed, "R2");
  std::vector<double> token(size), coins(size);
  Query query{std::vector<double>(size, 0.0)};
  stream.signs(0, token);
  for (std::size_t a = 0; a < size; ++a) {
    stream.signs(a + 1, coins);
    for (std::size_t b = 0; b < size; ++b)
      if (coins[b] > 0) query.v[b] += entry * token[a];
  }
  query.own_logit = std::inner_product(query.v.begin(), query.v.end(), token.begin(), 0.0);
  return query;
}

std::vector<std::size_t> by_size(const std::vector<double>& v) {
  std::vector<std::size_t> order(v.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return v[i]; });
  return order;
}

// Coordinates cut into `count` substrings of nearly equal length, in the order of v.
Substrings quantiles(const std::vector<double>& v, std::size_t count) {
  Substrings out(count);
  const std::vector<std::size_t> order = by_size(v);
  for (std::size_t i = 0; i < order.size(); ++i) out[i * count / order.size()].push_back(order[i]);
  return out;
}

// Coordinates where v is the same.
Substrings level_sets(const std::vector<double>& v) {
  Substrings out;
  double last = std::numeric_limits<double>::infinity();
  for (const std::size_t i : by_size(v)) {
    if (std::abs(v[i] - last) > entry_at_200 / 100) out.emplace_back();
    last = v[i];
    out.back().push_back(i);
  }
  return out;
}

// As many coordinates in each substring, but drawn at random: what a number of Hamming weights tells by
// itself.
Substrings at_random(std::size_t d, std::size_t count, const Stream& stream) {
  std::vector<std::size_t> order(d);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = d; i > 1; --i) std::swap(order[i - 1], order[stream.below(i, i)]);
  Substrings out(count);
  for (std::size_t i = 0; i < d; ++i) out[i * count / d].push_back(order[i]);
  return out;
}

// The same token, its signs shuffled within each substring: a fresh draw given their Hamming weights.
std::vector<double> redrawn(std::vector<double> token, const Substrings& parts, const Stream& stream,
                            std::uint64_t item) {
  std::uint64_t next = item << 16;
  for (const auto& part : parts)
    for (std::size_t i = part.size(); i > 1; --i)
      std::swap(token[part[i - 1]], token[part[stream.below(next++, i)]]);
  return token;
}

struct Spread {
  double all = 0, given = 0;  // standard deviations of the first token's weight
};

// p = sigma(<v, x_1> - <v, x_2>) over x_2. E Var(p | weights) = E (p - p')^2 / 2 with p, p' independent given
// them.
Spread spread(const Query& query, const Substrings& parts, int draws, std::uint64_t seed) {
  const Stream tokens(Domain::samples, seed, "R2"), shuffles(Domain::samples, seed, "R2 redrawn");
  const auto weight = [&](const std::vector<double>& token) {
    return 1 / (1 + std::exp(
                        std::inner_product(query.v.begin(), query.v.end(), token.begin(), -query.own_logit)));
  };
  std::vector<double> token(query.v.size());
  double sum = 0, squares = 0, differences = 0;
  for (int i = 0; i < draws; ++i) {
    const auto item = static_cast<std::uint64_t>(i);
    tokens.signs(item, token);
    const double p = weight(token), q = weight(redrawn(token, parts, shuffles, item));
    sum += p;
    squares += p * p;
    differences += (p - q) * (p - q);
  }
  const double mean = sum / draws;
  return {std::sqrt(squares / draws - mean * mean), std::sqrt(differences / (2.0 * draws))};
}

// What is drawn: first tokens from the seeds first_seed, first_seed + 1, .., and second tokens for each.
struct Draws {
  std::uint64_t first_seed = 1;
  int queries = 0, draws = 0;
};

// How the second token is cut into substrings.
enum class Cut { by_v, at_random, level_sets };

Substrings cut(Cut how, const Query& query, std::size_t count, std::uint64_t seed) {
  if (how == Cut::level_sets) return level_sets(query.v);
  if (how == Cut::by_v) return quantiles(query.v, count);
  return at_random(query.v.size(), count, Stream(Domain::instance, seed, "R2 cut"));
}

// Over queries: root mean squares, and the share of the spread that is left in each.
struct Spreads : Spread {
  std::vector<double> shares;
};

Spreads mean_spread(int d, Cut how, std::size_t substrings, const Draws& of, const RunContext& context) {
  const auto& [first_seed, queries, draws] = of;
  Spreads out;
  for (int i = 0; i < queries; ++i) {
    context.stop.check();
    const auto seed = first_seed + static_cast<std::uint64_t>(i);
    const Query query = draw_query(d, entry_at_200 * 200 / d, seed);
    const Spread s = spread(query, cut(how, query, substrings, seed), draws, seed);
    out.all += s.all * s.all / queries;
    out.given += s.given * s.given / queries;
    out.shares.push_back(s.given / s.all);
  }
  out.all = std::sqrt(out.all);
  out.given = std::sqrt(out.given);
  return out;
}

// The spread at d = 200 against the number of substrings, and against d.
std::vector<report::Figure> figures_of(report::FigureCurve parts, double at_200,
                                       std::vector<report::FigureCurve> by_size) {
  return {{"substrings",
           "Spread of the attention pattern given Hamming weights",
           {"substrings whose Hamming weight is given", true},
           {"standard deviation of p", true},
           {std::move(parts)},
           {{"nothing given", at_200}}},
          {"size",
           "The pattern does not concentrate as d grows",
           {"d", true},
           {"standard deviation of p", true},
           std::move(by_size)}};
}

Evidence perform_softmax_concentration(const Setting& setting, const RunContext& context) {
  const Draws draws = setting.quick ? Draws{setting.seed, 10, 2'000} : Draws{setting.seed, 50, 20'000};
  constexpr std::size_t enough = 16;
  std::vector<statistics::GrowthPoint> in_size;
  Evidence out;
  out.table.columns = {"d", "entries of Theta", "Hamming weights given", "standard deviation of p",
                       "share of the unconditional one"};
  const auto add = [&](int d, const std::string& given, double deviation, double all) {
    out.table.add({fmt::format("{}", d), fmt::format("0 or {:.4g}", entry_at_200 * 200 / d), given,
                   fmt::format("{:.3g}", deviation), fmt::format("{:.3g}", deviation / all)});
  };
  report::FigureCurve parts{"d = 200", {}}, alone{"nothing given", {}},
      given{"weights of 16 substrings in the order of v", {}},
      by_chance{"weights of 16 random substrings", {}};
  double at_200 = 0;
  std::string shares;
  out.verdict = report::Verdict::holds;
  for (const std::size_t count : {1, 2, 4, 8, 16, 32}) {
    context.progress.report("R2: substrings", static_cast<double>(count) / 64);
    const Spread s = mean_spread(200, Cut::by_v, count, draws, context);
    if (count == 1) add(200, "none", at_200 = s.all, s.all);
    add(200, fmt::format("{} substrings", count), s.given, s.all);
    parts.points.push_back({static_cast<double>(count), s.given});
  }
  const Spread levels = mean_spread(200, Cut::level_sets, 0, draws, context);
  add(200, "level sets", levels.given, levels.all);
  for (const int d : {50, 100, 200, 400, 800}) {
    context.progress.report("R2: d", 0.5 + d / 1600.0);
    const Spreads s = mean_spread(d, Cut::by_v, enough, draws, context),
                  random = mean_spread(d, Cut::at_random, enough, draws, context);
    if (d != 200) {
      add(d, "none", s.all, s.all);
      add(d, fmt::format("{} substrings", enough), s.given, s.all);
    }
    add(d, fmt::format("{} random substrings", enough), random.given, random.all);
    if (d >= 100)
      out.verdict = report::all_of({out.verdict, report::at_most(median_known(s.shares), 0.25),
                                    report::at_least(median_known(random.shares), 0.5)});
    shares += fmt::format("{}{} and {} at d = {}", shares.empty() ? "" : "; ", median_text(s.shares),
                          median_text(random.shares), d);
    by_chance.points.push_back({static_cast<double>(d), random.given});
    in_size.push_back({static_cast<double>(d), {s.all}});
    alone.points.push_back({static_cast<double>(d), s.all});
    given.points.push_back({static_cast<double>(d), s.given});
  }
  out.figures = figures_of(parts, at_200, {alone, by_chance, given});
  const statistics::Estimate by_size = statistics::fit_growth(in_size).power.rate;
  out.verdict = report::all_of({out.verdict, report::at_least(by_size.interval, -0.25)});
  out.reason = fmt::format(
      "with nothing given the standard deviation is {:.3g} at d = 200 and goes as d^{:.2f} ({:.2f} .. "
      "{:.2f}); median share that is left given Hamming weights of 16 substrings in the order of v, and of "
      "16 random ones: {}",
      at_200, by_size.value, by_size.interval.low, by_size.interval.high, shares);
  return out;
}

}  // namespace

Experiment claims::softmax_concentration() {
  return {
      .id = "R2",
      .title = "Attention does not concentrate, but does given Hamming weights of substrings",
      .claim =
          "The softmax of a row does not concentrate at its expectation over the other tokens, however "
          "large d; given the Hamming weights of fixed substrings of the tokens it does.",
      .source = "The talk on arXiv 2402.04084, with Theta of entries in {0, 0.01}, 200 x 200",
      .method =
          "Theta of fair coins, 0 or 0.01 (2/d at other sizes), k = 2 tokens. Given the first token, v = "
          "Theta^T x_1 fixes the substrings: coordinates of the second token in the order of v, cut into "
          "equal parts, or where v is the same; or, to compare, cut at random. p, the first token's weight, "
          "is spread over x_2 by its standard deviation, and given the substrings' Hamming weights by "
          "redrawing x_2 within them; root mean square over first tokens. The choice of substrings is ours. "
          "50 first tokens with 20,000 second ones each; quick: 10 with 2,000.",
      .criterion =
          "With nothing given the deviation does not fall with d as that of a mean of independent terms "
          "would, d^(-1/2): the 95% interval of the exponent is above -1/4. Given the Hamming weights of 16 "
          "substrings in the order of v at most a quarter of it is left, and given those of 16 random "
          "substrings at least half: by the exact 95% interval of the median over first tokens, at each d of "
          "100 and more. (Finer substrings cannot leave more than coarser ones, and the level sets leave "
          "nothing: that is arithmetic, and decides nothing.)",
      .quick_seconds = 1,
      .full_seconds = 200,
      .perform = perform_softmax_concentration};
}

}  // namespace hardhead::experiments
