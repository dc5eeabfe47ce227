#pragma once
#include <optional>
#include <vector>

#include "sq/concepts/concept.h"

namespace hardhead::sq {

/// Characters chi_S(z) = prod_{j in S} z_j of given sets S, plain or behind a public switch:
///
///     f_S(z) = chi_S(z)                                  plain: E[f_S f_T] = [S = T]
///     f_S(z) = chi_S(z) [z_{j0} = -1],   j0 not in S     behind a switch: E[f_S f_T] = [S = T] / 2
///
/// The second is the family `parity` of hardness/hardness.h seen by statistical queries: given X, its label
/// takes one of two values where the switch is on, and one value where it is off.
class Parities final : public ConceptClass {
 public:
  /// Throws InputError for n outside 1 .. max_bits, no sets, a set with bits past n, or one that holds the
  /// switch.
  Parities(int n, std::vector<Bits> sets, std::optional<int> switch_bit = std::nullopt);

  /// All 2^n sets of n bits.
  static Parities all(int n);
  /// The m-subsets of n bits, in ascending order as numbers. Throws InputError unless 0 <= m <= n.
  static Parities subsets(int n, int m);
  /// The m-subsets of d - 1 bits behind bit d - 1.
  static Parities behind_switch(int d, int m);

  /// S of each member, in order.
  const std::vector<Bits>& sets() const { return sets_; }
  /// j0; empty where there is none.
  std::optional<int> switch_bit() const { return switch_; }
  /// The switch as a set: {} where there is none.
  Bits switch_mask() const { return switch_ ? Bits{1} << *switch_ : 0; }

  int bits() const override { return n_; }
  std::int64_t size() const override { return static_cast<std::int64_t>(sets_.size()); }
  Concept member(std::int64_t index) const override;
  /// One Walsh-Hadamard transform over the bits the query sees: the coefficients at all sets at once. Sets
  /// with a bit that the query does not see have the null mean.
  ClassMeans means(const Query& query) const override;
  std::int64_t correlation(std::int64_t f, std::int64_t g) const override;

 private:
  int n_;
  std::vector<Bits> sets_;
  std::optional<int> switch_;
};

}  // namespace hardhead::sq
