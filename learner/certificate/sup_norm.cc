#include "learner/certificate/sup_norm.h"

#include <ClpSimplex.hpp>
#include <algorithm>
#include <cassert>
#include <cmath>

#include "learner/recorder.h"
#include "learner/stoppable.h"

namespace hardhead::learner {
namespace {

// min over q in R^{k-1} of || rho - D q ||_inf, q_a >= -room_a, sum_a q_a <= room_k, by its dual: with
// multipliers u, w >= 0 of the two signs of the d residuals and l >= 0 of the k bounds,
//
//     max (u - w)^T rho - room^T l   over   D^T (u - w) + l_a - l_k = 0 for a < k,   sum (u + w) = 1,
//
// whose own multipliers are q and the least residual: k rows for Clp instead of 2 d.
class Programme {
 public:
  Programme(Index d, Index k) : d_(d), k_(k), columns_(2 * d + k) {
    std::vector<int> rows;
    std::vector<CoinBigIndex> starts{0};
    std::vector<double> elements;
    const auto put = [&](Index row, double element) {
      rows.push_back(static_cast<int>(row));
      elements.push_back(element);
    };
    const auto end_column = [&] { starts.push_back(static_cast<CoinBigIndex>(rows.size())); };
    for (Index column = 0; column < 2 * d; ++column) {  // u, then w; solve() puts D in
      for (Index a = 0; a < k; ++a) put(a, 1);
      end_column();
    }
    for (Index a = 0; a < k - 1; ++a) {
      put(a, 1);
      end_column();
    }
    for (Index a = 0; a < k - 1; ++a) put(a, -1);
    end_column();
    // Both the lower bounds and the costs.
    const std::vector<double> zeros(static_cast<std::size_t>(columns_), 0.0);
    const std::vector<double> upper(static_cast<std::size_t>(columns_), COIN_DBL_MAX);
    std::vector<double> right(static_cast<std::size_t>(k), 0.0);
    right.back() = 1;
    clp_.setLogLevel(0);
    // A degenerate programme can cycle.
    clp_.setMaximumIterations(static_cast<int>(100 * columns_));
    clp_.scaling(0);  // the programme comes scaled
    clp_.loadProblem(static_cast<int>(columns_), static_cast<int>(k), starts.data(), rows.data(),
                     elements.data(), zeros.data(), upper.data(), zeros.data(), right.data(), right.data());
  }

  // Writes the optimal q (k - 1) and returns the least residual, or infinity if Clp did not find it. Entries
  // of `rho` and `differences` should be of the order of 1.
  double solve(const Matrix& differences, const Vector& rho, const Vector& room, Vector& q) {
    double* elements = clp_.matrix()->getMutableElements();
    double* cost = clp_.objective();
    for (Index f = 0; f < d_; ++f) {
      for (Index a = 0; a < k_ - 1; ++a) {
        // What is zero to Clp (1e-20 and less) it drops from its matrix: all other places would shift.
        const double element =
            std::abs(differences(f, a)) > least_element ? differences(f, a) : least_element;
        elements[f * k_ + a] = element;
        elements[(d_ + f) * k_ + a] = -element;
      }
      cost[f] = -rho(f);
      cost[d_ + f] = rho(f);
    }
    for (Index a = 0; a < k_; ++a) cost[2 * d_ + a] = room(a);
    clp_.setWhatsChanged(0);
    clp_.allSlackBasis();
    clp_.primal();
    if (!clp_.isProvenOptimal()) return INFINITY;
    q = -Eigen::Map<const Vector>(clp_.getRowPrice(), k_ - 1);
    const double residual = (rho - differences * q).cwiseAbs().maxCoeff();
    // The dual's value is a lower bound.
    return residual <= -clp_.objectiveValue() + 1e-6 ? residual : INFINITY;
  }

 private:
  static constexpr double least_element = 1e-18;

