#include "learner/fits/recycled_directions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/numeric/decompositions.h"
#include "base/numeric/random.h"

namespace hardhead::learner {
namespace {

using attention::Index;
using attention::Matrix;
using attention::Vector;

constexpr Index rows = 10, cols = 6, size = rows * cols;

/// M = scale I.
struct Scaled final : Linearised::Preconditioner {
  double scale;
  explicit Scaled(double by) : scale(by) {}
  Stacked apply(const Stacked& v) const override { return scale * v; }
  Stacked solve(const Stacked& v) const override { return v / scale; }
};

Stacked random_stack(std::uint64_t item) {
  std::vector<double> numbers(static_cast<std::size_t>(size));
  Stream(Domain::learner, 1, "recycled directions test").normals(item, numbers);
  return Eigen::Map<const Stacked>(numbers.data(), rows, cols);
}

/// Symmetric and positive definite, with eigenvalues from 1 to 1e3.
class Problem {
 public:
  Problem() : a_(size, size) {
    for (Index i = 0; i < size; ++i) a_.col(i) = random_stack(static_cast<std::uint64_t>(i)).reshaped();
    const Matrix q = householder_q(a_);
    Vector eigenvalues(size);
    for (Index i = 0; i < size; ++i)
      eigenvalues(i) = std::pow(10, 3 * static_cast<double>(i) / static_cast<double>(size - 1));
    a_ = q * eigenvalues.asDiagonal() * q.transpose();
  }
  Stacked times(const Stacked& v) const {
    Stacked out(rows, cols);
    out.reshaped() = a_ * v.reshaped();
    return out;
  }

 private:
  Matrix a_;
};

double inner(const Stacked& a, const Stacked& b) {
  return a.cwiseProduct(b).sum();
}

/// Steps of conjugate gradients until the residual is 1e-6 of what it was.
int conjugate_gradients(const Problem& problem, Stacked residual, const Scaled& m,
                        RecycledDirections& recycled) {
  int steps = 0;
  Stacked z = recycled.solve(m, residual), direction = z;
  double rz = inner(residual, z);
  const double enough = 1e-12 * rz;
  while (rz > enough) {
    const Stacked image = problem.times(direction);
    const double curvature = inner(direction, image);
    recycled.add(direction, image, curvature);
    residual -= rz / curvature * image;
    z = recycled.solve(m, residual);
    const double next = inner(residual, z);
    direction = z + next / rz * direction;
    rz = next;
    ++steps;
  }
  recycled.end_run();
  return steps;
}

TEST(RecycledDirections, AreThePreconditionerWhereThereAreNone) {
  const Scaled m(4);
  const Stacked r = random_stack(100);
  EXPECT_EQ(RecycledDirections(size).solve(m, r), m.solve(r));
}

TEST(RecycledDirections, InvertTheMatrixOnTheirSpan) {
  const Problem problem;
  const Scaled m(3);
  RecycledDirections recycled(size);
  std::vector<Stacked> span;
  for (std::uint64_t item = 101; item < 109; ++item) {
    Stacked direction = random_stack(item);
    for (int twice = 0; twice < 2; ++twice)
      for (const Stacked& s : span)
        direction -= inner(direction, problem.times(s)) / inner(s, problem.times(s)) * s;
    const Stacked image = problem.times(direction);
    recycled.add(direction, image, inner(direction, image));
    span.push_back(direction);
  }
  recycled.end_run();
  for (const Stacked& s : span) EXPECT_LT((recycled.solve(m, problem.times(s)) - s).norm(), 1e-8 * s.norm());
}

TEST(RecycledDirections, AreSymmetricAndPositiveAlsoWhereTheyAreNotConjugateAndWhereThereAreMany) {
  const Problem problem;
  const Scaled m(3);
  RecycledDirections recycled(size);
  for (std::uint64_t item = 200; item < 300; ++item) {
    const Stacked direction = random_stack(item), image = problem.times(direction);
    recycled.add(direction, image, inner(direction, image));
  }
  recycled.end_run();
  const Stacked a = random_stack(300), b = random_stack(301), of_a = recycled.solve(m, a),
                of_b = recycled.solve(m, b);
  EXPECT_NEAR(inner(a, of_b), inner(b, of_a), 1e-10 * of_a.norm() * b.norm());
  EXPECT_GT(inner(a, of_a), 0);
  EXPECT_GT(inner(b, of_b), 0);
}

TEST(RecycledDirections, SaveStepsOfTheNextRun) {
  const Problem problem;
  const Scaled m(1);
  RecycledDirections recycled(size);
  const int first = conjugate_gradients(problem, random_stack(400), m, recycled);
  const int second = conjugate_gradients(problem, random_stack(401), m, recycled);
  EXPECT_LT(second, first);
}

}  // namespace
}  // namespace hardhead::learner
