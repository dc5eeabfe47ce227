#include "learner/certificate/harvest.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <Eigen/Cholesky>
#include <Eigen/QR>

#include <cmath>
#include <map>
#include <set>

#include "attention/forward/forward.h"
#include "learner/certificate/row_content.h"
#include "tests/learner/nice_source.h"

namespace hardhead::learner {
namespace {

using attention::Block;
using attention::Index;
using attention::Matrix;
using attention::Vector;
using testing::NiceSource;

// The eligible rows of examples 0 .. count - 1 by the formula as one writes it down, ascending.
std::vector<ScoredRow> by_formula(const attention::SampleSource& source, std::int64_t count,
                                  const Matrix& w_sum, double floor) {
  const Index k = source.k(), last = k - 1;
  std::vector<ScoredRow> rows;
  Block one(source.d(), k, 1);
  for (std::int64_t n = 0; n < count; ++n) {
    source.read(n, one);
    const Matrix image = w_sum.transpose() * one.x;
    const Matrix differences = image.leftCols(last).colwise() - image.col(last);
    const Eigen::LLT<Matrix> gram(differences.transpose() * differences);
    const Vector pivots = Matrix(gram.matrixL()).diagonal();
    if (gram.info() != Eigen::Success || !(pivots.minCoeff() > 0.1 * pivots.maxCoeff())) continue;
    for (Index r = 0; r < k; ++r) {
      const Vector target = one.y.col(r) - image.col(last);
      const Vector p = differences.colPivHouseholderQr().solve(target);
      const double least = std::min(p.minCoeff(), 1 - p.sum());
      if (least >= floor)
        rows.push_back({(target - differences * p).norm() / (pivots.minCoeff() * least), n, r});
    }
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

TEST(Harvest, KeepsTheRowsOfLeastScoreByTheFormula) {
  for (const char* spec : {"nice:d=16,k=3,m=2", "nice:d=12,k=5,m=2,inputs=gaussian",
                           "nice:d=9,k=2,m=3,inputs=sphere", "nice:d=4,k=4,m=2,inputs=gaussian"}) {
    SCOPED_TRACE(spec);
    const NiceSource nice(spec);
    const HarvestOptions options{.keep = 50};
    const Harvest found =
        harvest({nice.source, 0, 1000}, nice.layer().w_sum(), options, RunContext{}, "hull");
    const std::vector<ScoredRow> expected =
        by_formula(nice.source, 1000, nice.layer().w_sum(), options.attention_floor);
    ASSERT_EQ(found.rows.size(), 50u);
    for (std::size_t e = 0; e < 50; ++e) {
      EXPECT_EQ(found.rows[e].example, expected[e].example);
      EXPECT_EQ(found.rows[e].row, expected[e].row);
      EXPECT_NEAR(found.rows[e].score, expected[e].score, 1e-10 * expected[e].score);
    }
  }
}

TEST(Harvest, CarriedOnItIsTheHarvestOfAllThatWasRead) {
  const NiceSource nice("nice:d=9,k=3,m=2");
  const HarvestOptions options{.keep = 200};
  const Matrix w_sum = nice.layer().w_sum();
  for (const int threads : {1, 3}) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 3);
    tbb::task_arena(threads).execute([&] {
      GrowingHarvest growing({nice.source, 500, 0}, w_sum, options);
      for (const std::int64_t count : {1000, 1, 3777, 9000}) {
        growing.read(count, RunContext{}, "hull");
        const Harvest found = growing.harvest(RunContext{}),
                      expected =
                          harvest({nice.source, 500, growing.seen()}, w_sum, options, RunContext{}, "");
        EXPECT_EQ(found.rows_seen, expected.rows_seen);
        ASSERT_EQ(found.rows.size(), expected.rows.size());
        for (std::size_t e = 0; e < found.rows.size(); ++e) {
          EXPECT_EQ(found.rows[e].example, expected.rows[e].example);
          EXPECT_EQ(found.rows[e].row, expected.rows[e].row);
        }
        EXPECT_EQ(found.examples.x, expected.examples.x);
        EXPECT_LT((found.patterns - expected.patterns).cwiseAbs().maxCoeff(), 1e-12);
      }
      EXPECT_EQ(growing.seen(), 13'778);
    });
  }
}

TEST(Harvest, ReadsTheExactPatternOffASingleHead) {
  const NiceSource nice("nice:d=8,k=3,m=1");
  const Harvest found =
      harvest({nice.source, 0, 2000}, nice.layer().w_sum(), {.keep = 200}, RunContext{}, "hull");
  ASSERT_EQ(found.rows.size(), 200u);
  attention::Forward::Workspace ws;
  attention::attend_one(nice.layer().heads[0].theta, found.examples, ws);
  for (Index e = 0; e < found.examples.count; ++e) {
    const Index column = found.examples.column(found.rows[static_cast<std::size_t>(e)].row, e);
    EXPECT_LT((ws.p.col(column) - found.patterns.col(e)).cwiseAbs().maxCoeff(), 1e-12);
  }
}

TEST(Harvest, ShowsExactAgreementAsRoundingError) {
  // Of one head all rows agree. Of heads with entries +-s an atom of the rows does, among others that do not.
  const NiceSource single("nice:d=16,k=3,m=1");
  const Harvest all =
      harvest({single.source, 0, 500}, single.layer().w_sum(), {.keep = 1500}, RunContext{}, "hull");
  ASSERT_EQ(all.rows.size(),
            by_formula(single.source, 500, single.layer().w_sum(), HarvestOptions{}.attention_floor).size());
  EXPECT_LT(all.rows.back().score, 1e-13);

  const Index d = 16;
  const Stream stream(Domain::instance, 7);
  attention::Layer layer = NiceSource("nice:d=16,k=2,m=2").layer();
  for (std::uint64_t i = 0; i < 2; ++i) {
    stream.signs(i, {layer.heads[i].theta.data(), static_cast<std::size_t>(d * d)});
    layer.heads[i].theta *= 0.125;
  }
  const attention::SimulatedSource source(std::make_shared<attention::LayerTeacher>(layer), d, 2,
                                          attention::Inputs::boolean, Stream(Domain::samples, 1));
  const Harvest atom = harvest({source, 0, 20'000}, layer.w_sum(), {.keep = 8000}, RunContext{}, "hull");
  const auto exact = std::partition_point(atom.rows.begin(), atom.rows.end(),
                                          [](const ScoredRow& row) { return row.score < 1e-13; });
  EXPECT_GT(exact - atom.rows.begin(), 100);
  ASSERT_NE(exact, atom.rows.end());
  EXPECT_GT(exact->score, 1e-4);
}

TEST(Harvest, AcceptsARowOnlyIfAllHeadsAttendAlike) {
  const NiceSource nice("nice:d=16,k=3,m=2");
  for (const auto& [certificate, limit] :
       {std::pair{CertificateNorm::euclidean, 0.7}, {CertificateNorm::sup_norm, 1.2}}) {
    const Harvest found = harvest({nice.source, 0, 40'000}, nice.layer().w_sum(),
                                  {.keep = 100, .certificate = certificate}, RunContext{}, "hull");
    attention::Forward::Workspace ws;
    attention::Forward(nice.layer()).attend(found.examples, ws);
    const Index k = 3;
    double worst = 0, typical = 0;
    for (Index e = 0; e < found.examples.count; ++e) {
      const Index row = found.rows[static_cast<std::size_t>(e)].row;
      const Index kept = found.examples.column(row, e), other = found.examples.column((row + 1) % k, e);
      const auto disagreement = [&](Index column) {
        return (ws.p.col(column).head(k).array().log() - ws.p.col(column).tail(k).array().log())
            .abs()
            .maxCoeff();
      };
      worst = std::max(worst, disagreement(kept));
      typical += disagreement(other) / static_cast<double>(found.examples.count);
    }
    RecordProperty("largest disagreement in logits", std::to_string(worst));
    EXPECT_LT(worst, limit);
    EXPECT_GT(typical, 1.5);
  }
}

TEST(Harvest, KeepsEachEquationOnce) {
  // Every input of d = 5, k = 2 once, and each many times over: the same equations.
  const NiceSource nice("nice:d=5,k=2,m=2");
  const attention::EnumerationSource every(nice.instance.teacher, 5, 2);
  std::map<std::uint64_t, double> scores;
  for (const ScoredRow& row : by_formula(every, every.size(), nice.layer().w_sum(), 0.03)) {
    Block one(5, 2, 1);
    every.read(row.example, one);
    scores.emplace(row_content(one, row.row, 0), row.score);
  }
  EXPECT_LE(scores.size(), 496u);  // queries up to sign times other tokens
  for (const std::int64_t keep : {100, 1000}) {
    const HarvestOptions options{.keep = keep};
    for (const attention::SampleSource* source :
         std::initializer_list<const attention::SampleSource*>{&every, &nice.source}) {
      const std::int64_t count = std::min<std::int64_t>(source->size(), 30'000);
      const Harvest found = harvest({*source, 0, count}, nice.layer().w_sum(), options, RunContext{}, "hull");
      ASSERT_EQ(found.rows.size(), std::min(scores.size(), static_cast<std::size_t>(keep)));
      std::set<std::uint64_t> contents;
      for (const ScoredRow& row : found.rows) {
        EXPECT_TRUE(contents.insert(row.content).second);
        EXPECT_NEAR(row.score, scores.at(row.content), 1e-9);
      }
    }
  }
}

TEST(Harvest, IsTheSameForAnyNumberOfThreads) {
  const tbb::global_control allowed(tbb::global_control::max_allowed_parallelism, 3);
  for (const auto& [spec, certificate] : {std::pair{"nice:d=8,k=2,m=2", CertificateNorm::euclidean},
                                          {"nice:d=5,k=2,m=2", CertificateNorm::euclidean},
                                          {"nice:d=8,k=2,m=2", CertificateNorm::sup_norm}}) {
    const NiceSource nice(spec);
    const auto with_threads = [&](int threads) {
      Harvest found;
      tbb::task_arena(threads).execute([&] {
        found = harvest({nice.source, 0, 20'000}, nice.layer().w_sum(),
                        {.keep = 300, .certificate = certificate}, RunContext{}, "hull");
      });
      return found;
    };
    const Harvest one = with_threads(1);
    for (const int threads : {2, 3}) {
      const Harvest other = with_threads(threads);
      ASSERT_EQ(one.rows.size(), other.rows.size());
      for (std::size_t e = 0; e < one.rows.size(); ++e) {
        EXPECT_EQ(one.rows[e].score, other.rows[e].score);
        EXPECT_EQ(one.rows[e].example, other.rows[e].example);
        EXPECT_EQ(one.rows[e].row, other.rows[e].row);
      }
      EXPECT_TRUE(one.patterns == other.patterns);
      EXPECT_EQ(one.programmes, other.programmes);
    }
  }
}

TEST(Harvest, KeepsNothingWhenWSumIsZero) {
  const NiceSource nice("nice:d=8,k=3,m=2");
  for (const CertificateNorm certificate : {CertificateNorm::euclidean, CertificateNorm::sup_norm}) {
    const Harvest found = harvest({nice.source, 0, 1000}, Matrix::Zero(8, 8),
                                  {.attention_floor = 0, .certificate = certificate}, RunContext{}, "hull");
    EXPECT_TRUE(found.rows.empty());
    EXPECT_EQ(found.rows_seen, 3000);
  }
}

}  // namespace
}  // namespace hardhead::learner
