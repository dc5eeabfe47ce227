#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/run/stop_token.h"
#include "sq/concepts/concept.h"

/// How many statistical queries a class of concepts takes, by three definitions that are kept apart. f, g are
/// members of a class of N, correlations are E[f g] under the uniform distribution, rho = E[f^2] (1 for
/// Boolean functions).
///
/// 1. **Pairwise** (A. Blum, M. Furst, J. Jackson, M. Kearns, Y. Mansour, S. Rudich, STOC 1994, who ask
///    1/D^3; here as in B. Szorenyi, ALT 2009): the largest D such that some D members have |E[f g]| / rho <=
///    1/D pairwise. Consequence (Szorenyi; three lines): let T be those of the D on one side that a query,
///    answered by its null mean, rules out. Then tau |T| < E[b sum_T f] <= sqrt(rho) |sum_T f|_2 <= rho
///    sqrt(|T| + |T|^2 / D), so both sides together are fewer than 2D / (D tau^2 / rho^2 - 1), and it takes
///    at least (D tau^2 / rho^2 - 1) / 2 queries of STAT(tau) to tell all of them from the null distribution;
///    nothing where that is negative.
/// 2. **Average correlation** (V. Feldman, E. Grigorescu, L. Reyzin, S. Vempala, Y. Xiao, JACM 64(2), 2017):
///    SDA(gamma) is the largest d such that every set T of at least N/d members has (1/|T|^2) sum_{f,g in T}
///    |E[f g]| < gamma. Theirs: it takes at least d queries of VSTAT(1/(3 gamma)) to tell every member from
///    the null distribution.
/// 3. **Separation** (V. Feldman, COLT 2017, the maximum covered fraction): SD(tau) is N over the largest
///    number of members that one query tells apart from the null distribution by more than tau, so it takes
///    at least SD(tau) queries of STAT(tau). Upper bound on that number k: tau k < E[b sum_T +-f] <=
///    sqrt(rho) |sum_T +-f|_2 gives tau^2 < rho A(k), A(k) the largest average correlation of k members.
///    Lower bound: a query, counted exactly.
namespace hardhead::sq {

/// Most members of a class whose correlations are tabulated: 2^12, 128 MiB.
inline constexpr std::int64_t max_tabulated_members = 4096;

/// All pairwise correlations E[f g] of a class under the uniform distribution, exactly: integers over 2^bits.
/// For families behind a switch these are the correlations left after the null predictor is subtracted.
class CorrelationTable {
 public:
  /// Throws InputError for more than max_tabulated_members members, and where E[f^2] is not one and the same
  /// rho > 0 for all of them; Stopped.
  explicit CorrelationTable(const ConceptClass& members, const StopToken& stop = {});

  /// N, the number of members.
  std::int64_t size() const { return size_; }
  /// 2^bits |E[f g]|.
  std::int64_t absolute(std::int64_t f, std::int64_t g) const {
    return absolute_[static_cast<std::size_t>(f * size_ + g)];
  }
  /// 2^bits E[f^2].
  std::int64_t norm() const { return absolute_.front(); }
  /// E[f^2].
  Rational rho() const { return dyadic(norm(), bits_); }
  /// n of the domain {-1,+1}^n.
  int bits() const { return bits_; }
  /// Are all members orthogonal to each other?
  bool orthogonal() const { return orthogonal_; }

 private:
  int bits_;
  std::int64_t size_;
  std::vector<std::int64_t> absolute_;
  bool orthogonal_ = true;
};

/// A dimension that lies between two certified bounds; equal where it is known.
struct Dimension {
  std::string definition;  ///< "pairwise", "average" or "separation"
  Rational lower, upper;   ///< the certified bounds
  bool bounded = true;     ///< whether `upper` is a bound: no such was found where not
  /// Do the bounds agree?
  bool exact() const { return lower == upper && bounded; }

  std::string theorem;     ///< what it implies, with its source
  Rational bound_queries;  ///< of that, for `lower`: 0 where it says nothing
};

/// Definition 1 by search for cliques (branch and bound with colourings); exact unless more than `nodes`
/// nodes are visited for one D. tau in (0, 1] enters the implied bound only.
Dimension pairwise_dimension(const CorrelationTable& table, const Rational& tau, const StopToken& stop = {},
                             std::int64_t nodes = 200'000);

/// Largest average correlations A(k) of k members, k = 0 .. N (A(0) is 0), between bounds: equal for
/// orthogonal classes (rho / k) and for up to 20 members (all subsets).
struct AverageCorrelations {
  std::vector<Rational> lower, upper;  ///< entry k bounds A(k)
};
/// These bounds for the members of a table.
AverageCorrelations average_correlations(const CorrelationTable& table);

/// Definition 2. Throws InputError unless 0 < gamma <= rho: past rho no set reaches gamma, and d has no
/// bound.
Dimension average_dimension(const CorrelationTable& table, const Rational& gamma);

/// Definition 3. Throws InputError unless 0 < tau <= 1. The upper bound on SD is infinite where no query was
/// found that separates anybody; then `upper` is 0 and exact() is false.
Dimension separation_dimension(const ConceptClass& members, const CorrelationTable& table,
                               const Rational& tau);

}  // namespace hardhead::sq
