#include "sq/oracle/oracle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "sq/concepts/hoeffding.h"

namespace hardhead::sq {
namespace {

void check_range(const Query& query, Range range, const std::string& oracle) {
  if (query.range != range)
    throw InputError(fmt::format("query '{}' has range {}; {} answers {}", query.name, name_of(query.range),
                                 oracle, name_of(range)));
}

Rational tolerance_of(std::int64_t examples, double confidence) {
  if (examples < 1 || examples > (std::int64_t{1} << 24))
    throw InputError(fmt::format("honest oracle: examples_per_query={} is not in 1 .. 2^24", examples));
  if (!(confidence > 0 && confidence < 1))
    throw InputError(fmt::format("honest oracle: confidence={} is not between 0 and 1", confidence));
  const double width = hoeffding_half_width(2, static_cast<double>(examples), 1 - confidence);
  return dyadic(static_cast<std::int64_t>(std::ceil(std::ldexp(width, 40))) + 1, 40) + rounding_charge();
}

/// A multiple of 2^-40 that is at least x, for 0 <= x < 2^20 with an error of a few ulp.
Rational above(double x) {
  return dyadic(static_cast<std::int64_t>(std::ceil(std::ldexp(x * (1 + 1e-14), 40))) + 1, 40);
}

}  // namespace

void Transcript::record(const Query& query, const Reply& reply, const Contract& contract) {
  const bool kept = contract.allows(reply.truth, reply.answer);
  violations_ += kept ? 0 : 1;
  gave_in_ += reply.gave_in ? 1 : 0;
  entries_.push_back({reply, query.name, kept});
}

Rational detail::ask_checked(const Query& query, const Contract& contract, Answerer& answerer,
                             Transcript& transcript) {
  check_range(query, contract.range(), contract.text());
  Reply reply = answerer.reply(query, contract);
  transcript.record(query, reply, contract);
  return std::move(reply.answer);
}

Query correlation_query(const Correlation& g) {
  return {"label times " + g.name, Range::signed_unit, g.sees,
          [value = g.value](Bits z, int label) { return label * value(z); }};
}

OneStatOracle::OneStatOracle(Concept target, int n, std::uint64_t seed)
    : target_(std::move(target)), n_(n), stream_(Domain::samples, seed, "1-STAT") {
  check_bits("1-STAT", n);
}

bool OneStatOracle::ask(const Query& query) {
  check_range(query, Range::bit, "1-STAT");
  const Bits z = draw_point(stream_, static_cast<std::uint64_t>(examples_++), n_);
  bool rounded = false;
  return GridQuery(query, n_).at(z, checked_label(target_, z), rounded) != 0;
}

HonestOracle::HonestOracle(Concept target, int n, std::int64_t examples_per_query, double confidence,
                           std::uint64_t seed)
    : target_(std::move(target)),
      n_(n),
      examples_per_query_(examples_per_query),
      contract_(tolerance_of(examples_per_query, confidence)),
      stream_(Domain::samples, seed, "honest") {
  check_bits("honest oracle", n);
}

Rational HonestOracle::ask(const Query& query) {
  check_range(query, Range::signed_unit, "the honest oracle");
  const GridQuery phi(query, n_);
  bool rounded = false;
  std::int64_t sum = 0;  // at most 2^(24 + 32)
  const auto first = static_cast<std::uint64_t>(transcript_.queries() * examples_per_query_);
  for (std::int64_t i = 0; i < examples_per_query_; ++i) {
    const Bits z = draw_point(stream_, first + static_cast<std::uint64_t>(i), n_);
    sum += phi.at(z, checked_label(target_, z), rounded);
  }
  Reply reply{.answer = dyadic(sum, grid_bits) / examples_per_query_,
              .truth = exact_mean(query, target_, n_)};
  transcript_.record(query, reply, contract_);
  return std::move(reply.answer);
}

FromVstat::FromVstat(VstatOracle& oracle) : oracle_(oracle) {
  const auto t = oracle.contract().t().convert_to<double>();
  width_ = above(std::max(2 / t, 1 / std::sqrt(t)));
}

Rational FromVstat::ask(const Correlation& g) {
  return 2 * oracle_.ask({"(1 + label times " + g.name + ")/2", Range::unit, g.sees,
                          [&g](Bits z, int label) { return (1 + label * g.value(z)) / 2; }}) -
         1;
}

FromOneStat::FromOneStat(OneStatOracle& oracle, std::int64_t examples, double confidence)
    : oracle_(oracle), examples_(examples) {
  if (examples < 1)
    throw InputError(fmt::format("1-STAT correlations: examples={} is less than 1", examples));
  if (!(confidence > 0 && confidence < 1))
    throw InputError(fmt::format("1-STAT correlations: confidence={} is not between 0 and 1", confidence));
  // Two frequencies, each within half the width with half the risk.
  width_ = above(2 * hoeffding_half_width(1, static_cast<double>(examples), (1 - confidence) / 2));
}

Rational FromOneStat::ask(const Correlation& g) {
  const auto count = [&](int sign) {
    const Query query{fmt::format("label times {} is {}", g.name, sign), Range::bit, g.sees,
                      [&g, sign](Bits z, int label) { return label * g.value(z) == sign ? 1.0 : 0.0; }};
    std::int64_t ones = 0;
    for (std::int64_t i = 0; i < examples_; ++i) ones += oracle_.ask(query) ? 1 : 0;
    return ones;
  };
  const std::int64_t plus = count(1), minus = count(-1);
  return Rational(plus - minus, examples_);
}

}  // namespace hardhead::sq
