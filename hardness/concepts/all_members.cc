#include "hardness/concepts/all_members.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "hardness/families/rounding_layer.h"

namespace hardhead::hardness {
namespace {

using lwe::Residue;

/// All vectors of n entries from `alphabet`.
std::vector<std::vector<Residue>> vectors(const std::vector<Residue>& alphabet, std::int64_t n) {
  std::vector<std::vector<Residue>> out{{}};
  for (std::int64_t j = 0; j < n; ++j) {
    std::vector<std::vector<Residue>> longer;
    for (const auto& head : out)
      for (const Residue entry : alphabet) {
        longer.push_back(head);
        longer.back().push_back(entry);
      }
    out = std::move(longer);
  }
  return out;
}

std::vector<std::vector<Residue>> secrets(const lwe::ProblemParameters& p) {
  std::vector<std::vector<Residue>> out = vectors(p.alphabet(), p.n);
  std::erase_if(out, [&](const std::vector<Residue>& w) {
    return std::ranges::count(w, 0) == p.n || !lwe::defect_of_secret(p, w).empty();
  });
  return out;
}

std::vector<std::vector<Residue>> inputs(const lwe::ProblemParameters& p) {
  std::vector<Residue> residues(static_cast<std::size_t>(p.q));
  for (std::size_t r = 0; r < residues.size(); ++r) residues[r] = static_cast<Residue>(r);
  return vectors(residues, p.n);
}

/// log2 of (all vectors over the alphabet)^power x q^n, what enumeration costs.
double log2_cost(const lwe::ProblemParameters& p, int power) {
  const double n = static_cast<double>(p.n), letters = static_cast<double>(p.alphabet().size());
  return n * (power * std::log2(letters) + std::log2(static_cast<double>(p.q)));
}

/// The label of every a.
std::vector<std::int64_t> labels_of(const lwe::ProblemParameters& p, const std::vector<Residue>& secret,
                                    const std::vector<std::vector<Residue>>& a) {
  std::vector<std::int64_t> out;
  for (const auto& row : a) out.push_back(lwe::inner_product(row, secret, p.q) * p.p / p.q);
  return out;
}

/// sum over the secrets and all a of (g - their mean)^2.
Rational spread(const std::vector<std::vector<std::int64_t>>& labels) {
  const auto members = static_cast<std::int64_t>(labels.size());
  std::int64_t excess = 0;  // of members^2 times the variance
  for (std::size_t a = 0; a < labels.front().size(); ++a) {
    std::int64_t sum = 0, squares = 0;
    for (const auto& of : labels) {
      sum += of[a];
      squares += of[a] * of[a];
    }
    excess += members * squares - sum * sum;
  }
  return Rational(excess, members);
}

/// Two secrets of which both have label y for both[y] of `inputs` a; law[y] of q residues have it.
sq::PairShare pair_with(const std::vector<std::int64_t>& both, const std::vector<std::int64_t>& law,
                        std::int64_t inputs) {
  const std::int64_t q = std::accumulate(law.begin(), law.end(), std::int64_t{0});
  sq::PairShare out;
  Rational sum = 0;
  for (std::size_t y = 0; y < law.size(); ++y) {
    const Rational together(both[y], inputs);
    out.agreement += together;
    sum += together * q / law[y];
  }
  out.correlation = (sum - 1) / 2;
  return out;
}

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

std::optional<AveragingGain> averaging_gain(const lwe::ProblemParameters& p) {
  constexpr double most = 24;
  if (log2_cost(p, 1) > most) return std::nullopt;
  const auto a = inputs(p);
  std::vector<std::vector<std::int64_t>> all;
  std::map<std::int64_t, std::vector<std::vector<std::int64_t>>> by_length;
  for (const auto& secret : secrets(p)) {
    all.push_back(labels_of(p, secret, a));
    by_length[gadget_length(secret, p.q)].push_back(all.back());
  }
  Integer total = 0;
  for (std::int64_t h = 0; h < p.q; ++h) total += h * p.p / p.q;
  const Rational mean(total, p.q);
  Rational null = 0, same_heads = 0;
  for (const auto& of : all) {
    Integer sum = 0, squares = 0;
    for (const std::int64_t g : of) {
      sum += g;
      squares += g * g;
    }
    null += squares - 2 * mean * sum + mean * mean * static_cast<std::int64_t>(of.size());
  }
  for (const auto& [length, labels] : by_length) same_heads += spread(labels);
  return AveragingGain{1 - spread(all) / null, 1 - same_heads / null};
}

Integer secrets_behind_layers(const lwe::ProblemParameters& p) {
  if (p.secret == lwe::SecretKind::fixed_weight)
    return binomial(static_cast<unsigned long>(p.n), static_cast<unsigned long>(p.weight));
  return pow(Integer(p.alphabet().size()), static_cast<unsigned>(p.n)) - 1;
}

std::optional<sq::MemberPairs> rounding_pairs(const lwe::ProblemParameters& p) {
  constexpr double most = 26;
  if (log2_cost(p, 2) > most) return std::nullopt;
  const auto a = inputs(p);
  std::vector<std::vector<std::int64_t>> labels;
  for (const auto& secret : secrets(p)) labels.push_back(labels_of(p, secret, a));
  std::vector<std::int64_t> law(static_cast<std::size_t>(p.p));  // of q
  for (std::int64_t h = 0; h < p.q; ++h) ++law[static_cast<std::size_t>(h * p.p / p.q)];

  // How often two secrets have both a certain label decides rho; few such lists are different.
  std::map<std::vector<std::int64_t>, std::int64_t> lists;
  sq::MemberPairs out;
  for (const auto& f : labels) {
    std::map<std::vector<std::int64_t>, std::int64_t> row;
    for (const auto& g : labels) {
      std::vector<std::int64_t> both(law.size());
      for (std::size_t i = 0; i < a.size(); ++i)
        if (f[i] == g[i]) ++both[static_cast<std::size_t>(f[i])];
      ++row[both];
    }
    Rational sum = 0;
    for (const auto& [both, count] : row) {
      lists[both] += count;
      sum += count * abs(pair_with(both, law, static_cast<std::int64_t>(a.size())).correlation);
    }
    out.largest_row = std::max<Rational>(out.largest_row, sum / labels.size());
  }
  std::map<std::pair<Rational, Rational>, Rational> shares;
  const Rational pairs = Rational(labels.size()) * labels.size();
  for (const auto& [both, count] : lists) {
    const sq::PairShare pair = pair_with(both, law, static_cast<std::int64_t>(a.size()));
    shares[{pair.correlation, pair.agreement}] += count / pairs;
  }
  for (const auto& [what, share] : shares) out.shares.push_back({what.first, share, what.second});
  return out;
}

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
