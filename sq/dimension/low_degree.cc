#include "sq/dimension/low_degree.h"

#include <fmt/format.h>

#include "base/error.h"

namespace hardhead::sq {
namespace {

constexpr int max_log2_examples = 4096;

/// E rho^j for j = 1 .. degree.
std::vector<Rational> moments(std::span<const PairShare> pairs, int degree) {
  if (degree < 1 || degree > max_low_degree)
    throw InputError(fmt::format("degree={} is not in 1 .. {}", degree, max_low_degree));
  std::vector<Rational> out(static_cast<std::size_t>(degree));
  for (const PairShare& pair : pairs) {
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

std::vector<PairShare> parity_pairs(long d, long m) {
  const Rational same(Integer(1), binomial(static_cast<unsigned long>(d - 1), static_cast<unsigned long>(m)));
  return {{Rational(1, 2), same}, {0, 1 - same}};
}

Rational squared_low_degree_advantage(std::span<const PairShare> pairs, std::int64_t examples, int degree) {
  if (examples < 0) throw InputError(fmt::format("low degree: examples={} is below 0", examples));
  return advantage(moments(pairs, degree), examples);
}

Integer least_examples(std::span<const PairShare> pairs, int degree) {
  const std::vector<Rational> of = moments(pairs, degree);
  Integer below = 0, enough = 1;
  for (int log2 = 0; advantage(of, enough) < 1; ++log2) {
    if (log2 == max_log2_examples)
      throw InputError(fmt::format("low degree: not even 2^{} examples give an advantage of 1", log2));
    below = enough;
    enough *= 2;
  }
  while (enough - below > 1) {
    const Integer middle = (below + enough) / 2;
    (advantage(of, middle) < 1 ? below : enough) = middle;
  }
  return enough;
}

}  // namespace hardhead::sq
