#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "attention/samples/inputs.h"
#include "base/error.h"
#include "hardness/families/family.h"
#include "tests/hardness/make.h"

namespace hardhead::hardness {
namespace {

using attention::Block;

attention::RowMatrix labels(const Instance& instance) {
  Block block(instance.layer.d, 2, 50);
  attention::draw_tokens(instance.inputs, Stream(Domain::test, 1), 0, block);
  instance.teacher->label(block);
  return block.y;
}

TEST(Path, BeginsAtTheNiceLayerOfAsManyHeads) {
  const Instance start = make("path:d=9,m=3,variant=minimal,theta_norm=1.5,w_norm=0.5,t=0,seed=4"),
                 nice = make("nice:d=9,k=2,m=4,theta_norm=1.5,w_norm=0.5,seed=4");
  ASSERT_EQ(start.layer.m(), 4);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(start.layer.heads[i].theta, nice.layer.heads[i].theta);
    EXPECT_EQ(start.layer.heads[i].w, nice.layer.heads[i].w);
  }
  EXPECT_EQ(labels(start), labels(nice));
  EXPECT_TRUE(start.hidden.empty());
  EXPECT_FALSE(start.null.exact_error);
}

TEST(Path, EndsAtTheParityInstanceWithItsExactLabelsAndNullPredictor) {
  const Instance end = make("path:d=9,m=4,variant=minimal,base=3,t=1,seed=4"),
                 parity = make("parity:d=9,m=4,variant=minimal,base=3,seed=4");
  EXPECT_EQ(end.hidden, parity.hidden);
  ASSERT_TRUE(end.exact);
  EXPECT_EQ(labels(end), labels(parity));
  EXPECT_EQ(end.null.exact_error, parity.null.exact_error);
  EXPECT_EQ(end.spec.name, "path");
}

TEST(Path, IsLinearInBetweenAndLabelsByItsForwardPass) {
  const Instance start = make("path:d=8,m=2,t=0"), end = make("path:d=8,m=2,t=1"),
                 middle = make("path:d=8,m=2,t=0.25");
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_LE(
        (middle.layer.heads[i].theta - 0.75 * start.layer.heads[i].theta - 0.25 * end.layer.heads[i].theta)
            .norm(),
        1e-15);
    EXPECT_LE((middle.layer.heads[i].w - 0.75 * start.layer.heads[i].w - 0.25 * end.layer.heads[i].w).norm(),
              1e-15);
  }
  EXPECT_FALSE(middle.exact);
  EXPECT_FALSE(middle.null.exact_error);
  EXPECT_EQ(middle.hidden, end.hidden);
  Block block(8, 2, 50);
  attention::draw_tokens(middle.inputs, Stream(Domain::test, 1), 0, block);
  attention::LayerTeacher(middle.layer).label(block);
  EXPECT_EQ(labels(middle), block.y);
}

TEST(Path, RefusesWhatTheEndRefuses) {
  EXPECT_THROW(make("path:d=6,m=6"), InputError);
  EXPECT_THROW(make("path:t=1.5"), InputError);
  EXPECT_THROW(make("path:k=3"), InputError);
}

TEST(Path, DigestsAreTheSameOnEveryMachine) {
  EXPECT_EQ(make("path").digest, "ab49559b87c42844931b89f8de41a77e128fe3a05b08af1277d64f7e082fb9c1");
}

TEST(LwrPath, BeginsAtANiceLayerOfAsManyHeadsAndEndsAtTheLwrInstance) {
  const std::string rest = "n=4,q=4,p=2,secret=fixed-weight,weight=2,seed=3";
  const Instance start = make("lwr-path:t=0," + rest), end = make("lwr-path:t=1," + rest),
                 lwr = make("lwr:" + rest);
  ASSERT_EQ(lwr.layer.m(), 8);
  const Instance nice = make("nice:d=9,k=2,m=8,seed=3");
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(start.layer.heads[i].theta, nice.layer.heads[i].theta);
    EXPECT_EQ(start.layer.heads[i].w, nice.layer.heads[i].w);
  }
  EXPECT_TRUE(start.hidden.empty());
  EXPECT_EQ(end.hidden, lwr.hidden);
  EXPECT_EQ(labels(end), labels(lwr));
  EXPECT_EQ(end.null.exact_error, lwr.null.exact_error);
}

TEST(LwrPath, IsLinearInBetweenAndLabelsByItsForwardPass) {
  const std::string rest = "n=4,q=4,p=2,secret=fixed-weight,weight=2";
  const Instance start = make("lwr-path:t=0," + rest), end = make("lwr-path:t=1," + rest),
                 middle = make("lwr-path:t=0.25," + rest);
  for (std::size_t i = 0; i < 8; ++i) {
    const auto between = [](const auto& from, const auto& to) { return 0.75 * from + 0.25 * to; };
    EXPECT_LE(
        (middle.layer.heads[i].theta - between(start.layer.heads[i].theta, end.layer.heads[i].theta)).norm(),
        1e-14);
    EXPECT_LE((middle.layer.heads[i].w - between(start.layer.heads[i].w, end.layer.heads[i].w)).norm(),
              1e-14);
  }
  EXPECT_FALSE(middle.exact);
  EXPECT_FALSE(middle.null.exact_error);
  EXPECT_THROW(make("lwr-path:q=12"), InputError);
  EXPECT_THROW(make("lwr-path:t=-0.1"), InputError);
}

}  // namespace
}  // namespace hardhead::hardness
