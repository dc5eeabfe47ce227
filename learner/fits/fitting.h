#pragma once
#include <cstdint>
#include <vector>

#include "base/numeric/random.h"
#include "learner/method.h"

namespace hardhead::learner {

// What the learners share that fit all of (Theta, W) at once from random starts.

/// Relative squared error on held-back examples up to which they count as predicted exactly. Labels are
/// exact, so a recovered layer is far below it and a wrong one far above.
inline constexpr double exact_prediction = 1e-12;

/// Examples 0 .. fitted - 1 are fitted, the held_back after them choose between starts and judge the result.
struct Split {
  std::int64_t fitted, held_back;  ///< examples
};

/// A tenth is held back, at least 1.
Split split(std::int64_t examples);

/// Most examples that stream_split() holds back.
inline constexpr std::int64_t most_held_back = 2000;
/// As split(), but most_held_back at most: for learners that take more examples than are needed to judge
/// them.
Split stream_split(std::int64_t examples);

/// Examples for a fit: oversampling times the least number that can determine it, and at least `floor`, which
/// cost next to nothing at sizes where those are few.
std::int64_t examples_for(std::int64_t least, double oversampling, std::int64_t floor = 1000);
/// The same for m heads, with the larger of counting_bound and pattern_bound.
std::int64_t examples_for(Index d, Index k, Index m, double oversampling);

/// The ladder of a learner with the options `oversampling` and `student`: a rung for each oversampling, with
/// the learner's own number of heads (0) on the first and with that and 16 heads on all others.
std::vector<Rung> oversampling_ladder(const Spec& method, const std::vector<int>& oversamplings);

/// m Gaussian d x d matrices of Frobenius norm `norm`: item `item` of the stream.
std::vector<Matrix> random_thetas(const Stream& stream, std::uint64_t item, Index d, Index m, double norm);

/// The Theta_i of a start, item `item` of the stream. Even starts have those of random_thetas(). Odd ones
/// have them eight times as long, with entries off the diagonal of a twentieth: there, layers that compare
/// tokens feature by feature, such as parity layers, are within reach (gradient/student.h).
std::vector<Matrix> start_thetas(const Stream& stream, std::uint64_t item, Index d, Index m, double norm,
                                 int start);

}  // namespace hardhead::learner
