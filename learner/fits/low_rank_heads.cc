#include "learner/fits/low_rank_heads.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "base/numeric/decompositions.h"

namespace hardhead::learner {
namespace {

constexpr int most_projections = 100, power_steps = 20;
constexpr double converged = 1e-3;    // change of the coefficients, of norm 1, in a projection
constexpr double most_overlap = 0.7;  // of the coefficients of two heads
constexpr int most_tries = 3;         // for each head
constexpr int most_searches = 20;
// Of a search over the one before it, relative: where other examples show all heads, and where some may yet
// come out of the noise, slowly at first.
constexpr double least_gain = 0.01, least_gain_of_weak = 0.0005;
constexpr double seen_again = 0.3;  // of what a head's values are
// Norms of heads are taken to differ by no more from the median one: shares of W_sum of heads that are not
// found are anything.
constexpr double most_norm_ratio = 3;

// Gaussian matrices, one item of a stream after the other.
class Draws {
 public:
  explicit Draws(const Stream& stream) : stream_(stream) {}
  Matrix gaussian(Index rows, Index columns) {
    std::vector<double> numbers(static_cast<std::size_t>(rows * columns));
    stream_.normals(item_++, numbers);
    return Eigen::Map<const Matrix>(numbers.data(), rows, columns);
  }

 private:
  const Stream& stream_;
  std::uint64_t item_ = 0;
};

// What is left of a vector beside some orthonormal ones, of norm 1.
Vector beside(const Matrix& basis, Vector vector) {
  vector -= basis * (basis.transpose() * vector);
  return vector.normalized();
}

// An orthonormal basis of the leading left singular space of a matrix, nearly.
Matrix leading_space(const Matrix& matrix, const Matrix& random, const StopToken& stop) {
  Matrix space = orthonormal(random);
  for (int step = 0; step < power_steps && space.cols() < space.rows(); ++step) {
    stop.check();
    space = orthonormal(matrix * (matrix.transpose() * space));
  }
  return space;
}

// A matrix in the span of `forms` and its leading singular spaces: M = left core right^T, nearly.
struct LowRank {
  Vector coefficients;  // of the forms; norm 1
  Matrix left, core, right;

  double kept() const { return core.norm(); }  // of the norm of M, 1
  Matrix matrix() const { return left * core * right.transpose(); }
};

class FormSearch {
 public:
  // Orthonormal forms, columns of d^2 entries.
  FormSearch(const Matrix& forms, Index d, const StopToken& stop) : forms_(forms), d_(d), stop_(stop) {}

  // As many heads as there are forms: near those of an earlier search, in its order, where there was one.
  std::vector<LowRank> heads(Index rank, const std::vector<LowRank>& earlier, Draws& draws) const {
    std::vector<LowRank> found;
    Matrix known(forms_.cols(), 0);
    for (Index i = 0; i < forms_.cols(); ++i) {
      std::optional<LowRank> head;
      if (!earlier.empty()) head = near(earlier[static_cast<std::size_t>(i)], known);
      found.push_back(head ? *std::move(head) : another(known, rank, draws));
      known.conservativeResize(Eigen::NoChange, i + 1);
      known.col(i) = found.back().coefficients;
    }
    return found;
  }

  // Another head than those of these coefficients. Where each try leads to one of them, the first matrix that
  // is orthogonal to them.
  LowRank another(const Matrix& known, Index rank, Draws& draws) const {
    const Matrix basis = known.cols() > 0 ? orthonormal(known) : known;
    std::optional<LowRank> orthogonal;
    for (int tries = 0; tries < most_tries; ++tries) {
      const Vector start = beside(basis, draws.gaussian(forms_.cols(), 1));
      LowRank head = from(start, draws.gaussian(d_, rank), basis);
      if (known.cols() == 0) return head;
      LowRank freed = from(head.coefficients, head.left, Matrix(forms_.cols(), 0));
      if (!is_known(freed, known)) return freed;
      if (!orthogonal) orthogonal = std::move(head);
    }
    return *std::move(orthogonal);
  }

 private:
  // The head that the projection of an earlier one leads to, unless that is one of the known ones.
  std::optional<LowRank> near(const LowRank& earlier, const Matrix& known) const {
    const Vector start = forms_.transpose() * earlier.matrix().reshaped();
    LowRank head = from(start.normalized(), earlier.left, Matrix(forms_.cols(), 0));
    if (is_known(head, known)) return std::nullopt;
    return head;
  }

  static bool is_known(const LowRank& head, const Matrix& known) {
    return known.cols() > 0 && (known.transpose() * head.coefficients).cwiseAbs().maxCoeff() > most_overlap;
  }

  // Alternating projections from these coefficients and a left space, orthogonal to `basis`.
  LowRank from(Vector coefficients, const Matrix& left, const Matrix& basis) const {
    LowRank at{std::move(coefficients), orthonormal(left), {}, {}};
    for (int step = 0; step < most_projections; ++step) {
      turn_spaces(at);
      Vector next = beside(basis, forms_.transpose() * at.matrix().reshaped());
      const double change = (next - at.coefficients).norm();
      at.coefficients = std::move(next);
      if (change < converged) break;
    }
    turn_spaces(at);
    return at;
  }

  // Towards the leading singular spaces of M: a step of the power method on each side.
  void turn_spaces(LowRank& at) const {
    stop_.check();
    Matrix whole(d_, d_);
    whole.reshaped().noalias() = forms_ * at.coefficients;
    at.right = orthonormal(whole.transpose() * at.left);
    at.left = orthonormal(whole * at.right);
    at.core = at.left.transpose() * whole * at.right;
  }

