#include "learner/certificate/equations.h"

#include <algorithm>
#include <cmath>

#include "attention/forward/matrix_product.h"
#include "base/numeric/decompositions.h"
#include "base/run/parallel.h"

namespace hardhead::learner {
namespace {

struct CertifiedRow {
  Vector p, log_p, row;  // row is x_r
  Matrix tokens;         // d x k
};

CertifiedRow certified_row(const Harvest& harvest, Index e) {
  const Block& block = harvest.examples;
  CertifiedRow out{harvest.patterns.col(e), {}, {}, Matrix(block.d(), block.k)};
  out.log_p = out.p.array().log();
  out.row = block.x.col(block.column(harvest.rows[static_cast<std::size_t>(e)].row, e));
  for (Index a = 0; a < block.k; ++a) out.tokens.col(a) = block.x.col(block.column(a, e));
  return out;
}

// Rows that products take together.
constexpr Index chunk = 1024;

// The lower triangle of a symmetric matrix, column by column.
Index pairs(Index d) {
  return d * (d + 1) / 2;
}

template <class Output>
void lower_triangle(const Matrix& symmetric, Output&& out) {
  Index at = 0;
  for (Index j = 0; j < symmetric.cols(); ++j)
    for (Index i = j; i < symmetric.rows(); ++i) out(at++) = symmetric(i, j);
}

Eigen::MatrixXi pair_index(Index d) {
  Eigen::MatrixXi index(d, d);
  int at = 0;
  for (Index j = 0; j < d; ++j)
    for (Index i = j; i < d; ++i) index(i, j) = index(j, i) = at++;
  return index;
}

// sum += left right^T, tile by tile: tiles are independent, so the order of each sum never changes.
void add_by_tiles(const Matrix& left, const Matrix& right, const StopToken& stop, Matrix& sum) {
  constexpr Index tile = 64;
  const Index tiles = (sum.rows() + tile - 1) / tile;
  parallel_for_each_index(tiles * tiles, [&](std::int64_t t) {
    stop.check();
    const Index i = t / tiles * tile, j = t % tiles * tile;
    const Index rows = std::min(tile, sum.rows() - i), columns = std::min(tile, sum.cols() - j);
    add_product(sum.block(i, j, rows, columns), left.middleRows(i, rows),
                right.middleRows(j, columns).transpose());
  });
}

}  // namespace

Matrix projection_on_span(const Matrix& gram) {
  constexpr double rounding = 1e-12;  // of squares: tokens may have been computed in single precision
  const Eigenpairs axes = symmetric_eigen(gram);
  const Index seen = (axes.values.array() > rounding * axes.values.mean()).count();
  if (seen == gram.rows()) return Matrix::Identity(seen, seen);
  const auto basis = axes.vectors.rightCols(seen);
  return basis * basis.transpose();
}

void independent_equation_sides(const Harvest& harvest, Index row, Eigen::Ref<Vector> token,
                                Eigen::Ref<Matrix> differences, Eigen::Ref<Vector> right) {
  const CertifiedRow at = certified_row(harvest, row);
  const Index k = at.p.size();
  const Vector s = at.p.cwiseSqrt();
  token = at.row;
  for (Index a = 0; a + 1 < k; ++a) {
    Vector q = -s(a) / (1 + s(k - 1)) * (s + Vector::Unit(k, k - 1));
    q(a) += 1;
    q = q.cwiseProduct(s).eval();  // sums to 0: neither xbar nor the mean of ln p matters
    differences.col(a).noalias() = at.tokens * q;
    right(a) = q.dot(at.log_p);
  }
}

Equations independent_equations(const Harvest& harvest) {
  const Index d = harvest.examples.d(), equations = harvest.examples.k - 1, n = harvest.examples.count;
  Equations out{RowMatrix(n * equations, d * d), Vector(n * equations)};
  parallel_for_each_index(n, [&](std::int64_t e) {
    Vector token(d);
    Matrix differences(d, equations);
    independent_equation_sides(harvest, e, token, differences, out.right.segment(e * equations, equations));
    for (Index a = 0; a < equations; ++a) {
      const Matrix form = token * differences.col(a).transpose();
      out.left.row(e * equations + a) = form.reshaped().transpose();
    }
  });
  return out;
}

Matrix second_moment(const Harvest& harvest, const RunContext& context) {
  const Index d = harvest.examples.d(), n = harvest.examples.count, size = d * d;
  Matrix products = Matrix::Zero(pairs(d), pairs(d));  // of x_r x_r^T with Cov_p(x)
  Matrix mixed = Matrix::Zero(d, d);                   // of x_r with Cov_p(x, ln p)
  double right = 0;                                    // of Var_p(ln p)
  for (Index first = 0; first < n; first += chunk) {
    context.stop.check();
    const Index count = std::min(chunk, n - first);
    Matrix row_forms(pairs(d), count), token_forms(pairs(d), count), rows(d, count), logs(d, count);
    Vector log_variance(count);
    parallel_for_each_index(count, [&](std::int64_t e) {
      const CertifiedRow at = certified_row(harvest, first + e);
      const Matrix centred = at.tokens.colwise() - at.tokens * at.p;
      const Vector log_p = at.log_p.array() - at.p.dot(at.log_p);
      rows.col(e) = at.row;
      lower_triangle(at.row * at.row.transpose(), row_forms.col(e));
      lower_triangle(centred * at.p.asDiagonal() * centred.transpose(), token_forms.col(e));
      logs.col(e) = centred * at.p.cwiseProduct(log_p);
      log_variance(e) = at.p.dot(log_p.cwiseAbs2());
    });
    add_by_tiles(row_forms, token_forms, context.stop, products);
    add_product(mixed, rows, logs.transpose());
    right += log_variance.sum();
  }

  Matrix moment(size + 1, size + 1);
  const Eigen::MatrixXi pair = pair_index(d);
  parallel_for_each_index(size, [&](std::int64_t column) {
    context.stop.check();
    const Index f = column % d, g = column / d;
    for (Index h = 0; h < d; ++h)
      for (Index e = 0; e < d; ++e) moment(e + d * h, column) = products(pair(e, f), pair(h, g));
  });
  moment.col(size).head(size) = -mixed.reshaped();
  moment.row(size).head(size) = -mixed.reshaped().transpose();
  moment(size, size) = right;
  moment /= static_cast<double>(n * harvest.examples.k);
  return moment;
}

void weigh_unseen(Matrix& moment) {
  const auto d = static_cast<Index>(std::sqrt(static_cast<double>(moment.rows())));  // of d^2 or d^2 + 1
  Matrix rows = Matrix::Zero(d, d), columns(d, d);  // the moment's partial traces
  for (Index h = 0; h < d; ++h) {
    rows += moment.block(d * h, d * h, d, d);
    for (Index g = 0; g < d; ++g) columns(h, g) = moment.block(d * h, d * g, d, d).trace();
  }
  const Matrix p = projection_on_span(rows), q = projection_on_span(columns), all = Matrix::Identity(d, d);
  if (p == all && q == all) return;
  const double mean = rows.trace() / static_cast<double>(d * d);
  for (Index h = 0; h < d; ++h)
    for (Index g = 0; g < d; ++g) moment.block(d * h, d * g, d, d) -= mean * q(h, g) * p;
  moment.diagonal().head(d * d).array() += mean;
}

double equation_residual(const Harvest& harvest, const Matrix& theta, const RunContext& context) {
  constexpr std::int64_t polled_every = 64;  // rows
  const Index n = harvest.examples.count;
  Vector squares(n);
  parallel_for_each_index(n, [&](std::int64_t e) {
    if (e % polled_every == 0) context.stop.check();
    const CertifiedRow at = certified_row(harvest, e);
    const Vector error = at.tokens.transpose() * (theta.transpose() * at.row) - at.log_p;
    squares(e) = at.p.dot((error.array() - at.p.dot(error)).square().matrix());
  });
  return std::sqrt(squares.sum() / static_cast<double>(n * harvest.examples.k));
}

double equations_bytes(Index d) {
  return 8 * static_cast<double>(chunk) * static_cast<double>(2 * pairs(d) + 2 * d + 1) +
         4 * static_cast<double>(d * d);
}

}  // namespace hardhead::learner
