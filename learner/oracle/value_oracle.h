#pragma once
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
#include "learner/oracle/account.h"
#include "learner/oracle/tolerance.h"

/// Oracles of values: X in, F(X) out. They are types of their own, so that a learner's signature says what it
/// may ask: a learner by examples takes a SampleSource and cannot be handed an oracle, a learner by values
/// gets an oracle and nothing else (learner/algorithm.h).
namespace hardhead::learner {

using attention::Index;

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
///     answer = F(X), the teacher's label, changed by at most tau an entry (tolerance.h)
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
