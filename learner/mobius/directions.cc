#include "learner/mobius/directions.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "attention/forward/matrix_product.h"
#include "base/numeric/decompositions.h"
#include "learner/stoppable.h"

namespace hardhead::learner::mobius {
namespace {

// The same numbers for every matrix: nothing that is asked depends on them.
Matrix random_matrix(Index rows, Index columns) {
  const Stream stream(Domain::learner, 0, "mobius directions");
  std::vector<double> numbers(static_cast<std::size_t>(rows * columns));
  stream.normals(0, numbers);
  return Eigen::Map<const Matrix>(numbers.data(), rows, columns);
}

// Leading singular values and right singular vectors of a matrix, and about the norm of what they leave.
struct Leading {
  Vector values;
  Matrix vectors;
  double rest = 0;
};

// |A - Q Q^T A|, from below, by steps of the power method.
double norm_of_rest(const Matrix& a, const Matrix& q, const Matrix& qt_a, Vector x) {
  constexpr int steps = 4;
  double norm = 0;
  for (int step = 0; step < steps; ++step) {
    x /= x.norm();
    Vector left = a * x;
    left -= q * (qt_a * x);
    norm = left.norm();
    if (!(norm > 0)) return norm;
    x = a.transpose() * left;
    x -= qt_a.transpose() * (q.transpose() * left);
  }
  return norm;
}

Leading leading_part(const Matrix& a, Index width) {
  constexpr int powers = 2;
  Matrix product, q, turned;
  set_product(product, a, random_matrix(a.cols(), width));
  q = orthonormal(product);
  for (int power = 0; power <= powers; ++power) {
    set_product(turned, a.transpose(), q);
    if (power == powers) break;
    set_product(product, a, orthonormal(turned));
    q = orthonormal(product);
  }
  const SingularValues svd = singular_values(turned, SingularVectors::thin);
  return {svd.values, svd.u, norm_of_rest(a, q, turned.transpose(), random_matrix(a.cols(), 1))};
}

Leading whole(const Matrix& a, const StopToken& stop) {
  const auto parts = stoppable(jacobi_operations(a.rows(), a.cols()), stop, [&]() -> std::vector<Matrix> {
    const SingularValues svd = singular_values(a, SingularVectors::right);
    return {svd.values, svd.v};
  });
  return {parts[0], parts[1], 0};
}

}  // namespace

Directions directions_of(const Matrix& v, std::optional<Index> stated, double noise, const StopToken& stop) {
  constexpr Index guess = 8, beyond = 8, few = 4;
  constexpr double safely = 0.5;  // the estimate of the rest is from below
  stop.check();
  const auto points = static_cast<double>(v.rows()), features = static_cast<double>(v.cols());
  const double floor = std::max(1e-10 * v.norm(), 4 * noise * (std::sqrt(points) + std::sqrt(features)));
  Directions out{v.colwise().mean(), {}, {}, 0};
  const Matrix centred = v.rowwise() - out.mean;
  const Index full = std::min(v.rows(), v.cols());
  Leading leading;
  for (Index width = stated.value_or(guess) + beyond;; width *= 2) {
    const bool all = few * width > full;
    leading = all ? whole(centred, stop) : leading_part(centred, width);
    if (all || leading.rest <= safely * floor) break;
  }
  out.shown = (leading.values.array() > floor).count();
  const Index count = std::min(full, stated.value_or(out.shown));
  out.deviations = leading.values.head(count) / std::sqrt(points);
  out.basis = leading.vectors.leftCols(count);
  return out;
}

}  // namespace hardhead::learner::mobius
