#include "learner/oracle/value_oracle.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>

#include "attention/samples/exact_teacher.h"
#include "base/error.h"
#include "hardness/families/family.h"

namespace hardhead::learner {
namespace {

using attention::Block;

hardness::Instance oracle_instance(const char* spec) {
  return hardness::make_instance(Spec::parse(spec));
}

Block random_block(Index d, Index k, Index count, attention::Inputs inputs) {
  Block block(d, k, count);
  attention::draw_tokens(inputs, Stream(Domain::test, 3, "oracle test"), 0, block);
  return block;
}

/// Answers NaN in one place.
class BrokenTeacher final : public attention::Teacher {
 public:
  void label(Block& block) const override {
    block.y.setZero();
    block.y(1, block.column(1, 2)) = std::numeric_limits<double>::quiet_NaN();
  }
};

TEST(ValueOracle, CountsQueriesAndTokens) {
  const hardness::Instance nice = oracle_instance("nice:d=4,k=3");
  ValueOracle oracle(nice.teacher, 4, {});
  Block three = random_block(4, 3, 5, attention::Inputs::gaussian);
  Block one = random_block(4, 1, 2, attention::Inputs::gaussian);
  oracle.ask(three);
  oracle.ask(one);
  EXPECT_EQ(oracle.account().queries(), 7);
  EXPECT_EQ(oracle.account().tokens(), 17);
  Block labelled = three;
  nice.teacher->label(labelled);
  EXPECT_EQ(three.y, labelled.y) << "exact answers are the teacher's, bit for bit";
}

TEST(ValueOracle, AsksNothingPastItsBudget) {
  const hardness::Instance nice = oracle_instance("nice:d=4");
  ValueOracle oracle(nice.teacher, 4, {.budget = 6});
  Block four = random_block(4, 2, 4, attention::Inputs::boolean);
  oracle.ask(four);
  EXPECT_THROW(oracle.ask(four), OutOfQueries);
  EXPECT_EQ(oracle.account().queries(), 4);
}

TEST(ValueOracle, AsksNothingOnceTheRunIsStopped) {
  const hardness::Instance parity = oracle_instance("parity:d=5,m=2");
  std::atomic<bool> flag = false;
  ValueOracle values(parity.teacher, 5, {});
  ExactOracle exact(*parity.exact, {});
  values.stop_by(StopToken(&flag));
  exact.stop_by(StopToken(&flag));
  Block block = random_block(5, 2, 3, attention::Inputs::boolean);
  const std::vector<int> x(10, 1);
  values.ask(block);
  exact.ask(x);
  flag = true;
  EXPECT_THROW(values.ask(block), Stopped);
  EXPECT_THROW(exact.ask(x), Stopped);
  EXPECT_EQ(values.account().queries(), 3);
  EXPECT_EQ(exact.account().queries(), 1);
}

TEST(ValueOracle, NamesAnAnswerThatIsNotANumber) {
  ValueOracle oracle(std::make_shared<BrokenTeacher>(), 4, {});
  Block block = random_block(4, 2, 3, attention::Inputs::boolean);
  try {
    oracle.ask(block);
    FAIL() << "a NaN was handed on";
  } catch (const BadAnswer& bad) {
    EXPECT_EQ(bad.message, "the oracle's answer to query 3, row 1, feature 1 is nan");
  }
}

TEST(ValueOracle, RefusesXThatHaveNoExactLabel) {
  const hardness::Instance parity = oracle_instance("parity:d=6,m=2");
  ValueOracle oracle(parity.teacher, 6, {});
  Block real = random_block(6, 2, 1, attention::Inputs::gaussian);
  Block three = random_block(6, 3, 1, attention::Inputs::boolean);
  EXPECT_THROW(oracle.ask(real), InputError);
  EXPECT_THROW(oracle.ask(three), InputError);
  EXPECT_EQ(oracle.account().queries(), 0);
  EXPECT_THROW(ValueOracle(parity.teacher, 6, {.tokens = 3}), InputError);
  Block infinite = random_block(6, 2, 1, attention::Inputs::boolean);
  infinite.x(0, 0) = std::numeric_limits<double>::infinity();
  EXPECT_THROW(oracle.ask(infinite), InputError);
}

TEST(ValueOracle, FixedLengthIsKept) {
  const hardness::Instance nice = oracle_instance("nice:d=4,k=3");
  ValueOracle oracle(nice.teacher, 4, {.tokens = 3});
  Block two = random_block(4, 2, 1, attention::Inputs::boolean);
  EXPECT_THROW(oracle.ask(two), InputError);
}

TEST(ValueOracle, ExactValuesOfAnyLengthAreTheRationalsRoundedOnce) {
  const hardness::Instance parity = oracle_instance("parity:d=5,m=2");
  ValueOracle two(parity.teacher, 5, {}),
      any(std::make_shared<attention::ExactTeacher>(*parity.exact), 5, {});
  ExactOracle exact(*parity.exact, {});
  Block block = random_block(5, 2, 8, attention::Inputs::boolean), same = block;
  two.ask(block);
  any.ask(same);
  EXPECT_EQ(block.y, same.y);
  Block four = random_block(5, 4, 1, attention::Inputs::boolean);
  any.ask(four);
  std::vector<int> x;
  for (Index a = 0; a < 4; ++a)
    for (Index f = 0; f < 5; ++f) x.push_back(four.x(f, a) > 0 ? 1 : -1);
  const std::vector<Rational> y = exact.ask(x);
  for (Index a = 0; a < 4; ++a)
    for (Index f = 0; f < 5; ++f)
      EXPECT_EQ(four.y(f, a), round_to_nearest(y[static_cast<std::size_t>(a * 5 + f)]));
  EXPECT_EQ(exact.account().tokens(), 4);
}

TEST(Tolerance, EveryPolicyKeepsToIt) {
  const hardness::Instance nice = oracle_instance("nice:d=6,k=2");
  Block truth = random_block(6, 2, 50, attention::Inputs::gaussian);
  nice.teacher->label(truth);
  for (const AnswerPolicy policy : {AnswerPolicy::uniform, AnswerPolicy::worst, AnswerPolicy::grid}) {
    constexpr double tau = 1e-3;
    ValueOracle oracle(nice.teacher, 6, {.tolerance = {tau, policy}});
    Block block = truth;
    oracle.ask(block);
    const double most = (block.y - truth.y).cwiseAbs().maxCoeff(),
                 least = (block.y - truth.y).cwiseAbs().minCoeff();
    EXPECT_LE(most, tau * (1 + 1e-12));
    EXPECT_GT(most, 0.9 * tau);
    if (policy == AnswerPolicy::worst) {
      EXPECT_GE(least, tau * (1 - 1e-12));
    }
  }
  EXPECT_THROW(ValueOracle(nice.teacher, 6, {.tolerance = {-1}}), InputError);
}

TEST(ValueOracle, OfALayerWithBiasesTakesOneSignInTheLastFeature) {
  const hardness::Instance nice = oracle_instance("nice:d=4,k=2,inputs=gaussian+1");
  ValueOracle oracle(nice.teacher, 4, {.last = attention::LastFeature::is_one});
  Block block = random_block(4, 2, 3, attention::Inputs::gaussian_and_one);
  oracle.ask(block);
  Block opposite = block;
  opposite.x *= -1;
  oracle.ask(opposite);
  EXPECT_LT((block.y + opposite.y).norm(), 1e-12 * block.y.norm());
  Block mixed = block;
  mixed.x(3, 4) = -1;
  EXPECT_THROW(oracle.ask(mixed), InputError);
  Block other = block;
  other.x.bottomRows(1).setConstant(2);
  EXPECT_THROW(oracle.ask(other), InputError);
  EXPECT_EQ(oracle.account().queries(), 6);
}

}  // namespace
}  // namespace hardhead::learner
