#pragma once
#include <Eigen/Core>
#include <optional>

/// Eigen's decompositions of real matrices in double, each compiled once, in decompositions.cc: a use
/// elsewhere would compile it again, which takes seconds. The bits of a result are Eigen's. No function
/// changes its arguments, and none throws but for memory: entries that are not finite give results that are
/// not.
namespace hardhead {

/// Eigenvalues and eigenvectors of a symmetric matrix: A = V diag(values) V^T, where they are all of them.
struct Eigenpairs {
  Eigen::VectorXd values;   ///< ascending
  Eigen::MatrixXd vectors;  ///< V: orthonormal, column i belongs to value i
};
/// All of the symmetric matrix whose lower triangle is that of `a`.
Eigenpairs symmetric_eigen(const Eigen::MatrixXd& a);
/// The eigenvalues alone, ascending. Their last bits may differ from those of symmetric_eigen().
Eigen::VectorXd symmetric_eigenvalues(const Eigen::MatrixXd& a);

/// Eigenvalues of a square matrix, in no order, and eigenvectors of norm 1, one a column.
struct GeneralEigen {
  Eigen::VectorXcd values;   ///< n of them
  Eigen::MatrixXcd vectors;  ///< n x n; empty if only values were asked for
  bool converged = false;    ///< else neither is right
};
/// By the real Schur form.
GeneralEigen general_eigen(const Eigen::MatrixXd& a);
/// Without eigenvectors.
GeneralEigen general_eigenvalues(const Eigen::MatrixXd& a);

/// Which singular vectors a decomposition has.
enum class SingularVectors {
  none,
  right,  ///< V of min(rows, columns) columns
  thin,   ///< U and V of min(rows, columns) columns
  full,   ///< U and V square
};
/// A = U diag(values) V^T.
struct SingularValues {
  Eigen::VectorXd values;  ///< min(rows, columns) of them, descending
  Eigen::MatrixXd u, v;    ///< orthonormal columns; empty if not asked for
};
/// By Jacobi's method, which takes O(rows columns min(rows, columns)) operations a sweep. (Eigen 3.4's method
/// by divide and conquer is quicker, and can crash on matrices of low rank.)
SingularValues singular_values(const Eigen::MatrixXd& a, SingularVectors vectors);

/// An orthonormal basis of the span of the columns, as many as there are columns: Q of the thin QR
/// decomposition, by Householder's method.
Eigen::MatrixXd orthonormal(const Eigen::MatrixXd& columns);
/// Q of the full QR decomposition, (rows) x (rows), by Householder's method.
Eigen::MatrixXd householder_q(const Eigen::MatrixXd& a);
/// R of the QR decomposition of `a`, which has at least as many rows as columns: upper triangular, (columns)
/// x (columns), by Householder's method. Takes no memory besides `a`.
Eigen::MatrixXd householder_r(Eigen::MatrixXd a);

/// An x that makes |A x - b| least, by QR with column pivoting. If A has dependent columns, some entries of x
/// are 0.
Eigen::MatrixXd least_squares(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);
Eigen::VectorXd least_squares(const Eigen::MatrixXd& a, const Eigen::VectorXd& b);
/// Of all x that make |A x - b| least, the one of least norm. Pivots below `threshold` times the largest
/// count as 0.
Eigen::VectorXd least_norm_least_squares(const Eigen::MatrixXd& a, const Eigen::VectorXd& b,
                                         double threshold);
/// The rank of A up to rounding, by QR with column pivoting.
Eigen::Index numerical_rank(const Eigen::MatrixXd& a);

/// A^-1 b of an invertible A, by LU with partial pivoting.
Eigen::MatrixXd lu_solve(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);
Eigen::VectorXd lu_solve(const Eigen::MatrixXd& a, const Eigen::VectorXd& b);
/// An x with A x = b, if there is one, by LU with complete pivoting.
Eigen::MatrixXd full_lu_solve(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);
/// A^-1, by LU with partial pivoting.
Eigen::MatrixXd inverse(const Eigen::MatrixXd& a);

/// A^-1 b of a symmetric semidefinite A, by L D L^T with pivoting. Reads the lower triangle.
Eigen::MatrixXd ldlt_solve(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);
Eigen::VectorXd ldlt_solve(const Eigen::MatrixXd& a, const Eigen::VectorXd& b);
/// L, lower triangular, with A = L L^T for a symmetric A of which the lower triangle is read. Empty unless A
/// is positive up to rounding.
std::optional<Eigen::MatrixXd> cholesky(const Eigen::MatrixXd& a);
/// A^-1 b from L.
Eigen::MatrixXd cholesky_solve(const Eigen::MatrixXd& l, Eigen::MatrixXd b);
/// Empty unless A is positive and its reciprocal condition number, estimated, is at least `least_rcond`.
std::optional<Eigen::VectorXd> positive_solve(const Eigen::MatrixXd& a, const Eigen::VectorXd& b,
                                              double least_rcond);

}  // namespace hardhead
