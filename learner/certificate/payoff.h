#pragma once
#include <algorithm>
#include <cstddef>

namespace hardhead::learner {

/// Whether a step that spares later work on a block of examples, as screening does, is worth while: not where
/// it leaves more than a given share of them. It is then left out for 1, 3, 7, .. and at most 255 blocks
/// before it is tried again. What is computed does not depend on it.
class Payoff {
 public:
  /// For the largest share of a block, 0 .. 1, that may be left.
  explicit Payoff(double most_left) : most_left_(most_left) {}

  /// For the next block.
  bool pays() {
    if (without_ == 0) return true;
    --without_;
    return false;
  }
  /// Says that the step has left `left` of `count` examples.
  void add(std::size_t left, std::size_t count) {
    const bool much = static_cast<double>(left) > most_left_ * static_cast<double>(count);
    pause_ = much ? std::min(2 * pause_ + 1, longest_pause) : 0;
    without_ = pause_;
  }

 private:
  static constexpr int longest_pause = 255;

  double most_left_;
  int pause_ = 0, without_ = 0;  // blocks of the latest pause, and those of it to come
};

}  // namespace hardhead::learner
