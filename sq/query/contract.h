#pragma once
#include <string>

#include "base/numeric/rational.h"
#include "sq/query/query.h"

/// What a statistical-query oracle promises, as exact predicates.
///
///     STAT(tau)   phi in [-1,1]:  |v - E phi| <= tau,                                   0 < tau <= 1
///     VSTAT(t)    phi in [0,1]:   |v - p| <= max(1/t, sqrt(p (1 - p) / t)), p = E phi,  t >= 1
///
/// M. Kearns, "Efficient noise-tolerant learning from statistical queries", JACM 45(6), 1998; V. Feldman, E.
/// Grigorescu, L. Reyzin, S. Vempala, Y. Xiao, "Statistical algorithms and a lower bound for detecting
/// planted cliques", JACM 64(2), 2017.
namespace hardhead::sq {

/// A mean known up to rounding: the true E phi is within `charge` of `value`.
struct Mean {
  Rational value;       ///< on the grid
  Rational charge = 0;  ///< how far the mean may be off it
};

/// The promise of one kind of oracle, with its tolerance.
class Contract {
 public:
  virtual ~Contract() = default;

  virtual Range range() const = 0;  ///< of the queries it answers
  /// "STAT(1/10)", for reports.
  virtual std::string text() const = 0;
  /// Is v a legal answer, whatever the true mean within mean.charge? In rationals, without a square root.
  virtual bool allows(const Mean& mean, const Rational& v) const = 0;
  /// A radius r >= 0 with allows(mean, v) for all |v - mean.value| <= r, within 2^-60 of the largest one.
  /// Throws InputError if the tolerance is less than the charge: no answer could be vouched for.
  virtual Rational radius(const Mean& mean) const = 0;
};

/// STAT(tau), as above.
class Stat final : public Contract {
 public:
  /// Throws InputError unless 0 < tau <= 1.
  explicit Stat(Rational tau);
  /// The tolerance.
  const Rational& tau() const { return tau_; }

  Range range() const override { return Range::signed_unit; }
  std::string text() const override;
  bool allows(const Mean& mean, const Rational& v) const override;
  Rational radius(const Mean& mean) const override;

 private:
  Rational tau_;
};

/// VSTAT(t), as above.
class Vstat final : public Contract {
 public:
  /// Throws InputError unless t >= 1.
  explicit Vstat(Rational t);
  /// The number of examples that the answers are worth.
  const Rational& t() const { return t_; }

  Range range() const override { return Range::unit; }
  std::string text() const override;
  bool allows(const Mean& mean, const Rational& v) const override;
  Rational radius(const Mean& mean) const override;

 private:
  /// A lower bound of p (1 - p) over all means within the charge.
  static Rational least_variance(const Mean& mean);

  Rational t_;
};

}  // namespace hardhead::sq
