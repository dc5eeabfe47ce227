#pragma once
#include <array>

#include "attention/forward/block.h"
#include "base/numeric/random.h"
#include "base/text/enum_names.h"

namespace hardhead::learner {

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

}  // namespace hardhead::learner
