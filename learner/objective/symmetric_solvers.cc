#include "learner/objective/symmetric_solvers.h"

#include <algorithm>

namespace hardhead::learner {
namespace {

constexpr int blocks_in_basis = 24;

// Orthonormal vectors V, and A V.
class Basis {
 public:
  Basis(const SymmetricOperator& a, const Matrix& start)
      : a_(a), vectors_(orthonormal(start)), images_(a.product(vectors_)) {}

  Index size() const { return vectors_.cols(); }

  // What `block` has outside of the basis. Twice, since once loses digits where little is outside.
  void grow(const Matrix& block) {
    Matrix added = block;
    for (int pass = 0; pass < 2; ++pass)
      added = orthonormal(added - vectors_ * (vectors_.transpose() * added).eval());
    const Matrix images = a_.product(added);
    const Index before = size();
    vectors_.conservativeResize(Eigen::NoChange, before + added.cols());
    images_.conservativeResize(Eigen::NoChange, before + added.cols());
    vectors_.rightCols(added.cols()) = added;
    images_.rightCols(added.cols()) = images;
  }

  // Of A on the span of the basis, all of them.
  Eigenpairs on_basis() const {
    const Matrix gram = vectors_.transpose() * images_;
    return symmetric_eigen((gram + gram.transpose()) / 2);
  }

  // To the span of these combinations, which are orthonormal.
  void reduce(const Matrix& combinations) {
    vectors_ = (vectors_ * combinations).eval();
    images_ = (images_ * combinations).eval();
  }

  Matrix combined(const Matrix& combinations) const { return vectors_ * combinations; }
  Matrix images(const Matrix& combinations) const { return images_ * combinations; }

 private:
  const SymmetricOperator& a_;
  Matrix vectors_, images_;
};

}  // namespace

Eigenpairs smallest_eigenpairs(const SymmetricOperator& a, const Matrix& start, const StopToken& stop) {
  constexpr int most_blocks = 200;
  constexpr double tolerance = 3e-3;
  const Index count = start.cols();
  Basis basis(a, start);
  Eigenpairs ritz = basis.on_basis();
  for (int block = 1; block < most_blocks; ++block) {
    stop.check();
    const Matrix wanted = ritz.vectors.leftCols(count);
    const Matrix residuals =
        basis.images(wanted) - basis.combined(wanted) * ritz.values.head(count).asDiagonal();
    if (basis.size() + count > std::min(blocks_in_basis * count, start.rows())) {
      basis.reduce(ritz.vectors.leftCols(std::min(2 * count, basis.size())));
      if (basis.size() + count > start.rows()) break;
    }
    basis.grow(a.precondition(residuals));
    const Vector before = ritz.values.head(count);
    ritz = basis.on_basis();
    if (((before - ritz.values.head(count)).array() <= tolerance * before.array().abs()).all()) break;
  }
  const Matrix wanted = ritz.vectors.leftCols(count);
  return {ritz.values.head(count), basis.combined(wanted)};
}

double smallest_eigenpairs_bytes(Index size, Index count) {
  // The basis and its images, both beside a larger copy, and a few blocks.
  constexpr double blocks = 4 * blocks_in_basis + 8;
  return 8 * blocks * static_cast<double>(size) * static_cast<double>(count);
}

Vector conjugate_gradients(const SymmetricOperator& a, const Vector& b, const StopToken& stop) {
  constexpr int most_steps = 2000;
  constexpr double tolerance = 1e-12;
  Vector x = Vector::Zero(b.size()), residual = b;
  Vector direction = a.precondition(residual);
  double length = residual.dot(direction);
  const double enough = tolerance * tolerance * length;
  for (int step = 0; step < most_steps && length > enough; ++step) {
    stop.check();
    const Vector image = a.product(direction);
    const double curvature = direction.dot(image);
    if (!(curvature > 0)) break;  // rounding is all that is left
    const double along = length / curvature;
    x += along * direction;
    residual -= along * image;
    const Vector preconditioned = a.precondition(residual);
    const double next = residual.dot(preconditioned);
    direction = preconditioned + next / length * direction;
    length = next;
  }
  return x;
}

}  // namespace hardhead::learner
