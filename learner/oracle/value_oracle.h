#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "attention/forward/memory.h"
#include "attention/layer/exact.h"
#include "attention/samples/public_gadget.h"
#include "attention/samples/sample_source.h"
#include "base/numeric/random.h"
#include "base/run/stop_token.h"
#include "base/text/enum_names.h"

/// Oracles of values: X in, F(X) out. They are types of their own, so that a learner's signature says what it
/// may ask (learner/algorithm.h).
namespace hardhead::learner {

using attention::Index;

/// Thrown by an oracle that is asked for more than its budget. It is not an Error: that a learner runs out of
/// queries is an outcome, which Recorder::record() turns into the report's ending.
struct OutOfQueries {
  std::int64_t budget;  ///< queries that were to be had
};

/// What has been asked of an oracle. A query is one X; each of its k tokens counts as a token.
class Account {
 public:
  /// At most `budget` queries; without one, as many as are asked. Throws InputError for a budget below 1.
  explicit Account(std::optional<std::int64_t> budget);

  /// From now on charge() throws Stopped once `stop` says so.
  void stop_by(StopToken stop) { stop_ = stop; }

  /// Counts queries of `tokens_each` tokens. Throws OutOfQueries, and counts none of them, where they are
  /// more than are left; Stopped, and counts none, where the run has been stopped.
  void charge(std::int64_t queries, std::int64_t tokens_each);

  const std::optional<std::int64_t>& budget() const { return budget_; }  ///< empty: without end
  std::int64_t queries() const { return queries_; }                      ///< so far
  std::int64_t tokens() const { return tokens_; }                        ///< so far

 private:
  StopToken stop_;
  std::optional<std::int64_t> budget_;
  std::int64_t queries_ = 0, tokens_ = 0;
};

/// How an oracle's answer v' to an entry v of F(X) is chosen among those with |v' - v| <= tau.
enum class AnswerPolicy {
  uniform,  ///< v + tau u, u uniform in [-1, 1): noise
  worst,    ///< v + tau or v - tau, by whether floor(v / tau) is even: always as far off as allowed
  grid,     ///< the multiple of 2 tau nearest to v: no digit below it is shown
};

constexpr auto enum_names(AnswerPolicy) {
  return std::to_array<EnumName<AnswerPolicy>>(
      {{AnswerPolicy::uniform, "uniform"}, {AnswerPolicy::worst, "worst"}, {AnswerPolicy::grid, "grid"}});
}

/// What answers may be off by, entry by entry.
struct Tolerance {
  double tau = 0;                               ///< in the units of F; 0: answers are exact, rounded once
  AnswerPolicy policy = AnswerPolicy::uniform;  ///< what is done with it

  /// Throws InputError unless tau is finite and at least 0.
  void validate() const;
  /// Changes the answers in block.y by the policy, up to one rounding of the sum. Query `first` + n is
  /// example n of the block; its noise is item first + n of the stream, token by token.
  void apply(std::uint64_t first, const Stream& noise, attention::Block& block) const;
};

/// Thrown where an answer is not a number. An outcome, as OutOfQueries.
struct BadAnswer {
  std::string message;  ///< which query, row and feature
};

/// How an oracle answers.
struct OracleOptions {
  std::optional<Index> tokens{};         ///< every X has this many (`--length fixed`); empty: any number
  Tolerance tolerance{};                 ///< what answers may be off by
  double label_error = 0;                ///< what the teacher's labels are off by already, entry by entry
  std::optional<std::int64_t> budget{};  ///< at most this many queries
  std::uint64_t seed = 1;                ///< of the noise
  /// Whether the last feature may be chosen. A layer with biases has a constant there: all tokens of an X
  /// must have the same sign, +1 or -1, in it, where -1 throughout asks for -F(-X), which is F(X).
  attention::LastFeature last = attention::LastFeature::varies;
  /// Hears of every query with its answer, in the order asked: for a journal.
  std::function<void(const attention::Block&)> listener{};
  attention::Hints hints{};          ///< what is told beside answers; null: nothing
  attention::PublicGadget gadget{};  ///< what is public of the layer
};

/// Values of a layer F: R^{k x d} -> R^{k x d} at chosen X.
///
///     answer = F(X), the teacher's label, changed by at most tau an entry (Tolerance)
///
/// A teacher of exact values (hard families) answers the exact rational rounded once, at the X asked.
class ValueOracle {
 public:
  /// Values of what `teacher` labels, on tokens of d features. Throws InputError as Tolerance::validate() and
  /// Account do, for tokens < 1, and for a fixed number of tokens that the teacher cannot label.
  ValueOracle(std::shared_ptr<const attention::Teacher> teacher, Index d, OracleOptions options);

  Index d() const { return d_; }  ///< features
  /// The X that may be asked: those that the teacher can label, of the fixed number of tokens if there is
  /// one.
  attention::Labelled domain() const { return domain_; }
  /// Whether the last feature is that of biases and must not vary (OracleOptions::last).
  bool last_is_one() const { return options_.last == attention::LastFeature::is_one; }
  /// An entry of an answer is within tau of F(X).
  double tau() const { return options_.tolerance.tau + options_.label_error; }
  const Account& account() const { return account_; }                        ///< what was asked so far
  const attention::PublicGadget& gadget() const { return options_.gadget; }  ///< what is public of the layer

  /// Answers every X of `block.x` in `block.y`: one query each, of block.k tokens. Throws OutOfQueries and
  /// asks nothing where they are more than the budget; BadAnswer for an answer that is not finite; InputError
  /// for X outside domain(), with entries that are not finite, another d, or a last feature that varies and
  /// must not.
  void ask(attention::Block& block);

  /// From now on a query throws Stopped, and is not counted, once `stop` says so.
  void stop_by(StopToken stop) { account_.stop_by(stop); }

  /// Are there hints?
  bool has_hints() const { return options_.hints != nullptr; }
  /// The same, and the hints beside each answer. Throws InputError where there are none.
  attention::RowMatrix ask_with_hints(attention::Block& block);

 private:
  void check(const attention::Block& block) const;
  void check_last_feature(const attention::Block& block) const;

  std::shared_ptr<const attention::Teacher> teacher_;
  Index d_;
  OracleOptions options_;
  attention::Labelled domain_;
  Account account_;
  Stream noise_;
};

/// Bytes that the forward pass of a layer takes at most to answer this many X at once, their block not
/// counted.
double answer_bytes(const attention::PassShape& shape, Index queries);

/// The values of an exact layer as the rationals they are, at Boolean X of any number of tokens.
class ExactOracle {
 public:
  /// Throws InputError as ExactLayer::validate() and Account do.
  ExactOracle(attention::ExactLayer layer, std::optional<std::int64_t> budget);

  Index d() const { return layer_.d; }                 ///< features
  std::int64_t base() const { return layer_.base; }    ///< B, which is public
  const Account& account() const { return account_; }  ///< what was asked so far

  /// As that of ValueOracle.
  void stop_by(StopToken stop) { account_.stop_by(stop); }

  /// F(X), k x d row-major, for X in {-1,+1}^{k x d} row-major. One query. Throws OutOfQueries, and
  /// InputError as attention::evaluate() does.
  std::vector<Rational> ask(std::span<const int> x);

 private:
  attention::ExactLayer layer_;
  Account account_;
};

}  // namespace hardhead::learner
