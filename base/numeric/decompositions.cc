#include "base/numeric/decompositions.h"

#include <Eigen/Dense>

namespace hardhead {

using Eigen::MatrixXd, Eigen::VectorXd;

// Eigen's pivots and scales are those of largest entries, which an empty matrix has not.

Eigenpairs symmetric_eigen(const MatrixXd& a) {
  if (a.size() == 0) return {VectorXd(0), MatrixXd(0, 0)};
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(a);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

VectorXd symmetric_eigenvalues(const MatrixXd& a) {
  if (a.size() == 0) return VectorXd(0);
  return Eigen::SelfAdjointEigenSolver<MatrixXd>(a, Eigen::EigenvaluesOnly).eigenvalues();
}

GeneralEigen general_eigen(const MatrixXd& a) {
  if (a.size() == 0) return {Eigen::VectorXcd(0), Eigen::MatrixXcd(0, 0), true};
  const Eigen::EigenSolver<MatrixXd> solver(a);
  if (solver.info() != Eigen::Success) return {};
  return {solver.eigenvalues(), solver.eigenvectors(), true};
}

GeneralEigen general_eigenvalues(const MatrixXd& a) {
  if (a.size() == 0) return {Eigen::VectorXcd(0), {}, true};
  const Eigen::EigenSolver<MatrixXd> solver(a, false);
  return {solver.eigenvalues(), {}, solver.info() == Eigen::Success};
}

SingularValues singular_values(const MatrixXd& a, SingularVectors vectors) {
  if (a.size() == 0) {
    const bool full = vectors == SingularVectors::full;
    return {VectorXd(0), MatrixXd::Identity(a.rows(), full ? a.rows() : 0),
            MatrixXd::Identity(a.cols(), full ? a.cols() : 0)};
  }
  unsigned options = 0;
  if (vectors == SingularVectors::right) options = Eigen::ComputeThinV;
  if (vectors == SingularVectors::thin) options = Eigen::ComputeThinU | Eigen::ComputeThinV;
  if (vectors == SingularVectors::full) options = Eigen::ComputeFullU | Eigen::ComputeFullV;
  const Eigen::JacobiSVD<MatrixXd> svd(a, options);
  SingularValues out{svd.singularValues(), {}, {}};
  if (svd.computeU()) out.u = svd.matrixU();
  if (svd.computeV()) out.v = svd.matrixV();
  return out;
}

MatrixXd orthonormal(const MatrixXd& columns) {
  return columns.householderQr().householderQ() * MatrixXd::Identity(columns.rows(), columns.cols());
}

MatrixXd householder_q(const MatrixXd& a) {
  return a.householderQr().householderQ();
}

MatrixXd householder_r(MatrixXd a) {
  const Eigen::HouseholderQR<Eigen::Ref<MatrixXd>> qr(a);
  return qr.matrixQR().topRows(a.cols()).triangularView<Eigen::Upper>();
}

MatrixXd least_squares(const MatrixXd& a, const MatrixXd& b) {
  if (a.size() == 0) return MatrixXd::Zero(a.cols(), b.cols());
  return a.colPivHouseholderQr().solve(b);
}

VectorXd least_squares(const MatrixXd& a, const VectorXd& b) {
  if (a.size() == 0) return VectorXd::Zero(a.cols());
  return a.colPivHouseholderQr().solve(b);
}

VectorXd least_norm_least_squares(const MatrixXd& a, const VectorXd& b, double threshold) {
  if (a.size() == 0) return VectorXd::Zero(a.cols());
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> solver;
  solver.setThreshold(threshold);
  return solver.compute(a).solve(b);
}

Eigen::Index numerical_rank(const MatrixXd& a) {
  return a.size() == 0 ? 0 : a.colPivHouseholderQr().rank();
}

MatrixXd lu_solve(const MatrixXd& a, const MatrixXd& b) {
  return a.partialPivLu().solve(b);
}

VectorXd lu_solve(const MatrixXd& a, const VectorXd& b) {
  return a.partialPivLu().solve(b);
}

MatrixXd full_lu_solve(const MatrixXd& a, const MatrixXd& b) {
  if (a.size() == 0) return MatrixXd(0, b.cols());
  return a.fullPivLu().solve(b);
}

MatrixXd inverse(const MatrixXd& a) {
  return a.inverse();
}

MatrixXd ldlt_solve(const MatrixXd& a, const MatrixXd& b) {
  return a.ldlt().solve(b);
}

VectorXd ldlt_solve(const MatrixXd& a, const VectorXd& b) {
  return a.ldlt().solve(b);
}

std::optional<MatrixXd> cholesky(const MatrixXd& a) {
  const Eigen::LLT<MatrixXd> factor(a);
  if (factor.info() != Eigen::Success) return std::nullopt;
  return factor.matrixL();
}

MatrixXd cholesky_solve(const MatrixXd& l, MatrixXd b) {
  l.triangularView<Eigen::Lower>().solveInPlace(b);
  l.transpose().triangularView<Eigen::Upper>().solveInPlace(b);
  return b;
}

std::optional<VectorXd> positive_solve(const MatrixXd& a, const VectorXd& b, double least_rcond) {
  const Eigen::LDLT<MatrixXd> factor(a);
  if (!factor.isPositive() || factor.rcond() < least_rcond) return std::nullopt;
  return factor.solve(b);
}

}  // namespace hardhead
