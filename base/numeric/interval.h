#pragma once
#include <boost/multiprecision/mpfr.hpp>

#include "base/numeric/rational.h"

namespace hardhead {

/// A number of 96 decimal digits (MPFR, 320 bits), with MPFR's range of exponents.
using LongReal = boost::multiprecision::number<boost::multiprecision::mpfr_float_backend<96>,
                                               boost::multiprecision::et_off>;

/// A closed interval of real numbers. Every operation is rounded outwards by MPFR's directed roundings: if x
/// is in X and y in Y then x op y is in X op Y. So an inequality between ends of intervals is proved.
///
/// An end that is no number or not finite says nothing of a result: inside() and is_positive() are then
/// false.
class Interval {
 public:
  Interval() = default;                                           ///< [0, 0]
  Interval(const LongReal& point) : low_(point), high_(point) {}  ///< [point, point]
  Interval(int point) : Interval(LongReal(point)) {}              ///< [point, point]
  /// [low, high]; low <= high is not checked.
  Interval(const LongReal& low, const LongReal& high) : low_(low), high_(high) {}
  /// The least interval of such ends around x.
  static Interval around(const Rational& x);

  const LongReal& low() const { return low_; }    ///< the lower end
  const LongReal& high() const { return high_; }  ///< the upper end
  LongReal middle() const;                        ///< a number near the middle, in it
  LongReal size() const;                          ///< the largest |x| in it
  bool is_positive() const { return low_ > 0; }   ///< every number in it is above 0
  /// Whether it lies in the interior of `outer`.
  bool inside(const Interval& outer) const { return outer.low_ < low_ && high_ < outer.high_; }
  bool contains(const Rational& x) const;  ///< exactly

  /// The n-th root, n >= 1, of a positive interval.
  Interval root(unsigned n) const;

  friend Interval operator+(const Interval& a, const Interval& b);  ///< sum
  friend Interval operator-(const Interval& a, const Interval& b);  ///< difference
  friend Interval operator*(const Interval& a, const Interval& b);  ///< product
  /// Quotient. Where b contains 0 both ends are no numbers.
  friend Interval operator/(const Interval& a, const Interval& b);

 private:
  LongReal low_ = 0, high_ = 0;
};

}  // namespace hardhead
