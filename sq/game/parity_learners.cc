#include "sq/game/parity_learners.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/error.h"
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
         ParitySearch& search) {
  const Rational answer = oracle.ask(g);
  space.set_left(
      space
          .split(means,
                 [&](const Mean& mean) { return abs(answer - mean.value) <= oracle.width() + mean.charge; })
          .first);
  search.left_after.push_back(space.size());
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

}  // namespace

Rational own_correlation(const Parities& members) {
  return members.switch_bit() ? Rational(1, 2) : Rational(1);
}

/// A table of signs over the bits of `sets`, searched for one that gives each of them a sum of at least
/// `least`.
class Annealing {
 public:
  Annealing(std::vector<Bits> sets, int bits, std::int64_t least, Stream stream)
      : sets_(std::move(sets)), stream_(stream), least_(least), signs_(std::size_t{1} << bits) {
    std::vector<std::int64_t> start(signs_.size());
    for (const Bits s : sets_) start[s] = 1;
    walsh_hadamard(start, bits);
    for (std::size_t z = 0; z < signs_.size(); ++z)
      signs_[z] = start[z] > 0 || (start[z] == 0 && stream_.below(z, 2) == 0) ? 1 : -1;
    for (const Bits s : sets_) {
      std::int64_t sum = 0;
      for (std::size_t z = 0; z < signs_.size(); ++z) sum += signs_[z] * character(s, static_cast<Bits>(z));
      sums_.push_back(sum);
    }
  }

  /// Flips signs at random, from hot to cold, until nothing is lacking or the steps run out.
  std::vector<std::int8_t> run(const StopToken& stop) {
    constexpr double steps_a_sign = 200, hottest = 0.3, coldest = 0.003;
    const auto steps = static_cast<std::uint64_t>(steps_a_sign * static_cast<double>(signs_.size()));
    const double scale = static_cast<double>(least_) * static_cast<double>(least_);
    double lacking = 0;
    for (const std::int64_t sum : sums_) lacking += lack(sum);
    for (std::uint64_t step = 0; step < steps && lacking > 0; ++step) {
      if (step % 4096 == 0) stop.check();
      const auto random = stream_.bits(step, 1);
      const auto z = static_cast<std::size_t>(random[0] % signs_.size());
      double change = 0;
      for (std::size_t i = 0; i < sets_.size(); ++i)
        change += lack(sums_[i] - 2 * signs_[z] * character(sets_[i], static_cast<Bits>(z))) - lack(sums_[i]);
      const double temperature =
          scale * hottest *
          std::pow(coldest / hottest, static_cast<double>(step) / static_cast<double>(steps));
      const double chance = static_cast<double>(random[1] >> 11) * 0x1p-53;
      if (change > 0 && chance >= std::exp(-change / temperature)) continue;
      for (std::size_t i = 0; i < sets_.size(); ++i)
        sums_[i] -= 2 * signs_[z] * character(sets_[i], static_cast<Bits>(z));
      signs_[z] = static_cast<std::int8_t>(-signs_[z]);
      lacking += change;
    }
    return signs_;
  }

 private:
  double lack(std::int64_t sum) const {
    const auto missing = static_cast<double>(std::max<std::int64_t>(0, least_ - sum));
    return missing * missing;
  }

  std::vector<Bits> sets_;
  Stream stream_;
  std::int64_t least_;
  std::vector<std::int8_t> signs_;
  std::vector<std::int64_t> sums_;
};

/// A searched table for the group, as a query.
Correlation annealed_query(const Parities& members, const std::vector<std::int64_t>& group,
                           const Rational& width, const Stream& stream, const StopToken& stop) {
  Bits together = 0;
  for (const std::int64_t f : group) together |= members.sets()[static_cast<std::size_t>(f)];
  const int bits = __builtin_popcount(together);
  std::vector<Bits> sets;
  for (const std::int64_t f : group)
    sets.push_back(extract(members.sets()[static_cast<std::size_t>(f)], together));
  const Rational above = width * (std::int64_t{1} << bits) / own_correlation(members);
  const auto least = static_cast<std::int64_t>(Integer(numerator(above) / denominator(above))) + 1;
  const auto signs =
      std::make_shared<std::vector<std::int8_t>>(Annealing(std::move(sets), bits, least, stream).run(stop));
  return {fmt::format("signs for {} characters", group.size()), together | members.switch_mask(),
          [signs, together](Bits z) { return static_cast<double>((*signs)[extract(z, together)]); }};
}

