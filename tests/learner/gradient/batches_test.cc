#include "learner/gradient/batches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/learner/nice_source.h"

namespace hardhead::learner {
namespace {

using ::testing::ElementsAreArray;
using testing::NiceSource;

// Examples of a batch by their tokens, which tell which example it is.
std::vector<std::vector<float>> examples_of(Batches& batches) {
  std::vector<std::vector<float>> out;
  attention::Block buffer;
  FloatBlock block;
  batches.next();
  for (std::size_t b = 0; b < batches.blocks(); ++b) {
    batches.read(b, buffer, block);
    for (attention::Index n = 0; n < buffer.count; ++n) {
      out.emplace_back();
      for (attention::Index a = 0; a < block.k; ++a)
        for (attention::Index f = 0; f < block.x.rows(); ++f) {
          out.back().push_back(block.x(f, a * block.columns + n));
          out.back().push_back(block.y(f, a * block.columns + n));
        }
    }
  }
  return out;
}

const NiceSource nice("nice:d=8,k=3,m=2,inputs=gaussian");

TEST(Batches, TakeEveryExampleOnceBeforeAnyTwice) {
  Batches batches(nice.source, 100, 30, 50, Stream(Domain::learner, 1, "order"));
  std::vector<std::vector<float>> taken;
  for (int step = 0; step < 10; ++step)
    for (auto& example : examples_of(batches)) taken.push_back(std::move(example));
  ASSERT_EQ(taken.size(), 300);
  std::vector<std::vector<std::vector<float>>> rounds;
  for (int round = 0; round < 3; ++round)
    rounds.emplace_back(taken.begin() + 100 * round, taken.begin() + 100 * (round + 1));
  attention::Block one(8, 3, 1);
  for (int n = 0; n < 100; ++n) {
    nice.source.read(n, one);
    EXPECT_EQ(rounds[0][static_cast<std::size_t>(n)][0], static_cast<float>(one.x(0, 0))) << n;
  }
  for (int round : {1, 2}) {
    EXPECT_NE(rounds[0], rounds[static_cast<std::size_t>(round)]) << "a new order";
    EXPECT_THAT(rounds[0], ::testing::UnorderedElementsAreArray(rounds[static_cast<std::size_t>(round)]));
  }
  EXPECT_NE(rounds[1], rounds[2]);
}

// Threads read the blocks of a batch in any order.
TEST(Batches, AreTheSameInWhicheverOrderTheirBlocksAreRead) {
  const Stream order(Domain::learner, 1, "order");
  Batches forwards(nice.source, 100, 60, 5, order), backwards(nice.source, 100, 60, 5, order);
  attention::Block buffer;
  FloatBlock block;
  for (int step = 0; step < 5; ++step) {
    forwards.next();
    backwards.next();
    std::vector<FloatMatrix> x, y;
    for (std::size_t b = 0; b < forwards.blocks(); ++b) {
      forwards.read(b, buffer, block);
      x.push_back(block.x), y.push_back(block.y);
    }
    for (std::size_t b = backwards.blocks(); b-- > 0;) {
      backwards.read(b, buffer, block);
      EXPECT_EQ(block.x, x[static_cast<std::size_t>(b)]) << step << ", " << b;
      EXPECT_EQ(block.y, y[static_cast<std::size_t>(b)]) << step << ", " << b;
    }
  }
}

TEST(Batches, OfFreshExamplesAreNotKept) {
  EXPECT_EQ(Batches::kept_bytes(8, 3, 1000, 10, 100), 0);
  EXPECT_EQ(Batches::kept_bytes(8, 3, 999, 10, 100), 4.0 * 2 * 24 * 999);
  EXPECT_EQ(Batches::kept_bytes(8, 3, 100'000'000, 1'000'000, 1000), 0) << "too many to keep";
}

TEST(Batches, MayBeLargerThanAllExamples) {
  Batches batches(nice.source, 10, 25, 4, Stream(Domain::learner, 1, "order"));
  for (int step = 0; step < 4; ++step) {
    const auto examples = examples_of(batches);
    ASSERT_EQ(examples.size(), 25);
    std::map<std::vector<float>, int> times;
    for (const auto& example : examples) ++times[example];
    EXPECT_EQ(times.size(), 10);
  }
}

}  // namespace
}  // namespace hardhead::learner
