#include "sq/dimension/dimension.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "base/error.h"
#include "base/run/parallel.h"
#include "sq/concepts/enumerate.h"
#include "sq/dimension/clique.h"

namespace hardhead::sq {
namespace {

Rational at_least_zero(const Rational& x) {
  return x > 0 ? x : Rational(0);
}

void check_tau(const Rational& tau) {
  if (tau <= 0 || tau > 1) throw InputError(fmt::format("tau={} is not in (0, 1]", to_string(tau)));
}

/// Members joined where |E[f g]| / rho <= 1/D.
Graph nearly_orthogonal(const CorrelationTable& table, std::int64_t dimension) {
  Graph graph(table.size());
  for (std::int64_t f = 0; f < table.size(); ++f)
    for (std::int64_t g = 0; g < f; ++g)
      if (table.absolute(f, g) * dimension <= table.norm()) graph.join(f, g);
  return graph;
}

/// sum over a subset, for all 2^N subsets in Gray-code order; N <= 20.
void average_over_all_subsets(const CorrelationTable& table, AverageCorrelations& out) {
  const auto n = static_cast<int>(table.size());
  std::vector<std::int64_t> best(static_cast<std::size_t>(n) + 1, 0);
  std::uint32_t subset = 0;
  std::int64_t sum = 0;
  for (std::uint32_t step = 1; step < std::uint32_t{1} << n; ++step) {
    const int f = std::countr_zero(step);
    std::int64_t crossing = 0;
    for (std::uint32_t rest = subset & ~(std::uint32_t{1} << f); rest != 0; rest &= rest - 1)
      crossing += table.absolute(f, std::countr_zero(rest));
    subset ^= std::uint32_t{1} << f;
    const std::int64_t change = 2 * crossing + table.norm();
    sum += (subset >> f & 1) != 0 ? change : -change;
    auto& largest = best[static_cast<std::size_t>(std::popcount(subset))];
    largest = std::max(largest, sum);
  }
  for (int k = 1; k <= n; ++k)
    out.lower[static_cast<std::size_t>(k)] = out.upper[static_cast<std::size_t>(k)] =
        dyadic(best[static_cast<std::size_t>(k)], table.bits()) / (static_cast<std::int64_t>(k) * k);
}

/// A(k) is at most the k largest of the rows' sums of their k largest entries; at least what a greedy set
/// has.
void average_between_bounds(const CorrelationTable& table, AverageCorrelations& out) {
  const std::int64_t n = table.size();
  std::vector<std::vector<std::int64_t>> sums(
      static_cast<std::size_t>(n));  // [k - 1][f]: largest k entries of row f
  for (auto& row : sums) row.resize(static_cast<std::size_t>(n));
  for (std::int64_t f = 0; f < n; ++f) {
    std::vector<std::int64_t> row;
    for (std::int64_t g = 0; g < n; ++g) row.push_back(table.absolute(f, g));
    std::sort(row.rbegin(), row.rend());
    std::int64_t sum = 0;
    for (std::size_t k = 0; k < row.size(); ++k) sums[k][static_cast<std::size_t>(f)] = sum += row[k];
  }
  std::vector<std::int64_t> gain(static_cast<std::size_t>(n), 0);  // to the greedy set
  std::vector<bool> taken(static_cast<std::size_t>(n), false);
  std::int64_t greedy = 0;
  for (std::int64_t k = 1; k <= n; ++k) {
    auto& largest = sums[static_cast<std::size_t>(k - 1)];
    std::sort(largest.rbegin(), largest.rend());
    Integer most = 0;
    for (std::int64_t f = 0; f < k; ++f) most += largest[static_cast<std::size_t>(f)];
    const Rational scale = dyadic(1, table.bits()) / (k * k);
    out.upper[static_cast<std::size_t>(k)] = Rational(most) * scale;

    std::int64_t next = -1;
    for (std::int64_t f = 0; f < n; ++f)
      if (!taken[static_cast<std::size_t>(f)] &&
          (next < 0 || gain[static_cast<std::size_t>(f)] > gain[static_cast<std::size_t>(next)]))
        next = f;
    taken[static_cast<std::size_t>(next)] = true;
    greedy += 2 * gain[static_cast<std::size_t>(next)] + table.norm();
    for (std::int64_t f = 0; f < n; ++f) gain[static_cast<std::size_t>(f)] += table.absolute(f, next);
    out.lower[static_cast<std::size_t>(k)] = Rational(greedy) * scale;
  }
}

/// The largest k with reaches(A(k)), 0 if none.
template <class Reaches>
std::int64_t largest_reaching(const std::vector<Rational>& averages, const Reaches& reaches) {
  for (std::size_t k = averages.size() - 1; k > 0; --k)
    if (reaches(averages[k])) return static_cast<std::int64_t>(k);
  return 0;
}

/// How many members y sign(sum of the first k members) tells from the null distribution by more than tau.
std::int64_t separated_by_majority(const ConceptClass& members, std::int64_t k, const Rational& tau) {
  std::vector<Concept> group;
  for (std::int64_t f = 0; f < k; ++f) group.push_back(members.member(f));
  const Query query{"majority", Range::signed_unit, all_bits(members.bits()), [&group](Bits z, int label) {
                      int sum = 0;
                      for (const Concept& f : group) sum += f.label(z & f.sees);
                      return static_cast<double>(label * ((sum > 0) - (sum < 0)));
                    }};
  const ClassMeans means = members.means(query);
  std::int64_t count = 0;
  for (std::int64_t f = 0; f < members.size(); ++f)
    count += abs(means.mean(f).value - means.null_mean().value) > tau ? 1 : 0;
  return count;
}

}  // namespace

CorrelationTable::CorrelationTable(const ConceptClass& members, const StopToken& stop)
    : bits_(members.bits()), size_(members.size()) {
  if (size_ > max_tabulated_members)
    throw InputError(fmt::format("correlations: {} members are more than {}", size_, max_tabulated_members));
  absolute_.resize(static_cast<std::size_t>(size_ * size_));
  parallel_for_each_index(size_, [&](std::int64_t f) {
    stop.check();
    for (std::int64_t g = f; g < size_; ++g)
      absolute_[static_cast<std::size_t>(f * size_ + g)] = std::abs(members.correlation(f, g));
  });
  for (std::int64_t f = 0; f < size_; ++f)
    for (std::int64_t g = 0; g < f; ++g) absolute_[static_cast<std::size_t>(f * size_ + g)] = absolute(g, f);
  for (std::int64_t f = 0; f < size_; ++f) {
    if (absolute(f, f) != norm() || norm() == 0)
      throw InputError(
          fmt::format("correlations: E[f^2] is {} for member {} and {} for member 0; one positive value is "
                      "expected",
                      to_string(dyadic(absolute(f, f), bits_)), f, to_string(rho())));
    for (std::int64_t g = 0; g < f; ++g) orthogonal_ = orthogonal_ && absolute(f, g) == 0;
  }
}

Dimension pairwise_dimension(const CorrelationTable& table, const Rational& tau, const StopToken& stop,
                             std::int64_t nodes) {
  check_tau(tau);
  const auto decide = [&](std::int64_t d) { return has_clique(nearly_orthogonal(table, d), d, nodes, stop); };
  // D feasible implies every smaller one: bisect for the last certain yes, and for the first certain no.
  std::int64_t yes = 1, first_no = table.size() + 1, unknown_from = first_no;
  for (std::int64_t high = first_no; yes + 1 < high;) {
    const std::int64_t middle = high > table.size() ? table.size() : (yes + high) / 2;
    const std::optional<bool> answer = decide(middle);
    if (answer == true) {
      yes = middle;
    } else {
      high = middle;
      (answer ? first_no : unknown_from) = middle;
    }
  }
  for (std::int64_t low = unknown_from; low + 1 < first_no;) {
    const std::int64_t middle = (low + first_no) / 2;
    if (decide(middle) == false)
      first_no = middle;
    else
      low = middle;
  }
  const Rational rho = table.rho();
  return {.definition = "pairwise",
          .lower = yes,
          .upper = first_no - 1,
          .theorem =
              "(D tau^2 / rho^2 - 1)/2 queries of STAT(tau): B. Szorenyi, ALT 2009; proof in "
              "sq/dimension/dimension.h",
          .bound_queries = at_least_zero((yes * tau * tau / (rho * rho) - 1) / 2)};
}

AverageCorrelations average_correlations(const CorrelationTable& table) {
  constexpr std::int64_t most_enumerated = 20;
  AverageCorrelations out;
  out.lower.assign(static_cast<std::size_t>(table.size()) + 1, 0);
  out.upper = out.lower;
  if (table.orthogonal()) {
    for (std::int64_t k = 1; k <= table.size(); ++k)
      out.lower[static_cast<std::size_t>(k)] = out.upper[static_cast<std::size_t>(k)] = table.rho() / k;
  } else if (table.size() <= most_enumerated) {
    average_over_all_subsets(table, out);
  } else {
    average_between_bounds(table, out);
  }
  return out;
}

Dimension average_dimension(const CorrelationTable& table, const Rational& gamma) {
  if (gamma <= 0 || gamma > table.rho())
    throw InputError(
        fmt::format("gamma={} is not in (0, E[f^2]={}]", to_string(gamma), to_string(table.rho())));
  const AverageCorrelations averages = average_correlations(table);
  // With s the largest size of a set that reaches gamma, d is the largest integer below N/s.
  const auto dimension = [&](const std::vector<Rational>& a) {
    const std::int64_t s = largest_reaching(a, [&](const Rational& average) { return average >= gamma; });
    // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): a set of one member reaches gamma
    return Rational((table.size() - 1) / s);
  };
  const Rational lower = dimension(averages.upper);
  return {.definition = "average",
          .lower = lower,
          .upper = dimension(averages.lower),
          .theorem = fmt::format(
              "d queries of VSTAT({}) = VSTAT(1/(3 gamma)): V. Feldman, E. Grigorescu, L. Reyzin, "
              "S. Vempala, Y. Xiao, JACM 64(2), 2017",
              to_string(1 / (3 * gamma))),
          .bound_queries = lower};
}

Dimension separation_dimension(const ConceptClass& members, const CorrelationTable& table,
                               const Rational& tau) {
  check_tau(tau);
  const AverageCorrelations averages = average_correlations(table);
  const std::int64_t most = largest_reaching(
      averages.upper, [&](const Rational& average) { return tau * tau < table.rho() * average; });
  std::int64_t least = 0;
  for (std::int64_t k = std::min(most, table.size()); k > 0; k /= 2)
    least = std::max(least, separated_by_majority(members, k, tau));
  const Rational n = table.size();
  return {.definition = "separation",
          .lower = most > 0 ? Rational(n / most) : Rational(0),
          .upper = least > 0 ? Rational(n / least) : Rational(0),
          .bounded = least > 0,
          .theorem =
              most > 0
                  ? "SD(tau) queries of STAT(tau): V. Feldman, COLT 2017; proof in sq/dimension/dimension.h"
                  : "unwinnable: no query tells any member from the null distribution by more than tau",
          .bound_queries = most > 0 ? Rational(n / most) : Rational(0)};
}

}  // namespace hardhead::sq
