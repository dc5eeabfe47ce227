#pragma once
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "sq/concepts/concept.h"

namespace hardhead::sq {

/// The members of a class that no answer has ruled out yet: kept by the adversary and by learners alike.
class VersionSpace {
 public:
  /// Members 0 .. members - 1, all of them left.
  explicit VersionSpace(std::int64_t members) : left_(static_cast<std::size_t>(members)) {
    std::iota(left_.begin(), left_.end(), 0);
  }

  /// Indices, ascending.
  const std::vector<std::int64_t>& left() const { return left_; }
  /// How many are left.
  std::int64_t size() const { return static_cast<std::int64_t>(left_.size()); }

  /// The members left for which keep(Mean) holds; changes nothing. Most members of a class have one and the
  /// same mean, which is judged once.
  template <class Keep>
  std::vector<std::int64_t> kept(const ClassMeans& means, const Keep& keep) const {
    std::vector<std::int64_t> out;
    std::int64_t judged = means.null;
    bool keeps = keep(means.null_mean());
    for (const std::int64_t f : left_) {
      if (const std::int64_t mean = means.members[static_cast<std::size_t>(f)]; mean != judged) {
        judged = mean;
        keeps = keep(means.mean(f));
      }
      if (keeps) out.push_back(f);
    }
    return out;
  }

  /// `left`: indices, ascending, as kept() gives them.
  void set_left(std::vector<std::int64_t> left) { left_ = std::move(left); }

 private:
  std::vector<std::int64_t> left_;
};

}  // namespace hardhead::sq
