#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sq/concepts/enumerate.h"
#include "sq/oracle/answerer.h"

/// Oracles as a learner meets them. Every answer goes through one check of the kind's promise, in rationals,
/// before it is handed on.
namespace hardhead::sq {

/// One answered query.
struct Entry : Reply {
  std::string query;  ///< its name
  bool kept = true;   ///< does the answer keep the promise?
};

/// What was asked and answered, whoever answered. Broken promises are counted, not hidden.
class Transcript {
 public:
  /// In the order asked.
  const std::vector<Entry>& entries() const { return entries_; }
  /// How many were asked.
  std::int64_t queries() const { return static_cast<std::int64_t>(entries_.size()); }
  /// Answers that broke the promise.
  std::int64_t violations() const { return violations_; }
  /// Answers for which the adversary had to leave the null mean (Reply::gave_in).
  std::int64_t gave_in() const { return gave_in_; }

  /// Records a reply, having checked it against the contract.
  void record(const Query& query, const Reply& reply, const Contract& contract);

 private:
  std::vector<Entry> entries_;
  std::int64_t violations_ = 0, gave_in_ = 0;
};

namespace detail {
/// The answer, checked against the contract and recorded.
Rational ask_checked(const Query& query, const Contract& contract, Answerer& answerer,
                     Transcript& transcript);
}  // namespace detail

/// An oracle that keeps a contract (contract.h). The answerer must outlive it.
template <class Promise>
class ContractOracle {
 public:
  /// Has `answerer` answer, and checks it against `contract`.
  ContractOracle(Promise contract, Answerer& answerer)
      : contract_(std::move(contract)), answerer_(answerer) {}

  /// What it promises.
  const Promise& contract() const { return contract_; }
  /// A legal answer. Throws InputError for a query of another range, and as GridQuery does.
  Rational ask(const Query& query) { return detail::ask_checked(query, contract_, answerer_, transcript_); }
  /// All that was asked so far.
  const Transcript& transcript() const { return transcript_; }

 private:
  Promise contract_;
  Answerer& answerer_;
  Transcript transcript_;
};
using StatOracle = ContractOracle<Stat>;    ///< STAT(tau): phi in [-1,1]
using VstatOracle = ContractOracle<Vstat>;  ///< VSTAT(t): phi in [0,1]

/// A function of the bits alone, g(z) in [-1,1], to be correlated with the label: what correlational queries
/// (CSQ) ask.
struct Correlation {
  std::string name;                     ///< for transcripts
  Bits sees = 0;                        ///< bits that g depends on
  std::function<double(Bits z)> value;  ///< g, shown z & sees
};

/// The query y g(z).
Query correlation_query(const Correlation& g);

/// 1-STAT: one bit phi(z, y) of one fresh example a query (K. Yang, JCSS 70(4), 2005). Example i is item i of
/// the stream (seed).
class OneStatOracle {
 public:
  /// Examples of `target` on n uniform bits. Throws InputError for n outside 1 .. max_bits.
  OneStatOracle(Concept target, int n, std::uint64_t seed);

  /// Throws InputError unless the query's range is {0, 1}.
  bool ask(const Query& query);
  /// Examples drawn: one a query.
  std::int64_t examples() const { return examples_; }

 private:
  Concept target_;
  int n_;
  Stream stream_;
  std::int64_t examples_ = 0;
};

/// Honest statistics: the mean of phi over `examples_per_query` fresh examples, an integer over the grid. By
/// Hoeffding's inequality it is within tau of E phi with probability at least `confidence`, one query at a
/// time: STAT(tau) but for bad luck, and checked as such.
class HonestOracle {
 public:
  /// Throws InputError unless 1 <= n <= max_bits, 1 <= examples_per_query <= 2^24, 0 < confidence < 1, and
  /// tau <= 1.
  HonestOracle(Concept target, int n, std::int64_t examples_per_query, double confidence, std::uint64_t seed);

  /// tau is sqrt(2 ln(2 / (1 - confidence)) / examples_per_query) plus rounding_charge(), rounded up.
  const Stat& contract() const { return contract_; }
  /// The mean over fresh examples. Throws InputError for a query of another range than [-1, 1], and as
  /// GridQuery does.
  Rational ask(const Query& query);
  /// All that was asked so far.
  const Transcript& transcript() const { return transcript_; }

 private:
  Concept target_;
  int n_;
  std::int64_t examples_per_query_;
  Stat contract_;
  Stream stream_;
  Transcript transcript_;
};

/// Who answers correlations E[y g(z)], and how well: what correlational learners call.
class Correlations {
 public:
  virtual ~Correlations() = default;
  /// Answers are within this of E[y g].
  virtual const Rational& width() const = 0;
  /// v with |v - E[y g]| <= width(), or as likely as the oracle says.
  virtual Rational ask(const Correlation& g) = 0;
};

/// From STAT(tau), which makes it an oracle of correlational queries (CSQ), or from honest samples (then with
/// the oracle's confidence): width tau.
template <class Oracle>
class FromStat final : public Correlations {
 public:
  /// `oracle` must outlive it.
  explicit FromStat(Oracle& oracle) : oracle_(oracle) {}
  const Rational& width() const override { return oracle_.contract().tau(); }
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
  const Rational& width() const override { return width_; }
  Rational ask(const Correlation& g) override;

 private:
  OneStatOracle& oracle_;
  std::int64_t examples_;
  Rational width_;
};

}  // namespace hardhead::sq