  const Matrix& forms_;
  Index d_;
  StopToken stop_;
};

// The c W_i |Theta_i|, columns of d^2 entries.
Matrix values_of(const MatrixMap& map, const std::vector<LowRank>& heads) {
  const Index d = heads.front().left.rows();
  Matrix units(d * d, static_cast<Index>(heads.size()));
  for (Index i = 0; i < units.cols(); ++i)
    units.col(i) = heads[static_cast<std::size_t>(i)].matrix().reshaped().normalized();
  const Matrix gram = units.transpose() * units;
  return as_columns(map.image(as_stack(units, d))) * inverse(gram);
}

// The coefficients of W_sum in them.
Vector shares_of(const Matrix& w_sum, const Matrix& values) {
  const Matrix gram = values.transpose() * values;
  return lu_solve(gram, Vector(values.transpose() * w_sum.reshaped()));
}

// What a search has found.
struct Found {
  std::vector<LowRank> heads;
  Matrix values;                // values_of()
  std::vector<Matrix> columns;  // V_i
  double kept = 0;              // of the norm of an M, in the mean

  // The values cut off at the rank of their columns.
  Matrix cut_off(Index d) const {
    Matrix out(values.cols() * d, d);
    for (Index i = 0; i < values.cols(); ++i) {
      const Matrix& v = columns[static_cast<std::size_t>(i)];
      out.middleRows(i * d, d) = v * (v.transpose() * values.col(i).reshaped(d, d));
    }
    return out;
  }
};

Found search_space(const MatrixMap& map, const Matrix& space, const Factors& factors,
                   const std::vector<LowRank>& earlier, Draws& draws, const StopToken& stop) {
  const Index d = space.cols();
  const Matrix forms = as_columns(space);
  Found out{FormSearch(forms, d, stop).heads(factors.form, earlier, draws), {}, {}, 0};
  out.values = values_of(map, out.heads);
  for (Index i = 0; i < factors.m; ++i) {
    out.kept += out.heads[static_cast<std::size_t>(i)].kept() / static_cast<double>(factors.m);
    out.columns.push_back(
        leading_space(out.values.col(i).reshaped(d, d), draws.gaussian(d, factors.value), stop));
  }
  return out;
}

// How many heads have much of their values on other examples, too: those of noise have none.
Index standing_out(const MatrixMap& fresh, const Found& found, Index d) {
  const Matrix values = as_columns(found.cut_off(d)), again = values_of(fresh, found.heads);
  Index count = 0;
  for (Index i = 0; i < values.cols(); ++i)
    if (values.col(i).dot(again.col(i)) > seen_again * values.col(i).squaredNorm()) ++count;
  return count;
}

double median(Vector numbers) {
  std::sort(numbers.begin(), numbers.end());
  return numbers(numbers.size() / 2);
}

// Factors of the heads with the signs, and the norms over the median one, that W_sum gives them.
Matrix in_factors(const Found& found, const Matrix& w_sum, const Factors& factors) {
  const Vector shares = shares_of(w_sum, found.values);
  const double middle = median(shares.cwiseAbs());
  Matrix inner(factors.outputs(), w_sum.cols());
  for (Index i = 0; i < factors.m; ++i) {
    const LowRank& head = found.heads[static_cast<std::size_t>(i)];
    const double norm = std::clamp(middle / std::abs(shares(i)), 1 / most_norm_ratio, most_norm_ratio),
                 half = std::sqrt(norm / head.kept());
    inner.middleRows(factors.query(i), factors.form) = half * head.core * head.right.transpose();
    inner.middleRows(factors.key(i), factors.form) = (shares(i) < 0 ? -half : half) * head.left.transpose();
    inner.middleRows(factors.values(i), factors.value) =
        found.columns[static_cast<std::size_t>(i)].transpose();
  }
  return inner;
}

}  // namespace

HeadsSeen low_rank_heads(const FirstLook& look, const Matrix& forms, const Factors& factors,
                         const Stream& stream, const StopToken& stop) {
  const Index d = forms.cols();
  Draws draws(stream);
  Found best = search_space(look.map, forms.topRows(factors.m * d), factors, {}, draws, stop);
  Index count = 0;
  for (int search = 2; search <= most_searches; ++search) {
    const Matrix space = as_stack(orthonormal(as_columns(look.map.adjoint(best.cut_off(d)))), d);
    Found next = search_space(look.map, space, factors, best.heads, draws, stop);
    const double before = best.kept;
    if (next.kept > before || search == 2) best = std::move(next), count = standing_out(look.fresh, best, d);
    const double gain = count == factors.m ? least_gain : least_gain_of_weak;
    // The second search is the first whose space owes its noise to values that are cut off.
    if (search > 2 && best.kept < (1 + gain) * before) break;
  }
  return {in_factors(best, look.w_sum, factors), count};
}

double low_rank_heads_bytes(const Factors& factors, Index d) {
  const auto [m, form, value] = factors;
  // The space twice, units of heads, images, values, those cut off, those of other examples, and copies of
  // them in products and a factorization; a combination of forms with its spaces and what is nearest to it;
  // heads and columns of two searches.
  constexpr double stacks = 12;
  const double square = 8 * static_cast<double>(d * d);
  return stacks * static_cast<double>(m) * square + 6 * square +
         8 * static_cast<double>((2 * m + 8) * d * (2 * form + value));
}

}  // namespace hardhead::learner
