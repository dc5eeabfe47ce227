#include "learner/certificate/screen.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "learner/certificate/certify.h"
#include "learner/certificate/harvest.h"
#include "tests/learner/nice_source.h"
#include "tests/simd_targets.h"

namespace hardhead::learner {
namespace {

using namespace attention;
using testing::NiceSource;

// What double says of a row.
struct Judged {
  bool eligible = false;
  double score = INFINITY, least = 0;
};

std::vector<std::vector<Judged>> in_double(const RowMatrix& w_t, const Block& block, double floor) {
  const RowFits fits = fit_rows(w_t, block);
  std::vector<std::vector<Judged>> out(static_cast<std::size_t>(block.count));
  for (Index n = 0; n < block.count; ++n)
    for (Index r = 0; r < block.k; ++r) {
      const Index column = block.column(r, n);
      Judged row{.least = fits.pattern.col(column).minCoeff()};
      row.eligible = fits.pivot(0, n) > 0 && row.least > 0 && row.least >= floor;
      if (row.eligible) row.score = fits.residual(0, column) / (fits.pivot(0, n) * row.least);
      out[static_cast<std::size_t>(n)].push_back(row);
    }
  return out;
}

// Checks every verdict on a block; returns how many examples are not ruled out.
Index check_verdicts(const Screen& screen, SingleBlock& single, double bound,
                     const std::vector<std::vector<Judged>>& expected) {
  Floats scratch;
  Screen::RuledOut ruled_out;
  screen.judge(single, bound, scratch, ruled_out);
  Index open = 0;
  for (std::size_t n = 0; n < expected.size(); ++n) {
    open += !ruled_out[n];
    for (const Judged& row : expected[n])
      if (ruled_out[n] && row.eligible) {
        EXPECT_GT(row.score, bound) << "example " << n;
      }
  }
  return open;
}

TEST(Screen, VerdictsAreThoseOfDoubleOnEachTargetAndLeaveFewExamplesOpen) {
  on_each_simd_target([](SimdTarget target) {
    for (const char* spec : {"nice:d=16,k=2,m=7", "nice:d=32,k=3,m=3", "nice:d=64,k=2,m=3",
                             "nice:d=13,k=4,m=2", "nice:d=5,k=3,m=2"}) {
      const NiceSource nice(spec);
      const Index d = nice.source.d(), k = nice.source.k();
      for (const double off : {0.0, 0.1}) {  // W_sum is an estimate
        const RowMatrix w_t = nice.layer().w_sum().transpose() + off * RowMatrix::Random(d, d);
        const Screen screen(w_t, 0.03);
        Index open = 0, of_double_labels = 0, by_few = 0;
        constexpr Index blocks = 20;
        for (Index b = 0; b < blocks; ++b) {
          Block block(d, k, block_size);
          nice.source.read(b * block_size, block);
          const auto expected = in_double(w_t, block, 0.03);
          std::vector<double> scores;
          for (const auto& example : expected)
            for (const Judged& row : example)
              if (row.eligible) scores.push_back(row.score);
          std::ranges::sort(scores);
          const double bound = scores.empty() ? 1 : scores[scores.size() / 200];
          SingleBlock single;
          single.resize(d, k, block_size);
          ASSERT_TRUE(nice.source.read_single(b * block_size, single));
          open += check_verdicts(screen, single, bound, expected);
          ASSERT_TRUE(single.take(block));
          of_double_labels += check_verdicts(screen, single, bound, expected);
          single.resize(d, k, block_size, std::min<Index>(d, 8 * ((d + 15) / 16)));
          ASSERT_TRUE(nice.source.read_single(b * block_size, single));
          by_few += check_verdicts(screen, single, bound, expected);
        }
        const double share = static_cast<double>(open) / (blocks * block_size);
        EXPECT_LT(share, 0.12) << name_of(target) << ", " << spec;
        EXPECT_LE(of_double_labels, open + 2) << "better labels leave no more open";
        EXPECT_GE(by_few, open) << "half of a label's features tell less than all";
        if (d == 64) {
          EXPECT_LT(by_few, blocks * block_size * 3 / 4) << name_of(target);
        }
        ::testing::Test::RecordProperty(std::string("open, ") + spec, std::to_string(share));
      }
    }
  });
}

// Bounds and floors that are the very scores and least p_a of rows, or next to them: no error of a float may
// show.
TEST(Screen, VerdictsHoldWhereBoundAndFloorAreMetExactly) {
  on_each_simd_target([](SimdTarget) {
    for (const char* spec : {"nice:d=16,k=2,m=3", "nice:d=9,k=3,m=2", "nice:d=12,k=4,m=2"}) {
      const NiceSource nice(spec);
      const Index d = nice.source.d(), k = nice.source.k();
      const RowMatrix w_t = nice.layer().w_sum().transpose();
      Block block(d, k, block_size);
      nice.source.read(0, block);
      SingleBlock single;
      single.resize(d, k, block_size);
      ASSERT_TRUE(nice.source.read_single(0, single));
      SingleBlock few;
      few.resize(d, k, block_size, 8);
      ASSERT_TRUE(nice.source.read_single(0, few));
      for (std::size_t n = 0; n < block_size; n += 5)
        for (const double factor : {1 - 1e-6, 1 - 1e-15, 1.0, 1 + 1e-15, 1 + 1e-6}) {
          const Judged row = in_double(w_t, block, 0)[n][0];
          const double floor = row.eligible ? std::min(row.least * factor, 0.9) : 0.03;
          const double bound = row.eligible ? row.score * factor : 1;
          check_verdicts(Screen(w_t, floor), single, bound, in_double(w_t, block, floor));
          check_verdicts(Screen(w_t, 0.03), single, bound, in_double(w_t, block, 0.03));
          check_verdicts(Screen(w_t, 0), single, 0, in_double(w_t, block, 0));
          check_verdicts(Screen(w_t, 0.03), few, bound, in_double(w_t, block, 0.03));
        }
    }
  });
}

// Another source's examples, whose inputs are not said to be signs: nothing is screened.
class Unscreened final : public SampleSource {
 public:
  explicit Unscreened(const SampleSource& source) : source_(source) {}
  Index d() const override { return source_.d(); }
  Index k() const override { return source_.k(); }
  Inputs inputs() const override { return Inputs::gaussian; }
  std::int64_t size() const override { return source_.size(); }
  void read(std::int64_t first, Block& block) const override { source_.read(first, block); }

