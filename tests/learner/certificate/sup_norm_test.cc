#include "learner/certificate/sup_norm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "attention/forward/forward.h"
#include "learner/certificate/harvest.h"
#include "learner/certificate/row_content.h"
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

// Fits of row `row` of every example.
SupNormFits fits_of(const Block& block, const Matrix& w_sum, Index row) {
  const std::vector<Index> rows(static_cast<std::size_t>(block.count), row);
  return sup_norm_fits(w_sum.transpose(), block, rows, RunContext{}, "test");
}

double residual_of(const Block& block, const Matrix& w_sum, Index row, Index example, const Vector& p) {
  Vector rest = block.y.col(block.column(row, example));
  for (Index a = 0; a < block.k; ++a)
    rest -= p(a) * (w_sum.transpose() * block.x.col(block.column(a, example)));
  return rest.cwiseAbs().maxCoeff();
}

// Least f on [0, 1] for convex f.
template <class F>
double golden_section(const F& f) {
  const double ratio = (std::sqrt(5.0) - 1) / 2;
  double low = 0, high = 1;
  for (int i = 0; i < 100; ++i) {
    const double left = high - ratio * (high - low), right = low + ratio * (high - low);
    if (f(left) < f(right))
      high = right;
    else
      low = left;
  }
  return std::min({f(low), f(0), f(1)});
}

TEST(SupNorm, OfTwoTokensIsTheLeastOnASegment) {
  const NiceSource nice("nice:d=16,k=2,m=3");
  const Block block = block_of(nice, 300);
  // A W_sum that is far off puts many optima on the ends of the segment.
  for (const Matrix& w_sum : {nice.layer().w_sum(), Matrix(Matrix::Identity(16, 16) * 0.2)}) {
    const SupNormFits fits = fits_of(block, w_sum, 1);
    double worst = 0;
    int at_end = 0;
    for (Index e = 0; e < block.count; ++e) {
      if (std::isinf(fits.residual(e))) continue;
      const Vector p = fits.pattern.col(e);
      const double least = golden_section(
          [&](double first) { return residual_of(block, w_sum, 1, e, Vector{{first, 1 - first}}); });
      EXPECT_NEAR(p.sum(), 1, 1e-12);
      EXPECT_GE(p.minCoeff(), -1e-9);
      worst = std::max(worst, std::abs(fits.residual(e) - least) / least);
      worst = std::max(worst, std::abs(residual_of(block, w_sum, 1, e, p) - least) / least);
      at_end += p.minCoeff() < 1e-9;
    }
    RecordProperty("largest relative error", std::to_string(worst));
    EXPECT_LT(worst, 1e-6);
    EXPECT_GT(at_end, 0);
  }
}

TEST(SupNorm, IsNoMoreThanAnyOtherPatterns) {
  const NiceSource nice("nice:d=16,k=4,m=2,inputs=gaussian");
  const Block block = block_of(nice, 100);
  const Matrix w_sum = nice.layer().w_sum();
  const SupNormFits fits = fits_of(block, w_sum, 2);
  const Stream stream(Domain::learner, 8);
  for (Index e = 0; e < block.count; ++e) {
    if (std::isinf(fits.residual(e))) continue;
    const Vector best = fits.pattern.col(e);
    for (std::uint64_t trial = 0; trial < 50; ++trial) {
      Vector p(4);
      stream.uniforms(static_cast<std::uint64_t>(e) * 50 + trial, {p.data(), 4});
      p /= p.sum();
      const Vector near = 0.999 * best + 0.001 * p;
      EXPECT_GE(residual_of(block, w_sum, 2, e, p), fits.residual(e) * (1 - 1e-9));
      EXPECT_GE(residual_of(block, w_sum, 2, e, near), fits.residual(e) * (1 - 1e-6));
    }
  }
}

TEST(SupNorm, OfASingleHeadIsZeroToRounding) {
  const NiceSource nice("nice:d=8,k=3,m=1");
  const Block block = block_of(nice, 200);
  const SupNormFits fits = fits_of(block, nice.layer().w_sum(), 0);
  attention::Forward::Workspace ws;
  attention::attend_one(nice.layer().heads[0].theta, block, ws);
  int solved = 0;
  for (Index e = 0; e < block.count; ++e) {
    if (std::isinf(fits.residual(e))) continue;
    ++solved;
    EXPECT_LT(fits.residual(e), 1e-14);
    EXPECT_LT((fits.pattern.col(e) - ws.p.col(block.column(0, e))).cwiseAbs().maxCoeff(), 1e-12);
  }
  EXPECT_GT(solved, 100);
}

