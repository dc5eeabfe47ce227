#include "sq/oracle/oracle.h"

#include <fmt/format.h>

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

Rational ask_checked(const Query& query, const Contract& contract, Answerer& answerer,
                     Transcript& transcript) {
  check_range(query, contract.range(), contract.text());
  Reply reply = answerer.reply(query, contract);
  transcript.record(query, reply, contract);
  return std::move(reply.answer);
}

Rational tolerance_of(std::int64_t examples, double confidence) {
  if (examples < 1 || examples > (std::int64_t{1} << 24))
    throw InputError(fmt::format("honest oracle: examples_per_query={} is not in 1 .. 2^24", examples));
  if (!(confidence > 0 && confidence < 1))
    throw InputError(fmt::format("honest oracle: confidence={} is not between 0 and 1", confidence));
  const double width = hoeffding_half_width(2, static_cast<double>(examples), 1 - confidence);
  return dyadic(static_cast<std::int64_t>(std::ceil(std::ldexp(width, 40))) + 1, 40) + rounding_charge();
}

}  // namespace

void Transcript::record(const Query& query, const Reply& reply, const Contract& contract) {
  const bool kept = contract.allows(reply.truth, reply.answer);
  violations_ += kept ? 0 : 1;
  gave_in_ += reply.gave_in ? 1 : 0;
  entries_.push_back({query.name, reply.answer, reply.truth, reply.members_left, reply.gave_in, kept});
}

Rational StatOracle::ask(const Query& query) {
  return ask_checked(query, contract_, answerer_, transcript_);
}

Rational VstatOracle::ask(const Query& query) {
  return ask_checked(query, contract_, answerer_, transcript_);
}

Query correlation_query(const Correlation& g) {
  return {"label times " + g.name, Range::signed_unit, g.sees,
          [value = g.value](Bits z, int label) { return label * value(z); }};
}

Rational CorrelationalOracle::ask(const Correlation& g) {
  return inner_.ask(correlation_query(g));
}

OneStatOracle::OneStatOracle(Concept target, int n, std::uint64_t seed)
    : target_(std::move(target)), n_(n), stream_(Domain::samples, seed, "1-STAT") {
  check_bits("1-STAT", n);
}

bool OneStatOracle::bit_of(const Query& query, std::int64_t example) const {
  const Bits z = draw_point(stream_, static_cast<std::uint64_t>(example), n_);
  bool rounded = false;
  return GridQuery(query, n_).at(z, checked_label(target_, z), rounded) != 0;
}

bool OneStatOracle::ask(const Query& query) {
  check_range(query, Range::bit, "1-STAT");
  return bit_of(query, examples_++);
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

}  // namespace hardhead::sq
