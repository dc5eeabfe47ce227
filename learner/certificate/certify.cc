#include "learner/certificate/certify.h"

#include <cassert>
#include <limits>

#include "attention/forward/matrix_product.h"
#include "attention/forward/token_products.h"

namespace hardhead::learner {

// All of it goes by rows of `count` numbers, one an example: plain vector loops, whatever k is.

void RowFits::project_out(Eigen::Ref<RowMatrix> vectors, Eigen::Ref<RowMatrix> coordinates) const {
  const Index count = pivot.cols(), last = coordinates.rows();
  const auto lower = [&](Index a, Index b) { return factor.row(a * (a + 1) / 2 + b).array(); };
  const auto along = [&](Index a) { return difference.middleCols(a * count, count); };
  const auto c = [&](Index a) { return coordinates.row(a).array(); };
  for (Index a = 0; a < last; ++a) {
    token_products(along(a), vectors, 1, count, coordinates.middleRows(a, 1));
    for (Index b = 0; b < a; ++b) c(a) -= lower(a, b) * c(b);
    c(a) /= lower(a, a);
  }
  for (Index a = last - 1; a >= 0; --a) {
    for (Index b = a + 1; b < last; ++b) c(a) -= lower(b, a) * c(b);
    c(a) /= lower(a, a);
    vectors.array() -= along(a).array().rowwise() * c(a);
  }
}

RowFits fit_rows(const RowMatrix& w_t, const Block& block) {
  RowFits fits;
  fit_rows(w_t, block, fits);
  return fits;
}

void fit_rows(const RowMatrix& w_t, const Block& block, RowFits& fits) {
  constexpr double least_pivot_ratio = 0.1, infinity = std::numeric_limits<double>::infinity();
  const Index d = block.d(), k = block.k, count = block.count, last = k - 1;
  assert(k >= 2);
  const auto token = [&](RowMatrix& matrix, Index a) { return matrix.middleCols(a * count, count); };

  RowMatrix& image = fits.image;
  set_product(image, w_t, block.x);
  fits.rho.resize(d, k * count);
  for (Index r = 0; r < k; ++r) token(fits.rho, r) = block.label(r) - token(image, last);
  fits.difference.resize(d, last * count);
  for (Index a = 0; a < last; ++a) token(fits.difference, a) = token(image, a) - token(image, last);

  fits.factor.resize(last * k / 2, count);
  RowMatrix smallest = RowMatrix::Constant(1, count, infinity), largest = RowMatrix::Zero(1, count);
  const auto lower = [&](Index a, Index b) { return fits.factor.row(a * (a + 1) / 2 + b).array(); };
  for (Index a = 0; a < last; ++a) {
    for (Index b = 0; b <= a; ++b) {
      token_products(token(fits.difference, a), token(fits.difference, b), 1, count,
                     fits.factor.middleRows(a * (a + 1) / 2 + b, 1));
      for (Index c = 0; c < b; ++c) lower(a, b) -= lower(a, c) * lower(b, c);
      if (b < a)
        lower(a, b) /= lower(b, b);
      else
        lower(a, a) = lower(a, a).sqrt();
    }
    // Where the factor breaks down the pivot is 0 or NaN.
    smallest = (lower(a, a) > 0).select(smallest.array().min(lower(a, a)), 0.0);
    largest = largest.array().max(lower(a, a));
  }
  fits.pivot = (smallest.array() > least_pivot_ratio * largest.array()).select(smallest, 0.0);

  fits.pattern.resize(k, k * count);
  fits.residual.resize(1, k * count);
  for (Index r = 0; r < k; ++r) {
    auto p = token(fits.pattern, r);
    fits.project_out(token(fits.rho, r), p.topRows(last));
    p.row(last) = 1 - p.topRows(last).array().colwise().sum();
    token_products(token(fits.rho, r), token(fits.rho, r), 1, count, token(fits.residual, r));
  }
  fits.residual = fits.residual.cwiseSqrt();
}

double row_fits_bytes(Index d, Index k) {
  const Index of_token = 3 * d + k + 1, of_example = k * k / 2 + 3;
  return 8 * static_cast<double>(block_size * (of_token * k + of_example));
}

}  // namespace hardhead::learner