 private:
  const SampleSource& source_;
};

// The same examples with labels in double only.
class DoubleLabels final : public SampleSource {
 public:
  explicit DoubleLabels(const SampleSource& source) : source_(source) {}
  Index d() const override { return source_.d(); }
  Index k() const override { return source_.k(); }
  Inputs inputs() const override { return source_.inputs(); }
  std::int64_t size() const override { return source_.size(); }
  void read(std::int64_t first, Block& block) const override { source_.read(first, block); }

 private:
  const SampleSource& source_;
};

void expect_same_bits(const Harvest& a, const Harvest& b) {
  EXPECT_EQ(a.rows_seen, b.rows_seen);
  ASSERT_EQ(a.rows.size(), b.rows.size());
  for (std::size_t e = 0; e < a.rows.size(); ++e) {
    EXPECT_EQ(a.rows[e].score, b.rows[e].score);
    EXPECT_EQ(a.rows[e].example, b.rows[e].example);
    EXPECT_EQ(a.rows[e].row, b.rows[e].row);
    EXPECT_EQ(a.rows[e].content, b.rows[e].content);
  }
  EXPECT_TRUE(a.patterns == b.patterns);
  EXPECT_TRUE(a.examples.x == b.examples.x);
  EXPECT_TRUE(a.examples.y == b.examples.y);
}

TEST(Screen, TheHarvestHasTheSameBitsAsWithout) {
  const auto compare = [](const SampleSource& source, const Matrix& w_sum, std::int64_t count,
                          std::int64_t keep) {
    const HarvestOptions options{.keep = keep};
    const Harvest without = harvest({Unscreened(source), 0, count}, w_sum, options, RunContext{}, "");
    on_each_simd_target([&](SimdTarget target) {
      SCOPED_TRACE(name_of(target));
      expect_same_bits(harvest({source, 0, count}, w_sum, options, RunContext{}, ""), without);
      expect_same_bits(harvest({DoubleLabels(source), 0, count}, w_sum, options, RunContext{}, ""), without);
    });
  };
  for (const char* spec :
       {"nice:d=16,k=2,m=7", "nice:d=16,k=3,m=2", "nice:d=10,k=4,m=2", "nice:d=5,k=2,m=2"}) {
    SCOPED_TRACE(spec);
    const NiceSource nice(spec);
    compare(nice.source, nice.layer().w_sum(), 20'017, 50);
    compare(nice.source, 1.1 * nice.layer().w_sum(), 20'017, 3000);
  }
  // Few rows of many: most examples are ruled out by some of their labels' features.
  const NiceSource wide("nice:d=40,k=2,m=2");
  compare(wide.source, wide.layer().w_sum(), 60'017, 30);
  // All rows of one head agree up to rounding: scores of 1e-16, near ties throughout.
  const NiceSource single("nice:d=12,k=3,m=1");
  compare(single.source, single.layer().w_sum(), 20'017, 200);
  // Heads with entries +-1/8: exact ties, and an atom of rows that agree exactly.
  Layer layer = NiceSource("nice:d=16,k=2,m=2").layer();
  const Stream stream(Domain::instance, 7);
  for (std::uint64_t i = 0; i < 2; ++i) {
    stream.signs(i, {layer.heads[i].theta.data(), 256});
    layer.heads[i].theta *= 0.125;
  }
  const SimulatedSource ties(std::make_shared<LayerTeacher>(layer), 16, 2, Inputs::boolean,
                             Stream(Domain::samples, 1));
  compare(ties, layer.w_sum(), 20'017, 1500);
}

}  // namespace
}  // namespace hardhead::learner
