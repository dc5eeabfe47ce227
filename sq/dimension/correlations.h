#pragma once
#include "sq/oracle/oracle.h"

/// Correlations E[y g(z)], from any kind of oracle: what correlational learners call.
namespace hardhead::sq {

/// Who answers correlations, and how well.
class Correlations {
 public:
  virtual ~Correlations() = default;
  /// n of the domain {-1,+1}^n.
  virtual int bits() const = 0;
  /// Answers are within this of E[y g].
  virtual const Rational& width() const = 0;
  /// v with |v - E[y g]| <= width(), or as likely as the oracle says.
  virtual Rational ask(const Correlation& g) = 0;
};

/// From CSQ itself: width tau.
class FromCorrelational final : public Correlations {
 public:
  /// `oracle` must outlive it.
  explicit FromCorrelational(CorrelationalOracle& oracle) : oracle_(oracle) {}
  int bits() const override { return oracle_.bits(); }
  const Rational& width() const override { return oracle_.tau(); }
  Rational ask(const Correlation& g) override { return oracle_.ask(g); }

 private:
  CorrelationalOracle& oracle_;
};

/// From STAT(tau), or from honest samples (then with the oracle's confidence): width tau.
template <class Oracle>
class FromStat final : public Correlations {
 public:
  /// `oracle` must outlive it.
  explicit FromStat(Oracle& oracle) : oracle_(oracle) {}
  int bits() const override { return oracle_.bits(); }
  const Rational& width() const override { return oracle_.tau(); }
  Rational ask(const Correlation& g) override { return oracle_.ask(correlation_query(g)); }

 private:
  Oracle& oracle_;
};

/// From VSTAT(t) by phi = (1 + y g)/2, whose mean is not known beforehand: width max(2/t, 1/sqrt(t)), rounded
/// up.
class FromVstat final : public Correlations {
 public:
  /// `oracle` must outlive it.
  explicit FromVstat(VstatOracle& oracle);
  int bits() const override { return oracle_.bits(); }
  const Rational& width() const override { return width_; }
  Rational ask(const Correlation& g) override;

 private:
  VstatOracle& oracle_;
  Rational width_;
};

/// From 1-STAT, for g with values -1, 0, 1 only: the difference of the frequencies of y g = 1 and y g = -1,
/// in `examples` fresh examples each. Within width() of E[y g] with probability at least `confidence` by
/// Hoeffding's inequality: sqrt(2 ln(4 / (1 - confidence)) / examples), rounded up.
class FromOneStat final : public Correlations {
 public:
  /// `oracle` must outlive it. Throws InputError unless examples >= 1 and 0 < confidence < 1.
  FromOneStat(OneStatOracle& oracle, std::int64_t examples, double confidence);
  int bits() const override { return oracle_.bits(); }
  const Rational& width() const override { return width_; }
  Rational ask(const Correlation& g) override;

 private:
  OneStatOracle& oracle_;
  std::int64_t examples_;
  Rational width_;
};

}  // namespace hardhead::sq
