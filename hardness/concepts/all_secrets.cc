#include "hardness/concepts/all_secrets.h"

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
  for (const auto& row : a)
    out.push_back(lwe::inner_product(row.data(), secret.data(), p.n, p.q) * p.p / p.q);
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

}  // namespace hardhead::hardness
