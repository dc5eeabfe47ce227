#pragma once
#include <optional>
#include <vector>

#include "base/numeric/interval.h"

/// Sums of logistic steps of any slopes whose values alternate: found by Newton's method, and proved to
/// exist.
///
///     G(h) = sum_i w_i / (1 + z_i v_i^h) = (-1)^h + kappa   for h = 0 .. m.
///
/// A step 1 / (1 + e^(2 c (h - t))) has v = e^(2c) and z = v^-t. At integers h everything is rational in w,
/// z, v and kappa, so that intervals need nothing but the four operations.
///
/// *Unknowns.* There are m + 1 equations, one more if W = 0 is asked, and as many unknowns: w_1 .. w_M,
/// kappa, then z_1, z_2, .. and then v_1, v_2, .. until there are enough. What is left is given, as an
/// interval that holds the number meant.
///
/// *Odd sums* have a first step that lies at m/2, and each step i > 1 mirrors step M + 2 - i about it:
/// weights and slopes are equal and z z' = v^-m. Then G(h) - W/2 is odd about m/2, so that the values at h <
/// m/2 are enough: M = (m + 1)/2 equations in one weight and one place of each pair, the weight of the first
/// step, and that of the middle one where M is even. Without the mirror they barely determine how two steps
/// in the middle share their weight, and rounding grows as 10^(0.8 m) at v = 2^16.
///
/// *Proof of existence* (R. Krawczyk, Computing 4, 1969; R. Moore, SIAM J. Numer. Anal. 14, 1977): let F be
/// the equations, x a point, X a box around it, C any matrix. If
///
///     K = x - C F(x) + (I - C F'(X)) (X - x)
///
/// computed in intervals lies in the interior of X, then F has exactly one zero in X, for each choice of the
/// given numbers in their intervals, and it lies in K.
namespace hardhead::hardness {

/// The numbers of a sum, each in an interval. All vectors have M entries.
struct StepSum {
  std::vector<Interval> w, z, v;  ///< weights, places, slopes; z and v are positive
  Interval kappa;                 ///< the constant

  /// W = sum_i w_i, the sum's value far to the left.
  Interval weight_sum() const;
  /// max_i |w_i|.
  LongReal largest_weight() const;
};

/// What is asked of a sum.
struct AlternatingGoal {
  /// What is asked of W beside the values.
  enum class Ends {
    free,  ///< nothing: met up to a constant, with any W
    odd,   ///< an odd sum, so W = 2 kappa: one flat head of weight -W makes W = 0 and the constant 0
    zero   ///< W = 0, met up to a constant
  };
  long m = 1;              ///< the last h
  Ends ends = Ends::free;  ///< of W

  /// m + 1 if the ends are free, m + 2 with W = 0, (m + 1)/2 of an odd sum.
  std::size_t equations() const;
};

/// Newton's method from the middles of `start`: `start` with its unknowns replaced by points next to a
/// solution. Empty where it does not come to rest within 200 steps. Throws InputError unless M >= 1, the
/// vectors have M entries, z and v are positive, and M + 1 <= equations <= 3 M + 1; of an odd sum, unless
/// m = 2 M - 1 and steps that mirror each other have the same v.
std::optional<StepSum> refined(StepSum start, const AlternatingGoal& goal);

/// The proof: boxes of the unknowns around their middles in `near` in which there is exactly one solution, as
/// narrow as K makes them; empty where the test does not succeed. Throws as refined().
std::optional<StepSum> proved(const StepSum& near, const AlternatingGoal& goal);

}  // namespace hardhead::hardness