TEST(SupNorm, TakesImagesWithZeros) {
  // W_sum = identity: differences of Boolean tokens are 0 and +-2.
  const NiceSource nice("nice:d=16,k=3,m=2");
  const Matrix w_sum = Matrix::Identity(16, 16);
  Block block = block_of(nice, 100);
  const Matrix p{{0.2, 0.3, 0.5}};
  for (Index e = 0; e < block.count; ++e) {
    Vector mixture = Vector::Zero(16);
    for (Index a = 0; a < 3; ++a) mixture += p(a) * block.x.col(block.column(a, e));
    block.y.col(block.column(0, e)) = mixture;
  }
  const SupNormFits fits = fits_of(block, w_sum, 0);
  for (Index e = 0; e < block.count; ++e)
    if (!std::isinf(fits.residual(e))) {
      EXPECT_LT(fits.residual(e), 1e-14);
      EXPECT_LT((fits.pattern.col(e) - p.transpose()).cwiseAbs().maxCoeff(), 1e-13);
    }
}

TEST(SupNorm, BoundsAreBelowTheResidualsOfInteriorPatterns) {
  const double floor = 0.03;
  const NiceSource nice("nice:d=16,k=3,m=2");
  const Matrix w_sum = nice.layer().w_sum();
  const Block block = block_of(nice, 500);
  const RowMatrix bounds = sup_norm_bounds(fit_rows(w_sum.transpose(), block), floor);
  double largest = 0;
  int interior = 0;
  for (const Index row : {0, 1, 2}) {
    const SupNormFits fits = fits_of(block, w_sum, row);
    for (Index e = 0; e < block.count; ++e) {
      const double bound = bounds(0, block.column(row, e));
      EXPECT_EQ(std::isinf(bound), std::isinf(fits.residual(e)));
      if (std::isinf(bound) || fits.pattern.col(e).minCoeff() < floor) continue;
      ++interior;
      EXPECT_LE(bound, fits.residual(e) * (1 + 1e-12));
      largest = std::max(largest, bound / fits.residual(e));
    }
  }
  EXPECT_GT(interior, 200);
  EXPECT_GT(largest, 0.9);
}

TEST(SupNorm, HarvestKeepsWhatProgrammesForAllRowsWould) {
  struct Case {
    const char* spec;
    std::int64_t examples, keep;
  };
  for (const auto& [spec, examples, keep] :
       {Case{"nice:d=16,k=3,m=2", 300, 40}, Case{"nice:d=16,k=2,m=2,theta_norm=8", 400, 60},
        Case{"nice:d=4,k=2,m=2", 600, 30}, Case{"nice:d=8,k=2,m=2,inputs=sphere", 300, 5000}}) {
    SCOPED_TRACE(spec);
    const NiceSource nice(spec);
    const Matrix w_sum = nice.layer().w_sum();
    const HarvestOptions options{.keep = keep, .certificate = CertificateNorm::sup_norm};
    const Harvest found = harvest({nice.source, 0, examples}, w_sum, options, RunContext{}, "hull");

    const Block block = block_of(nice, examples);
    std::map<std::uint64_t, std::pair<double, double>> by_content;  // residual, p of the row's own token
    for (Index row = 0; row < block.k; ++row) {
      const SupNormFits fits = fits_of(block, w_sum, row);
      for (Index e = 0; e < block.count; ++e)
        if (std::isfinite(fits.residual(e)) && fits.pattern.col(e).minCoeff() >= options.attention_floor)
          by_content.emplace(row_content(block, row, e), std::pair{fits.residual(e), fits.pattern(row, e)});
    }
    std::vector<std::pair<double, std::uint64_t>> expected;
    for (const auto& [content, fit] : by_content) expected.emplace_back(fit.first, content);
    std::sort(expected.begin(), expected.end());
    if (expected.size() > static_cast<std::size_t>(keep)) expected.resize(static_cast<std::size_t>(keep));

    ASSERT_EQ(found.rows.size(), expected.size());
    EXPECT_LE(found.programmes, examples * block.k);
    for (std::size_t e = 0; e < expected.size(); ++e) {
      EXPECT_EQ(found.rows[e].content, expected[e].second);
      EXPECT_NEAR(found.rows[e].score, expected[e].first, 1e-9 * expected[e].first);
      const Index column = static_cast<Index>(e);
      EXPECT_NEAR(found.patterns(found.rows[e].row, column), by_content.at(expected[e].second).second, 1e-8);
      EXPECT_NEAR(residual_of(found.examples, w_sum, found.rows[e].row, column, found.patterns.col(column)),
                  found.rows[e].score, 1e-12);
    }
  }
}

TEST(SupNorm, HarvestSolvesFewProgrammesForARowKept) {
  const NiceSource nice("nice:d=16,k=2,m=2");
  const Harvest found =
      harvest({nice.source, 0, 20'000}, nice.layer().w_sum(),
              {.keep = 400, .certificate = CertificateNorm::sup_norm}, RunContext{}, "hull");
  EXPECT_EQ(found.rows.size(), 400u);
  EXPECT_LT(found.programmes, 2 * 400);
}

}  // namespace
}  // namespace hardhead::learner
