#include "learner/certificate/top_rows.h"

#include <gtest/gtest.h>

#include "base/numeric/random.h"

namespace hardhead::learner {
namespace {

// Rows with scores in general position; `contents` different contents, or 0 for none.
std::vector<ScoredRow> stream_of(std::int64_t count, std::uint64_t contents) {
  const Stream stream(Domain::learner, 3, "top rows");
  std::vector<double> uniform(static_cast<std::size_t>(count));
  stream.uniforms(0, uniform);
  std::vector<ScoredRow> rows;
  for (std::int64_t n = 0; n < count; ++n) {
    const std::uint64_t content =
        contents == 0 ? 0 : 1 + stream.below(static_cast<std::uint64_t>(n + 1), contents);
    // Rows of equal content have nearly equal scores.
    const double score = contents == 0 ? 1 : static_cast<double>(content * 7919 % contents);
    rows.push_back({score + 1e-9 * uniform[static_cast<std::size_t>(n)], n, n % 3, content});
  }
  return rows;
}

// The best rows by sorting everything.
std::vector<ScoredRow> expected(std::vector<ScoredRow> rows, std::size_t keep) {
  std::sort(rows.begin(), rows.end());
  std::vector<ScoredRow> best;
  for (const ScoredRow& row : rows)
    if (row.content == 0 || std::none_of(best.begin(), best.end(), [&](const ScoredRow& other) {
          return other.content == row.content;
        }))
      if (best.size() < keep) best.push_back(row);
  return best;
}

void expect_same(const std::vector<ScoredRow>& a, const std::vector<ScoredRow>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].score, b[i].score);
    EXPECT_EQ(a[i].example, b[i].example);
    EXPECT_EQ(a[i].content, b[i].content);
  }
}

TEST(TopRows, KeepsTheBestAscending) {
  const std::vector<ScoredRow> rows = stream_of(20'000, 0);
  TopRows top(150);
  for (const ScoredRow& row : rows) top.push(row);
  expect_same(top.sorted(), expected(rows, 150));
}

TEST(TopRows, CountsEqualContentsOnce) {
  const std::vector<ScoredRow> rows = stream_of(20'000, 400);
  for (const std::int64_t keep : {1, 150, 400, 1000}) {
    TopRows top(keep);
    for (const ScoredRow& row : rows) top.push(row);
    expect_same(top.sorted(), expected(rows, static_cast<std::size_t>(keep)));
  }
}

TEST(TopRows, OfPartsMergeIntoThoseOfTheWholeInAnyOrder) {
  for (const std::uint64_t contents : {0, 400}) {
    const std::vector<ScoredRow> rows = stream_of(20'000, contents);
    for (const std::size_t first : {0, 1, 2}) {
      const TopRows empty(150);
      std::vector<TopRows> parts(3, empty);
      for (std::size_t i = 0; i < rows.size(); ++i) parts[(i / 100 + first) % 3].push(rows[i]);
      parts[1].merge(parts[2]);
      parts[0].merge(parts[1]);
      expect_same(parts[0].sorted(), expected(rows, 150));
    }
  }
}

TEST(TopRows, BreaksTiesByIndex) {
  TopRows top(2);
  top.push({1, 9, 0});
  top.push({1, 4, 1});
  top.push({1, 4, 0});
  const std::vector<ScoredRow> best = top.sorted();
  ASSERT_EQ(best.size(), 2u);
  EXPECT_EQ(best[0].row, 0);
  EXPECT_EQ(best[1].row, 1);
}

TEST(TopRows, OfFewRowsAreAllOfThem) {
  TopRows top(10);
  EXPECT_TRUE(top.sorted().empty());
  top.push({2, 0, 0});
  top.push({1, 1, 0});
  EXPECT_EQ(top.sorted().size(), 2u);
  EXPECT_TRUE(top.wants(1e300));
}

// A list and its further parts share a bound, which saves work and changes nothing.
TEST(TopRows, AStreamThatIsCarriedOnKeepsTheBestOfTheWhole) {
  TopRows carried(5), whole(5);
  for (std::int64_t first = 0; first < 400; first += 100) {
    TopRows part = carried.further_part();
    EXPECT_TRUE(part.sorted().empty());
    for (std::int64_t n = first; n < first + 100; ++n) {
      const ScoredRow row{std::cos(static_cast<double>(n * n)), n, 0};
      part.push(row);
      whole.push(row);
    }
    carried.merge(part);
  }
  const std::vector<ScoredRow> found = carried.sorted(), expected = whole.sorted();
  ASSERT_EQ(found.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(found[i].example, expected[i].example);
  EXPECT_FALSE(carried.further_part().wants(expected.back().score + 1e-9));
}

}  // namespace
}  // namespace hardhead::learner
