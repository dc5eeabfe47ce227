#include "learner/phases/exhaustive_search.h"

#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include "learner/objective/blocks.h"
#include "learner/objective/linear_w.h"
#include "tests/learner/nice_source.h"
#include "tests/learner/true_hull.h"

namespace hardhead::learner {
namespace {

using attention::Block;
using attention::Matrix;
using testing::NiceSource;
using testing::true_hull;

TEST(TupleCount, IsTheBinomialCoefficient) {
  EXPECT_EQ(tuple_count(300, 2), 44'850);
  EXPECT_EQ(tuple_count(10, 3), 120);
  EXPECT_EQ(tuple_count(2, 3), 0);
}

// Every tuple by its definition: fit on three quarters of the blocks, error on the last.
double least_error(const std::vector<Block>& blocks, const AffineHull& flat, attention::Index heads,
                   double radius, std::int64_t points) {
  const std::vector<Block> training(blocks.begin(),
                                    blocks.begin() + static_cast<long>(blocks.size() * 3 / 4)),
      validation(blocks.begin() + static_cast<long>(blocks.size() * 3 / 4), blocks.end());
  const auto net = net_points(static_cast<attention::Index>(flat.directions.size()), radius, points);
  double least = 1e300;
  const std::size_t n = net.size();
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < a; ++b)
      for (std::size_t c = 0; c < (heads == 3 ? b : 1); ++c) {
        std::vector<Matrix> thetas = {flat.point(net[a]), flat.point(net[b])};
        if (heads == 3) thetas.push_back(flat.point(net[c]));
        least = std::min(least, relative_error(validation, fit_w(training, thetas)));
      }
  return least;
}

TEST(ExhaustiveSearch, TriesAllTuples) {
  for (const auto& [spec, points] : {std::pair{"nice:d=6,k=3,m=2", 25}, {"nice:d=6,k=3,m=3", 13}}) {
    const NiceSource nice(spec);
    const auto blocks = read_blocks(nice.source, 0, 8 * attention::block_size, RunContext{});
    const AffineHull hull = true_hull(nice.layer());
    const AffineHull flat = nice.layer().m() == 2 ? linear_span(hull) : hull;
    const NetResult found = exhaustive_search(blocks, {flat, 3, nice.layer().m()}, points, RunContext{});
    EXPECT_EQ(found.tuples, tuple_count(found.points, nice.layer().m()));
    EXPECT_NEAR(found.error, least_error(blocks, flat, nice.layer().m(), 3, points), 1e-6) << spec;
  }
}

TEST(ExhaustiveSearch, ChoosesAlikeOnAnyNumberOfThreads) {
  const NiceSource nice("nice:d=8,k=2,m=2");
  const auto blocks = read_blocks(nice.source, 0, 512, RunContext{});
  const AffineHull flat = linear_span(true_hull(nice.layer()));
  std::vector<NetResult> found;
  for (const int threads : {1, 2}) {
    tbb::task_arena arena(threads);
    found.push_back(
        arena.execute([&] { return exhaustive_search(blocks, {flat, 3, 2}, 100, RunContext{}); }));
  }
  EXPECT_EQ(found[0].error, found[1].error);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(found[0].layer.heads[i].theta, found[1].layer.heads[i].theta);
}

TEST(ExhaustiveSearch, OfASinglePointFindsThatPoint) {
  const NiceSource nice("nice:d=8,k=2,m=1");
  const auto blocks = read_blocks(nice.source, 0, 512, RunContext{});
  const NetResult found = exhaustive_search(blocks, {true_hull(nice.layer()), 0, 2}, 100, RunContext{});
  EXPECT_EQ(found.layer.m(), 2);
  EXPECT_LT(found.error, 1e-10);
}

}  // namespace
}  // namespace hardhead::learner
