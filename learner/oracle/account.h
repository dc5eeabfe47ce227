#pragma once
#include <cstdint>
#include <optional>

#include "base/run/stop_token.h"

namespace hardhead::learner {

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

}  // namespace hardhead::learner