  Index d_, k_, columns_;
  ClpSimplex clp_;
};

// Around the least-squares pattern p, in units in which differences and residual are of the order of 1.
// Overwrites p by the optimal pattern.
double solve_row(Programme& programme, const Matrix& images, const Vector& label, Eigen::Ref<Vector> p) {
  constexpr double far = 1e6;  // bounds beyond it do not bind: the optimal q is of the order of 10
  constexpr double rounding = 1e-13;
  const Index last = p.size() - 1;
  const Matrix differences = images.leftCols(last).colwise() - images.col(last);
  const Vector rho = label - images * p;
  const double length = differences.cwiseAbs().maxCoeff(), misfit = rho.cwiseAbs().maxCoeff();
  // Rounding errors of an exact fit leave nothing to gain.
  if (p.minCoeff() >= 0 && misfit <= rounding * (label.cwiseAbs().maxCoeff() + length)) return misfit;
  const double unit = std::max(misfit, -length * p.minCoeff());
  Vector q(last);
  const double residual =
      programme.solve(differences / length, rho / unit, (p * (length / unit)).cwiseMin(far), q);
  if (residual == INFINITY) return INFINITY;
  q *= unit / length;
  p.head(last) += q;
  p(last) -= q.sum();
  return residual * unit;
}

}  // namespace

SupNormFits sup_norm_fits(const RowMatrix& w_t, const Block& block, const std::vector<Index>& rows,
                          const RunContext& context, std::string_view phase) {
  const Index d = block.d(), k = block.k, count = block.count;
  assert(static_cast<Index>(rows.size()) == count);
  SupNormFits out{Vector(count), Matrix(k, count)};
  if (count == 0) return out;
  const RowFits fits = fit_rows(w_t, block);
  const auto solve_rows = [&](const std::function<void(double)>& progress) -> std::vector<Matrix> {
    Programme programme(d, k);
    Matrix images(d, k);
    for (Index e = 0; e < count; ++e) {
      if (e % 256 == 0) progress(static_cast<double>(e) / static_cast<double>(count));
      const Index column = block.column(rows[static_cast<std::size_t>(e)], e);
      out.pattern.col(e) = fits.pattern.col(column);
      for (Index a = 0; a < k; ++a) images.col(a) = fits.image.col(block.column(a, e));
      out.residual(e) = fits.pivot(0, e) > 0
                            ? solve_row(programme, images, block.y.col(column), out.pattern.col(e))
                            : INFINITY;
    }
    return {out.residual, out.pattern};
  };
  const std::vector<Matrix> found =
      errors_as<InsufficientData>([&] { return matrices_by_child(solve_rows, context, phase); });
  return {found[0], found[1]};
}

RowMatrix sup_norm_bounds(const RowFits& fits, double floor) {
  const Index d = fits.rho.rows(), k = fits.pattern.rows(), count = fits.pivot.cols(), last = k - 1;
  const auto lower = [&](Index a, Index b) { return fits.factor.row(a * (a + 1) / 2 + b).array(); };
  // 1 / h_a^2 is entry (a, a) of the inverse Gram matrix, ||L^-1 e_a||^2; for token k it is ||L^-1 1||^2.
  RowMatrix inverse2 = RowMatrix::Zero(k, count), z(last, count);
  for (Index a = 0; a < k; ++a)
    for (Index b = 0; b < last; ++b) {
      z.row(b).setConstant(a == last || a == b ? 1 : 0);
      for (Index c = 0; c < b; ++c) z.row(b).array() -= lower(b, c) * z.row(c).array();
      z.row(b).array() /= lower(b, b);
      inverse2.row(a) += z.row(b).cwiseAbs2();
    }
  RowMatrix bounds(1, k * count), u(d, count), coordinates(last, count);
  for (Index r = 0; r < k; ++r) {
    const auto of_row = [&](const RowMatrix& matrix) { return matrix.middleCols(r * count, count).array(); };
    const RowMatrix cost2 =
        ((floor - of_row(fits.pattern)).max(0.0).square() / inverse2.array()).colwise().maxCoeff();
    const RowMatrix euclidean =
        ((of_row(fits.residual).square() + cost2.array()) / static_cast<double>(d)).sqrt();
    u = of_row(fits.rho).cube();
    fits.project_out(u, coordinates);
    const RowMatrix height = (u.array() * of_row(fits.rho)).colwise().sum(),
                    length = u.cwiseAbs().colwise().sum();
    const RowMatrix dual = (length.array() > 0).select(height.array() / length.array(), 0.0);
    bounds.middleCols(r * count, count) =
        (fits.pivot.array() > 0).select(euclidean.array().max(dual.array()), INFINITY);
  }
  return bounds;
}

double predicted_sup_norm_seconds(std::int64_t keep, Index d, Index k) {
  return 4e-6 * static_cast<double>(keep) * (8 + 0.5 * static_cast<double>(d) + 3 * static_cast<double>(k));
}

}  // namespace hardhead::learner
