#include "hardness/concepts/all_juntas.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

namespace hardhead::hardness {
namespace {

/// n (n-1) .. (n-r+1).
Integer falling(std::int64_t n, std::int64_t r) {
  Integer out = 1;
  for (std::int64_t i = 0; i < r; ++i) out *= n - i;
  return out;
}

/// The function as label numbers 0 .. L-1 of its points.
std::vector<int> numbered(const std::vector<std::int64_t>& values) {
  std::vector<std::int64_t> labels = values;
  std::ranges::sort(labels);
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  std::vector<int> out;
  for (const std::int64_t value : values)
    out.push_back(static_cast<int>(std::ranges::lower_bound(labels, value) - labels.begin()));
  return out;
}

/// counts[u L + y]: points with label y whose bits at `places`, in this order, spell u.
std::vector<std::int64_t> counts_by_bits(const std::vector<int>& labels, int kinds,
                                         const std::vector<int>& places) {
  std::vector<std::int64_t> out((std::size_t{1} << places.size()) * static_cast<std::size_t>(kinds));
  for (std::size_t z = 0; z < labels.size(); ++z) {
    std::size_t u = 0;
    for (std::size_t i = 0; i < places.size(); ++i) u |= (z >> places[i] & 1) << i;
    ++out[u * static_cast<std::size_t>(kinds) + static_cast<std::size_t>(labels[z])];
  }
  return out;
}

/// Visits all partial matchings of places with places, as two lists of equal length.
template <class Visit>
void for_matchings(int m, const Visit& visit) {
  std::vector<int> left, right;
  std::vector<bool> used(static_cast<std::size_t>(m));
  const auto go = [&](const auto& self, int place) -> void {
    if (place == m) return visit(left, right);
    self(self, place + 1);
    left.push_back(place);
    for (int other = 0; other < m; ++other) {
      const auto at = static_cast<std::size_t>(other);
      if (used[at]) continue;
      used[at] = true;
      right.push_back(other);
      self(self, place + 1);
      right.pop_back();
      used[at] = false;
    }
    left.pop_back();
  };
  go(go, 0);
}

}  // namespace

std::optional<sq::MemberPairs> junta_pairs(const JuntaOptions& options) {
  const attention::Index m = options.m, d = options.d;
  if (m > max_paired_bits) return std::nullopt;
  const std::vector<int> labels = numbered(junta_values(options.function, m));
  const int kinds = *std::ranges::max_element(labels) + 1;
  const std::vector<std::int64_t> law = counts_by_bits(labels, kinds, {});

  // sum_u c_f(u, y) c_g(u, y), of 2^(2m - k), for every y: few such lists are different.
  std::map<std::pair<std::size_t, std::vector<std::int64_t>>, std::int64_t> matchings;
  for_matchings(static_cast<int>(m), [&](const std::vector<int>& left, const std::vector<int>& right) {
    const auto f = counts_by_bits(labels, kinds, left), g = counts_by_bits(labels, kinds, right);
    std::vector<std::int64_t> both(static_cast<std::size_t>(kinds));
    for (std::size_t i = 0; i < f.size(); ++i) both[i % both.size()] += f[i] * g[i];
    ++matchings[{left.size(), both}];
  });

  std::map<std::pair<Rational, Rational>, Rational> shares;
  const Integer orders = falling(d - 1, m);
  for (const auto& [what, count] : matchings) {
    const auto k = static_cast<std::int64_t>(what.first);
    const Integer points = Integer(1) << static_cast<unsigned long>(2 * m - k);
    Rational sum = 0, agreement = 0;
    for (std::size_t y = 0; y < law.size(); ++y) {
      const Rational together(what.second[y], points);
      agreement += together;
      sum += together * static_cast<std::int64_t>(labels.size()) / law[y];
    }
    shares[{(sum - 1) / 2, agreement}] += Rational(falling(d - 1 - m, m - k) * count, orders);
  }
  sq::MemberPairs out;
  for (const auto& [what, share] : shares) {
    if (share == 0) continue;  // there are not as many coordinates
    out.shares.push_back({what.first, share, what.second});
    out.largest_row += share * abs(what.first);
  }
  return out;
}

Integer junta_functions(const JuntaOptions& options) {
  const std::vector<std::int64_t> values = junta_values(options.function, options.m);
  std::vector<std::size_t> order(static_cast<std::size_t>(options.m));
  std::iota(order.begin(), order.end(), 0);
  std::int64_t same = 0;
  do {
    const auto moved = [&](std::size_t z) {
      std::size_t out = 0;
      for (std::size_t j = 0; j < order.size(); ++j) out |= (z >> j & 1) << order[j];
      return out;
    };
    bool equal = true;
    for (std::size_t z = 0; z < values.size() && equal; ++z) equal = values[z] == values[moved(z)];
    same += equal ? 1 : 0;
  } while (std::ranges::next_permutation(order).found);
  return falling(options.d - 1, options.m) / same;
}

}  // namespace hardhead::hardness
