#include "experiments/sq_descent.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "hardness/families/family.h"
#include "learner/objective/loss.h"

namespace hardhead::experiments {
namespace {

using attention::Block;
using attention::Index;
using attention::Matrix;

const DescentOptions small{.target = "parity:d=4,m=2,variant=minimal", .heads = 2, .steps = 30};

// The same descent with gradients summed in double by the learner's own code.
TEST(SqDescent, HonestAnswersGiveTheExactGradient) {
  const DescentOptions options{.target = "nice:d=4,k=2,m=2", .heads = 2, .steps = 20};
  const Descent queried = descend(options);
  const hardness::Instance instance = hardness::make_instance(Spec::parse(options.target));
  const attention::EnumerationSource source(instance.teacher, 4, 2);
  std::vector<Block> blocks(1, Block(4, 2, 256));
  source.read(0, blocks.front());
  std::vector<double> normals(2 * 2 * 4 * 4);
  Stream(Domain::learner, options.seed, "descent").normals(0, normals);
  Matrix parameters = Eigen::Map<Matrix>(normals.data(), 16, 4) / 2;
  parameters.bottomRows(8) /= std::sqrt(2.0);
  Matrix velocity = Matrix::Zero(16, 4);
  learner::LossScratch scratch;
  for (std::int64_t step = 0; step <= options.steps; ++step) {
    const learner::Loss loss = learner::loss(blocks, learner::unstack(parameters), scratch);
    ASSERT_NEAR(queried.points[static_cast<std::size_t>(step)].loss, loss.relative_error(), 1e-6) << step;
    velocity = options.momentum * velocity + loss.gradient / 256;
    parameters -= options.rate * velocity;
  }
  EXPECT_EQ(queried.violations, 0);
  EXPECT_EQ(queried.queries, 20 * 64);
}

TEST(SqDescent, ANiceTargetIsLearntFromHonestAnswers) {
  const Descent descent = descend({.target = "nice:d=4,k=2,m=2", .heads = 2, .steps = 100});
  EXPECT_GT(descent.points.back().advantage, 0.2);
  EXPECT_GT(descent.points.back().advantage, descent.points.front().advantage);
}

TEST(SqDescent, ACoarseAdversaryTellsTheParityLearnerNothing) {
  DescentOptions options = small;
  options.adversarial = true;
  options.tau = Rational(1, 2);
  const Descent descent = descend(options);
  EXPECT_EQ(descent.first_gave_in, -1);
  EXPECT_EQ(descent.points.back().members_left, 3);
  EXPECT_EQ(descent.violations, 0);
  EXPECT_LT(descent.points.back().advantage, 0.5);
}

TEST(SqDescent, AFineAdversaryGivesInAndEveryAnswerIsLegal) {
  DescentOptions options = small;
  options.adversarial = true;
  options.tau = Rational(1, 10'000);
  const Descent descent = descend(options);
  EXPECT_GE(descent.first_gave_in, 0);
  EXPECT_EQ(descent.points.back().members_left, 1);
  EXPECT_EQ(descent.violations, 0);
  EXPECT_EQ(descent.queries, 30 * 64);
}

TEST(SqDescent, PhaseOneByQueriesFindsNothingOnParityAndWSumOnNiceLayers) {
  for (const bool adversarial : {false, true}) {
    const QueriedWSum parity =
        query_w_sum({.target = "parity:d=5,m=2", .tau = Rational(1, 1000), .adversarial = adversarial});
    EXPECT_EQ(parity.estimate, Matrix::Zero(5, 5));  // the mean row is 0 on every input
    EXPECT_EQ(parity.members_left, adversarial ? 6 : 1);
    EXPECT_EQ(parity.queries, 25);
    EXPECT_EQ(parity.gave_in + parity.violations, 0);
  }
  const QueriedWSum nice = query_w_sum({.target = "nice:d=4,k=2,m=2"});
  const hardness::Instance instance = hardness::make_instance(Spec::parse("nice:d=4,k=2,m=2"));
  const attention::EnumerationSource source(instance.teacher, 4, 2);
  Block block(4, 2, 256);
  source.read(0, block);
  const Matrix x = block.token(0) + block.token(1), y = block.label(0) + block.label(1);
  EXPECT_LT((nice.estimate - x * y.transpose() / 512).norm(), 1e-8);
}

TEST(SqDescent, RefusesByName) {
  const auto refuses = [](const DescentOptions& options, const char* text) {
    try {
      descend(options);
      ADD_FAILURE() << text;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(text));
    }
  };
  refuses({.target = "parity:d=9,m=2"}, "d = 9");
  refuses({.target = "nice:d=4,k=3,m=2"}, "k = 3");
  refuses({.target = "nice:d=4,k=2,m=2", .tau = 0}, "tau=0 is not in (0, 1]");
  refuses({.target = "nice:d=4,k=2,m=2", .heads = 0}, "heads=0");
  refuses({.target = "nice:d=4,k=2,m=2", .steps = 0}, "steps=0");
  refuses({.target = "nice:d=4,k=2,m=2", .momentum = 1}, "momentum=1");
}

}  // namespace
}  // namespace hardhead::experiments