/// How many members left would be ruled out by the answer 0; none if it would be all, for it will not be
/// given.
std::int64_t ruled_out_by_zero(const ClassMeans& means, const VersionSpace& space, const Rational& width) {
  const auto [kept, ruled_out] =
      space.split(means, [&](const Mean& mean) { return abs(mean.value) <= width + mean.charge; });
  return kept.empty() ? 0 : std::ssize(ruled_out);
}

std::int64_t members_a_combination(const Rational& width, const Rational& rho) {
  // The coefficient of K + 2, K odd, is that of K times K / (K + 1).
  std::int64_t k = 0;
  for (Rational coefficient = rho; coefficient > width; coefficient *= Rational(k, k + 1))
    k = k == 0 ? 1 : k + 2;
  return k;
}

ParitySearch correlation_search(Correlations& oracle, const Parities& members, const StopToken& stop) {
  ParitySearch search;
  VersionSpace space(members.size());
  for (std::int64_t f = 0; f < members.size() && space.size() > 1; ++f) {
    stop.check();
    if (!std::binary_search(space.left().begin(), space.left().end(), f)) continue;
    const Correlation g = character_of(members, f);
    ask(oracle, g, predictions(members, g), space, search);
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
    const Correlation g =
        majority_of(members, draw(space.left(), std::min(k, space.size() - 1), search.queries()));
    const ClassMeans means = predictions(members, g);
    const std::int64_t before = space.size();
    if (ruled_out_by_zero(means, space, oracle.width()) > 0) ask(oracle, g, means, space, search);
    if (space.size() == before) k /= 2;
  }
  if (space.size() == 1) search.found = space.left().front();
  return search;
}

ParitySearch annealed_search(Correlations& oracle, const Parities& members, const StopToken& stop) {
  if (members.bits() > max_annealed_bits)
    throw InputError(
        fmt::format("annealed queries: {} bits are more than {}", members.bits(), max_annealed_bits));
  ParitySearch search;
  VersionSpace space(members.size());
  const Rational ratio = own_correlation(members) / oracle.width(), parseval = ratio * ratio;
  const auto most = static_cast<std::int64_t>(Integer(numerator(parseval) / denominator(parseval)));
  const std::int64_t majority = members_a_combination(oracle.width(), own_correlation(members));
  while (space.size() > 1) {
    std::int64_t best = 0;
    std::optional<Correlation> query;
    const auto consider = [&](const Correlation& g) {
      const std::int64_t out = ruled_out_by_zero(predictions(members, g), space, oracle.width());
      if (out <= best) return;
      best = out;
      query = g;
    };
    const std::int64_t others = space.size() - 1;
    if (majority > 0)
      consider(majority_of(members, draw(space.left(), std::min(majority, others), search.queries())));
    for (std::int64_t k = std::min(most, others); k > best; k -= std::max<std::int64_t>(1, k / 10)) {
      stop.check();
      const Stream stream(Domain::learner, static_cast<std::uint64_t>(search.queries()),
                          fmt::format("annealed query {}", k));
      const std::vector<std::int64_t> group = draw(space.left(), k, search.queries());
      consider(annealed_query(members, group, oracle.width(), stream, stop));
    }
    if (!query) break;
    const std::int64_t before = space.size();
    ask(oracle, *query, predictions(members, *query), space, search);
    if (space.size() == before) break;
  }
  if (space.size() == 1) search.found = space.left().front();
  return search;
}

}  // namespace hardhead::sq
