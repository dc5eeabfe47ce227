#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sq/concepts/enumerate.h"
#include "sq/oracle/answerer.h"

/// Oracles as a learner meets them: one type for each kind, so that a learner's signature says what it may
/// ask. Every answer goes through one check of the kind's promise, in rationals, before it is handed on.
namespace hardhead::sq {

/// One answered query.
struct Entry {
  std::string query;              ///< its name
  Rational answer;                ///< v
  Mean truth;                     ///< what it was checked against
  std::int64_t members_left = 1;  ///< as Reply::members_left
  bool gave_in = false;           ///< as Reply::gave_in
  bool kept = true;               ///< does the answer keep the promise?
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

/// STAT(tau): phi in [-1,1]. The answerer must outlive the oracle.
class StatOracle {
 public:
  /// Has `answerer` answer, and checks it against `contract`.
  StatOracle(Stat contract, Answerer& answerer) : contract_(std::move(contract)), answerer_(answerer) {}

  /// The tolerance.
  const Rational& tau() const { return contract_.tau(); }
  /// n of the domain {-1,+1}^n.
  int bits() const { return answerer_.bits(); }
  /// v with |v - E phi| <= tau. Throws InputError for a query of another range, and as GridQuery does.
  Rational ask(const Query& query);
  /// All that was asked so far.
  const Transcript& transcript() const { return transcript_; }

 private:
  Stat contract_;
  Answerer& answerer_;
  Transcript transcript_;
};

/// VSTAT(t): phi in [0,1].
class VstatOracle {
 public:
  /// Has `answerer` answer, and checks it against `contract`.
  VstatOracle(Vstat contract, Answerer& answerer) : contract_(std::move(contract)), answerer_(answerer) {}

  /// As Vstat::t().
  const Rational& t() const { return contract_.t(); }
  /// n of the domain {-1,+1}^n.
  int bits() const { return answerer_.bits(); }
  /// v with |v - p| <= max(1/t, sqrt(p (1-p) / t)), p = E phi. Throws as StatOracle::ask().
  Rational ask(const Query& query);
  /// All that was asked so far.
  const Transcript& transcript() const { return transcript_; }

 private:
  Vstat contract_;
  Answerer& answerer_;
  Transcript transcript_;
};

/// A function of the bits alone, g(z) in [-1,1], to be correlated with the label.
struct Correlation {
  std::string name;                     ///< for transcripts
  Bits sees = 0;                        ///< bits that g depends on
  std::function<double(Bits z)> value;  ///< g, shown z & sees
};

/// The query y g(z).
Query correlation_query(const Correlation& g);

/// Correlational queries (CSQ): phi = y g(z), within tau. Nothing else can be asked through it.
class CorrelationalOracle {
 public:
  /// Has `answerer` answer, and checks it against `contract`.
  CorrelationalOracle(Stat contract, Answerer& answerer) : inner_(std::move(contract), answerer) {}

  /// The tolerance.
  const Rational& tau() const { return inner_.tau(); }
  /// n of the domain {-1,+1}^n.
  int bits() const { return inner_.bits(); }
  /// v with |v - E[y g]| <= tau. Throws InputError as GridQuery does.
  Rational ask(const Correlation& g);
  /// All that was asked so far.
  const Transcript& transcript() const { return inner_.transcript(); }

 private:
  StatOracle inner_;
};

/// 1-STAT: one bit phi(z, y) of one fresh example a query (K. Yang, JCSS 70(4), 2005). Example i is item i of
/// the stream (seed).
class OneStatOracle {
 public:
  /// Examples of `target` on n uniform bits. Throws InputError for n outside 1 .. max_bits.
  OneStatOracle(Concept target, int n, std::uint64_t seed);

  /// n of the domain {-1,+1}^n.
  int bits() const { return n_; }
  /// Throws InputError unless the query's range is {0, 1}.
  bool ask(const Query& query);
  /// Examples drawn: one a query.
  std::int64_t examples() const { return examples_; }
  /// What a query about example i must be answered with: for checking transcripts.
  bool bit_of(const Query& query, std::int64_t example) const;

 private:
  Concept target_;
  int n_;
  Stream stream_;
  std::int64_t examples_ = 0;
};

/// Honest statistics: the mean of phi over `examples_per_query` fresh examples, an integer over the grid. By
/// Hoeffding's inequality it is within tau() of E phi with probability at least `confidence`, one query at a
/// time: STAT(tau()) but for bad luck, and checked as such.
class HonestOracle {
 public:
  /// Throws InputError unless 1 <= n <= max_bits, 1 <= examples_per_query <= 2^24, 0 < confidence < 1, and
  /// tau() <= 1.
  HonestOracle(Concept target, int n, std::int64_t examples_per_query, double confidence, std::uint64_t seed);

  /// sqrt(2 ln(2 / (1 - confidence)) / examples_per_query) plus rounding_charge(), rounded up.
  const Rational& tau() const { return contract_.tau(); }
  /// n of the domain {-1,+1}^n.
  int bits() const { return n_; }
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

}  // namespace hardhead::sq
