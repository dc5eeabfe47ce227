#include "learner/certificate/certify.h"
#include "base/numeric/decompositions.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/learner/nice_source.h"

namespace hardhead::learner {
namespace {

using attention::Block;
using attention::Index;
using attention::Matrix;
using attention::RowMatrix;
using attention::Vector;
using testing::block_of;
using testing::NiceSource;

// Images of the tokens of example n, d x k, and their differences from the last one.
Matrix images_of(const Matrix& w_sum, const Block& block, Index n) {
  Matrix images(block.d(), block.k);
  for (Index a = 0; a < block.k; ++a) images.col(a) = w_sum.transpose() * block.x.col(block.column(a, n));
  return images;
}
Matrix differences_of(const Matrix& images) {
  return images.leftCols(images.cols() - 1).colwise() - images.col(images.cols() - 1);
}

TEST(Certify, EveryRowIsTheLeastSquaresFitOfHouseholderQr) {
  for (const char* spec : {"nice:d=8,k=2,m=2", "nice:d=8,k=4,m=2", "nice:d=12,k=3,m=3,inputs=gaussian"}) {
    const NiceSource nice(spec);
    const Block block = block_of(nice, 50);
    const Matrix w_sum = nice.layer().w_sum();
    const RowFits fits = fit_rows(w_sum.transpose(), block);
    Index well_posed = 0;
    for (Index n = 0; n < block.count; ++n) {
      if (fits.pivot(0, n) == 0) continue;
      ++well_posed;
      const Matrix images = images_of(w_sum, block, n), differences = differences_of(images);
      for (Index r = 0; r < block.k; ++r) {
        const Index column = block.column(r, n);
        const Vector label = block.y.col(column), p = fits.pattern.col(column);
        const Vector expected = least_squares(differences, Vector(label - images.col(block.k - 1)));
        const Vector rho = label - images * p;
        EXPECT_LT((p.head(block.k - 1) - expected).norm(), 1e-11) << spec;
        EXPECT_NEAR(p.sum(), 1, 1e-13) << spec;
        EXPECT_LT((fits.rho.col(column) - rho).norm(), 1e-13 * (1 + label.norm())) << spec;
        EXPECT_NEAR(fits.residual(0, column), rho.norm(), 1e-13 * (1 + label.norm())) << spec;
      }
    }
    EXPECT_GT(well_posed, 25) << spec;
  }
}

TEST(Certify, OneHeadIsFittedExactlyByItsPattern) {
  const NiceSource nice("nice:d=8,k=3,m=1");
  const Block block = block_of(nice, 50);
  const attention::Head& head = nice.layer().heads[0];
  const RowFits fits = fit_rows(head.w.transpose(), block);
  for (Index n = 0; n < block.count; ++n) {
    if (fits.pivot(0, n) == 0) continue;
    for (Index r = 0; r < 3; ++r) {
      const Index column = block.column(r, n);
      Vector p(3);
      for (Index a = 0; a < 3; ++a)
        p(a) = std::exp(block.x.col(column).dot(head.theta * block.x.col(block.column(a, n))));
      p /= p.sum();
      EXPECT_LT((fits.pattern.col(column) - p).norm(), 1e-12);
      EXPECT_LT(fits.residual(0, column), 1e-13 * (1 + block.y.col(column).norm()));
    }
  }
}

TEST(Certify, TakesOutTheProjectionOnTheDifferences) {
  const NiceSource nice("nice:d=8,k=4,m=2");
  const Block block = block_of(nice, 20);
  const Matrix w_sum = nice.layer().w_sum();
  const RowFits fits = fit_rows(w_sum.transpose(), block);
  const RowMatrix before = block.token(2);
  RowMatrix after = before, coordinates(3, block.count);
  fits.project_out(after, coordinates);
  for (Index n = 0; n < block.count; ++n) {
    if (fits.pivot(0, n) == 0) continue;
    const Matrix differences = differences_of(images_of(w_sum, block, n));
    EXPECT_LT((differences.transpose() * after.col(n)).norm(), 1e-12);
    EXPECT_LT((before.col(n) - after.col(n) - differences * coordinates.col(n)).norm(), 1e-12);
  }
}

TEST(Certify, ExamplesWhoseDifferencesTellNoPatternAreNotWellPosed) {
  const NiceSource nice("nice:d=8,k=3,m=2");
  Block block = block_of(nice, 20);
  EXPECT_EQ(fit_rows(RowMatrix::Zero(8, 8), block).pivot.maxCoeff(), 0) << "W_sum = 0";
  block.x.col(block.column(1, 5)) = block.x.col(block.column(0, 5));
  EXPECT_EQ(fit_rows(nice.layer().w_sum().transpose(), block).pivot(0, 5), 0) << "two tokens alike";
}

}  // namespace
}  // namespace hardhead::learner
