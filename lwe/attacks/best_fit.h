#pragma once
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "lwe/problem/parameters.h"
#include "lwe/problem/verification.h"

namespace hardhead::lwe {

/// The best of the secrets that a search finds to fit: the one for which the fewest wrong secrets are
/// expected to fit as well. Where samples barely determine the secret, a wrong one that just fits may be
/// found first.
class BestFit {
 public:
  /// Takes `secret`, of which verify() says this, if it fits and is better than the one so far. Of equally
  /// good ones the least `place` wins, then the one offered first. So threads that search places of their own
  /// come to the same secret as one thread that searches all places in turn.
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
  const Candidate& secret() const { return secret_; }

 private:
  Candidate secret_;
  double log2_impostors_ = 0;
  std::int64_t place_ = 0;
  bool verified_ = false;
};

}  // namespace hardhead::lwe
