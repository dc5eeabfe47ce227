#include "sq/dimension/low_degree.h"

#include <fmt/format.h>

#include <vector>

#include "base/error.h"
#include "sq/dimension/least.h"

namespace hardhead::sq {
namespace {

constexpr int max_log2_examples = 4096;

/// E rho^j for j = 1 .. degree.
std::vector<Rational> moments(const MemberPairs& pairs, int degree) {
  if (degree < 1 || degree > max_low_degree)
    throw InputError(fmt::format("degree={} is not in 1 .. {}", degree, max_low_degree));
  std::vector<Rational> out(static_cast<std::size_t>(degree));
  for (const PairShare& pair : pairs.shares) {
    Rational term = pair.share;
    for (Rational& moment : out) moment += term *= pair.correlation;
  }
  return out;
}

Rational advantage(const std::vector<Rational>& moments, const Integer& examples) {
  Rational total = 0;
  Integer subsets = 1;
  for (std::size_t j = 0; j < moments.size() && examples > j; ++j) {
    subsets = subsets * (examples - j) / (j + 1);
    total += subsets * moments[j];
  }
  return total;
}

}  // namespace

Integer least_examples(const MemberPairs& pairs, int degree) {
  const std::vector<Rational> of = moments(pairs, degree);
  const auto found =
      least_where([&](const Integer& examples) { return advantage(of, examples) >= 1; }, max_log2_examples);
  if (!found)
    throw InputError(
        fmt::format("low degree: not even 2^{} examples give an advantage of 1", max_log2_examples));
  return *found;
}

}  // namespace hardhead::sq
