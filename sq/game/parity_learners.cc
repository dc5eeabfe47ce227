#include "sq/game/parity_learners.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include "base/numeric/walsh_hadamard.h"
#include "sq/concepts/version_space.h"

namespace hardhead::sq {
namespace {

/// What the class says about E[y g].
ClassMeans predictions(const Parities& members, const Correlation& g) {
  return members.means(correlation_query(g));
}

/// Asks, and keeps the members within the width of the answer.
void ask(Correlations& oracle, const Correlation& g, const ClassMeans& means, VersionSpace& space,
         ParitySearch& search, std::vector<Bits> sets) {
  const Rational answer = oracle.ask(g);
  space.set_left(space.kept(
      means, [&](const Mean& mean) { return abs(answer - mean.value) <= oracle.width() + mean.charge; }));
  search.left_after.push_back(space.size());
  search.asked.push_back({std::move(sets), answer});
}

Correlation character_of(const Parities& members, std::int64_t index) {
  const Bits s = members.sets()[static_cast<std::size_t>(index)];
  return {fmt::format("character {:#x}", s), s | members.switch_mask(),
          [s](Bits z) { return static_cast<double>(character(s, z)); }};
}

/// sign(sum of the group's characters), as a table over the bits they see: sums by one transform of the
/// group's indicator.
Correlation majority_of(const Parities& members, const std::vector<std::int64_t>& group) {
  Bits together = 0;
  for (const std::int64_t f : group) together |= members.sets()[static_cast<std::size_t>(f)];
  const int bits = __builtin_popcount(together);
  std::vector<std::int64_t> sums(std::size_t{1} << bits);
  for (const std::int64_t f : group) sums[extract(members.sets()[static_cast<std::size_t>(f)], together)] = 1;
  walsh_hadamard(sums, bits);
  const auto signs = std::make_shared<std::vector<std::int8_t>>(sums.size());
  std::transform(sums.begin(), sums.end(), signs->begin(),
                 [](std::int64_t sum) { return static_cast<std::int8_t>((sum > 0) - (sum < 0)); });
  return {fmt::format("majority of {} characters", group.size()), together | members.switch_mask(),
          [signs, together](Bits z) { return static_cast<double>((*signs)[extract(z, together)]); }};
}

/// `count` of the values, at random.
std::vector<std::int64_t> draw(const std::vector<std::int64_t>& values, std::int64_t count,
                               std::int64_t query) {
  const Stream stream(Domain::learner, static_cast<std::uint64_t>(query), "combination search");
  std::vector<std::int64_t> out;
  for (const std::int64_t i : draw_subset(stream, static_cast<std::int64_t>(values.size()), count))
    out.push_back(values[static_cast<std::size_t>(i)]);
  return out;
}

Rational own_correlation(const Parities& members) {
  return members.switch_bit() ? Rational(1, 2) : Rational(1);
}

/// How many members left would be ruled out by the answer 0; none if it would be all, for it will not be
/// given.
std::int64_t ruled_out_by_zero(const ClassMeans& means, const VersionSpace& space, const Rational& width) {
  const auto kept =
      std::ssize(space.kept(means, [&](const Mean& mean) { return abs(mean.value) <= width + mean.charge; }));
  return kept == 0 ? 0 : space.size() - kept;
}

}  // namespace

std::int64_t members_a_combination(const Rational& width, const Rational& rho) {
  // The coefficient of K + 2, K odd, is that of K times K / (K + 1). The first are exact: only they can be
  // equal to a width that anyone writes. No class has more members than the last that are walked to; beyond,
  // K only says how often it can be halved, and Stirling's formula is near enough.
  constexpr std::int64_t exact = 63, walked = std::int64_t{1} << 22;
  constexpr double most = 1e18;
  std::int64_t k = 0;
  Rational coefficient = rho;
  for (; coefficient > width && k < exact; coefficient *= Rational(k, k + 1)) k = k == 0 ? 1 : k + 2;
  if (coefficient <= width) return k;
  const auto w = width.convert_to<long double>();
  for (auto near = coefficient.convert_to<long double>(); near > w;
       near *= static_cast<long double>(k) / static_cast<long double>(k + 1)) {
    k += 2;
    if (k < walked) continue;
    const double ratio = (rho / width).convert_to<double>();
    return static_cast<std::int64_t>(std::min(most, 2 / std::numbers::pi * ratio * ratio));
  }
  return k;
}

ParitySearch correlation_search(Correlations& oracle, const Parities& members, const StopToken& stop) {
  ParitySearch search;
  VersionSpace space(members.size());
  for (std::int64_t f = 0; f < members.size() && space.size() > 1; ++f) {
    stop.check();
    if (!std::binary_search(space.left().begin(), space.left().end(), f)) continue;
    const Correlation g = character_of(members, f);
    ask(oracle, g, predictions(members, g), space, search, {members.sets()[static_cast<std::size_t>(f)]});
  }
  if (space.size() == 1) search.found = space.left().front();
  return search;
}

ParitySearch combination_search(Correlations& oracle, const Parities& members, const StopToken& stop) {
  ParitySearch search;
  VersionSpace space(members.size());
  std::int64_t k = members_a_combination(oracle.width(), own_correlation(members));
  while (space.size() > 1 && k > 0) {
    stop.check();
    const std::vector<std::int64_t> group =
        draw(space.left(), std::min(k, space.size() - 1), search.queries());
    const Correlation g = majority_of(members, group);
    const ClassMeans means = predictions(members, g);
    const std::int64_t before = space.size();
    if (ruled_out_by_zero(means, space, oracle.width()) > 0) {
      std::vector<Bits> sets;
      for (const std::int64_t f : group) sets.push_back(members.sets()[static_cast<std::size_t>(f)]);
      ask(oracle, g, means, space, search, std::move(sets));
    }
    if (space.size() == before) k /= 2;
  }
  if (space.size() == 1) search.found = space.left().front();
  return search;
}

}  // namespace hardhead::sq
