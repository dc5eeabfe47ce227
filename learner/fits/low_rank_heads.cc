#include "learner/fits/low_rank_heads.h"

#include <cmath>
#include <vector>

#include "learner/objective/orthonormal.h"

namespace hardhead::learner {

using namespace attention;

namespace {

constexpr int most_projections = 200, power_steps = 20;
constexpr double converged = 1e-5;    // change of the coefficients, of norm 1, in a projection
constexpr int tries_for_each = 4;     // random directions, for each head
constexpr double most_overlap = 0.7;  // of the coefficients of two heads

Matrix gaussian_matrix(const Stream& stream, std::uint64_t item, Index rows, Index columns) {
  std::vector<double> numbers(static_cast<std::size_t>(rows * columns));
  stream.normals(item, numbers);
  return Eigen::Map<const Matrix>(numbers.data(), rows, columns);
}

// A matrix in the span of `forms` and its leading singular spaces: M = left core right^T, nearly.
struct LowRank {
  Vector coefficients;  // of the forms; norm 1
  Matrix left, core, right;
};

class FormSearch {
 public:
  FormSearch(const Matrix& forms, Index m, const StopToken& stop) : forms_(forms), m_(m), stop_(stop) {}

  // Alternating projections from these coefficients and a random left space.
  LowRank from(Vector coefficients, const Matrix& random) const {
    LowRank at{std::move(coefficients), orthonormal(random), {}, {}};
    for (int step = 0; step < most_projections; ++step) {
      turn_spaces(at);
      Vector next(m_);
      for (Index j = 0; j < m_; ++j)
        next(j) = (at.left.transpose() * form(j) * at.right).cwiseProduct(at.core).sum();
      next.normalize();
      const double change = (next - at.coefficients).norm();
      at.coefficients = next;
      if (change < converged) break;
    }
    return at;
  }

  // With these coefficients as they are.
  LowRank with(Vector coefficients, const Matrix& random) const {
    LowRank at{std::move(coefficients), orthonormal(random), {}, {}};
    for (int step = 0; step < power_steps; ++step) turn_spaces(at);
    return at;
  }

 private:
  Eigen::Block<const Matrix> form(Index j) const {
    const Index d = forms_.cols();
    return forms_.block(j * d, 0, d, d);
  }
  // Towards the leading singular spaces of M: a step of the power method on each side.
  void turn_spaces(LowRank& at) const {
    stop_.check();
    const Matrix whole = combination(at.coefficients);
    at.right = orthonormal(whole.transpose() * at.left);
    at.left = orthonormal(whole * at.right);
    at.core = at.left.transpose() * whole * at.right;
  }
  Matrix combination(const Vector& coefficients) const {
    Matrix out = coefficients(0) * form(0);
    for (Index j = 1; j < m_; ++j) out += coefficients(j) * form(j);
    return out;
  }

  const Matrix& forms_;
  Index m_;
  StopToken stop_;
};

// What is left of a vector beside the rows of a matrix, of norm 1.
Vector beside(const Matrix& rows, Index count, Vector vector) {
  if (count > 0) {
    const Matrix basis = orthonormal(rows.topRows(count).transpose());
    vector -= basis * (basis.transpose() * vector);
  }
  return vector.normalized();
}

// As many heads as there are; coefficients in the rows of R.
std::vector<LowRank> find(const FormSearch& search, Index m, Index rank, Index d, const Stream& stream,
                          Matrix& r) {
  std::vector<LowRank> found;
  r.resize(m, m);
  std::uint64_t item = 0;
  for (Index tries = 0; static_cast<Index>(found.size()) < m; ++tries) {
    const auto count = static_cast<Index>(found.size());
    const Vector start = beside(r, count, gaussian_matrix(stream, item, m, 1));
    LowRank head = search.from(start, gaussian_matrix(stream, item + 1, d, rank));
    item += 2;
    const bool again =
        count > 0 && (r.topRows(count) * head.coefficients).cwiseAbs().maxCoeff() > most_overlap;
    if (again && tries < tries_for_each * m) continue;
    // Where none is found, any direction that is left.
    if (again) head = search.with(start, gaussian_matrix(stream, item++, d, rank));
    r.row(count) = head.coefficients.transpose();
    found.push_back(std::move(head));
  }
  return found;
}

}  // namespace

Matrix low_rank_heads(const LeadingHeads& heads, const Factors& factors, const Stream& stream,
                      const StopToken& stop) {
  const auto [m, form, value] = factors;
  const Index d = heads.forms.cols();
  Matrix coefficients;
  const std::vector<LowRank> found = find({heads.forms, m, stop}, m, form, d, stream, coefficients);
  const Matrix inverse = coefficients.partialPivLu().inverse();
  Matrix inner(factors.outputs(), d);
  for (Index i = 0; i < m; ++i) {
    const LowRank& head = found[static_cast<std::size_t>(i)];
    const double half = 1 / std::sqrt(head.core.norm());
    inner.middleRows(factors.query(i), form) = half * head.core * head.right.transpose();
    inner.middleRows(factors.key(i), form) = half * head.left.transpose();
    Matrix w = Matrix::Zero(d, d);
    for (Index j = 0; j < m; ++j)
      w += heads.strengths(j) * inverse(j, i) * heads.projections.middleRows(j * d, d);
    Matrix columns =
        orthonormal(gaussian_matrix(stream, 1'000'000 + static_cast<std::uint64_t>(i), d, value));
    for (int step = 0; step < power_steps && value < d; ++step) {
      stop.check();
      columns = orthonormal(w * (w.transpose() * columns));
    }
    inner.middleRows(factors.values(i), value) = columns.transpose();
  }
  return inner;
}

}  // namespace hardhead::learner
