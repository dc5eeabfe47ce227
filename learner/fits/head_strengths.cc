#include "learner/fits/head_strengths.h"

#include <algorithm>

#include "base/numeric/decompositions.h"

namespace hardhead::learner {

using namespace attention;

namespace {

constexpr int rounds = (leading_heads_products - 1) / 2;
// Noise alone seldom has neighbouring singular values of a larger ratio (d = 6 .. 32, from 8 times the
// pattern bound of examples on).
constexpr double outstanding_ratio = 1.2;
constexpr double vanishing = 1e-9;  // relative

}  // namespace

Index outstanding_heads(const Vector& strengths) {
  Index count = 0;
  double largest = outstanding_ratio;
  for (Index i = 1; i < strengths.size(); ++i)
    // Values that are 0 say something of the tokens, as where d is 2, and nothing of noise.
    if (strengths(i) > vanishing * strengths(0) && strengths(i - 1) > largest * strengths(i)) {
      largest = strengths(i - 1) / strengths(i);
      count = i;
    }
  return count;
}

LeadingHeads leading_heads(const MatrixMap& map, Index d, Index most, const Stream& stream) {
  const Index count = std::min(most, d * d);
  Matrix basis(d * d, count);
  std::vector<double> numbers(static_cast<std::size_t>(basis.size()));
  stream.normals(0, numbers);
  basis = orthonormal(Eigen::Map<const Matrix>(numbers.data(), d * d, count));
  Matrix image = map.image(as_stack(basis, d));
  for (int round = 0; round < rounds; ++round) {
    basis = orthonormal(as_columns(map.adjoint(image)));
    image = map.image(as_stack(basis, d));
  }
  const Matrix images = as_columns(image);
  const Eigenpairs squares = symmetric_eigen(images.transpose() * images);
  return {squares.values.reverse().cwiseMax(0).cwiseSqrt(),
          as_stack(basis * squares.vectors.rowwise().reverse(), d)};
}

double leading_heads_bytes(Index d, Index count) {
  // The image, the basis, what a factorization has of both, and the answer.
  constexpr double copies = 8;
  return copies * 8 * static_cast<double>(count * d * d);
}

}  // namespace hardhead::learner
