#pragma once
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "lwe/parameters.h"
#include "lwe/verification.h"

namespace hardhead::lwe {

/// Of the secrets that a search finds to fit, the one that the fewest wrong ones would fit as well as: where samples barely
/// determine the secret, a wrong one within the largest allowed residuals may come first.
class BestFit {
 public:
  /// What verify() says of `secret`; nothing if it does not fit. Equals are decided by `place`, then by who was first, so
  /// that threads that search places of their own agree with one that searches all in turn.
  void offer(const Verification& says, std::vector<Residue> secret, std::int64_t place = 0) {
    if (!says.fits) return;
    if (secret_ && std::tie(says.log2_impostors, place) >= std::tie(log2_impostors_, place_)) return;
    secret_ = std::move(secret);
    log2_impostors_ = says.log2_impostors;
    place_ = place;
    verified_ = says.verified();
  }
  /// No need to look further.
  bool verified() const { return verified_; }
  /// The one that fits best so far.
  const std::optional<std::vector<Residue>>& secret() const { return secret_; }

 private:
  std::optional<std::vector<Residue>> secret_;
  double log2_impostors_ = 0;
  std::int64_t place_ = 0;
  bool verified_ = false;
};

}  // namespace hardhead::lwe
