#include "learner/fits/head_strengths.h"

#include <algorithm>

#include "base/numeric/decompositions.h"

namespace hardhead::learner {
namespace {

constexpr int rounds = (leading_heads_products - 1) / 2;
// Noise alone seldom has neighbouring singular values of a larger ratio (d = 6 .. 32, from 8 times the
// pattern bound of examples on).
constexpr double outstanding_ratio = 1.2;
constexpr double vanishing = 1e-9;  // relative

void append(Matrix& columns, const Matrix& more) {
  columns.conservativeResize(Eigen::NoChange, columns.cols() + more.cols());
  columns.rightCols(more.cols()) = more;
}

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
  std::vector<double> numbers(static_cast<std::size_t>(d * d * count));
  stream.normals(0, numbers);
  Matrix basis = orthonormal(Eigen::Map<const Matrix>(numbers.data(), d * d, count));
  Matrix images = as_columns(map.image(as_stack(basis, d)));
  Index added = count;
  for (int round = 0; round < rounds; ++round) {
    const Matrix back = as_columns(map.adjoint(as_stack(images.rightCols(added), d)));
    added = std::min(count, d * d - basis.cols());
    if (added == 0) break;
    Matrix wider(d * d, basis.cols() + added);
    wider << basis, back.leftCols(added);
    append(basis, orthonormal(wider).rightCols(added));
    append(images, as_columns(map.image(as_stack(basis.rightCols(added), d))));
  }
  const Eigenpairs squares = symmetric_eigen(images.transpose() * images);
  return {squares.values.tail(count).reverse().cwiseMax(0).cwiseSqrt(),
          as_stack(basis * squares.vectors.rightCols(count).rowwise().reverse(), d)};
}

double leading_heads_bytes(Index d, Index count) {
  // The basis and its images, or what a factorization has of the basis with its answer, and the last block
  // as it goes through a product.
  constexpr double blocks = rounds + 1, copies = 5 * blocks + 3;
  return copies * 8 * static_cast<double>(count * d * d);
}

}  // namespace hardhead::learner
