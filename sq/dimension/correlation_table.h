#pragma once
#include <cstdint>
#include <vector>

#include "base/run/stop_token.h"
#include "sq/concepts/concept.h"

namespace hardhead::sq {

/// Most members of a class whose correlations are tabulated: 2^12, 128 MiB.
inline constexpr std::int64_t max_tabulated_members = 4096;

/// All pairwise correlations E[f g] of a class under the uniform distribution, exactly: integers over 2^bits.
/// For families behind a switch these are the correlations left after the null predictor is subtracted.
class CorrelationTable {
 public:
  /// Throws InputError for more than max_tabulated_members members, and where E[f^2] is not one and the same
  /// rho > 0 for all of them; Stopped.
  explicit CorrelationTable(const ConceptClass& members, const StopToken& stop = {});

  /// N, the number of members.
  std::int64_t size() const { return size_; }
  /// 2^bits |E[f g]|.
  std::int64_t absolute(std::int64_t f, std::int64_t g) const {
    return absolute_[static_cast<std::size_t>(f * size_ + g)];
  }
  /// 2^bits E[f^2].
  std::int64_t norm() const { return absolute_.front(); }
  /// E[f^2].
  Rational rho() const { return dyadic(norm(), bits_); }
  /// n of the domain {-1,+1}^n.
  int bits() const { return bits_; }
  /// Are all members orthogonal to each other?
  bool orthogonal() const { return orthogonal_; }

 private:
  int bits_;
  std::int64_t size_;
  std::vector<std::int64_t> absolute_;
  bool orthogonal_ = true;
};

}  // namespace hardhead::sq
