#include "sq/dimension/information.h"

#include <fmt/format.h>

#include "base/error.h"
#include "sq/dimension/least.h"

namespace hardhead::sq {
namespace {

const Rational half(1, 2);
constexpr int most_log2_examples = 40;

/// E K.
Rational wrong_that_fit(const MemberPairs& pairs, std::int64_t examples) {
  Rational out = 0;
  for (const PairShare& pair : pairs.shares)
    if (pair.agreement != 1) out += pair.share * power((1 + pair.agreement) / 2, static_cast<long>(examples));
  return out * functions_of(pairs);
}

template <class Enough>
std::int64_t least_count(const Enough& enough) {
  const std::optional<Integer> found =
      least_where([&](const Integer& n) { return enough(static_cast<std::int64_t>(n)); }, most_log2_examples);
  return static_cast<std::int64_t>(found.value());
}

}  // namespace

Integer functions_of(const MemberPairs& pairs) {
  Rational same = 0;
  for (const PairShare& pair : pairs.shares)
    if (pair.agreement == 1) same += pair.share;
  return denominator(same) / numerator(same);
}

Rational best_guess_at_most(const Integer& functions, int labels, std::int64_t examples) {
  Integer ways = 1, words = 1, total = 0;  // C(N, n), L^n, of M 2^N
  for (std::int64_t n = 0; n <= examples; ++n) {
    total += ways * (words < functions ? words : functions);
    ways = ways * (examples - n) / (n + 1);
    if (words < functions) words *= labels;
  }
  return Rational(total, functions << static_cast<unsigned long>(examples));
}

Rational best_guess_at_least(const MemberPairs& pairs, std::int64_t examples) {
  return 1 / (1 + wrong_that_fit(pairs, examples));
}

std::int64_t enough_examples(const MemberPairs& pairs, double failure) {
  if (!(failure > 0 && failure < 1))
    throw InputError(fmt::format("probability of failure {}: a number in (0, 1) is expected", failure));
  const Rational most(failure);
  return least_count([&](std::int64_t n) { return wrong_that_fit(pairs, n) <= most; });
}

InformationLimit information_limit(const Integer& functions, int labels) {
  if (functions < 1 || labels < 2)
    throw InputError(fmt::format("information: {} functions of {} labels; at least 1 and 2 are needed",
                                 functions.str(), labels));
  InformationLimit out;
  out.at_least =
      least_count([&](std::int64_t n) { return best_guess_at_most(functions, labels, n) >= half; });
  for (Integer words = 1; 2 * words < functions; words *= labels) ++out.queries_at_least;
  return out;
}

InformationLimit information_limit(const MemberPairs& pairs, int labels) {
  InformationLimit out = information_limit(functions_of(pairs), labels);
  out.enough = least_count([&](std::int64_t n) { return best_guess_at_least(pairs, n) >= half; });
  return out;
}

}  // namespace hardhead::sq
