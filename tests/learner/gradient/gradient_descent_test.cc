#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include <atomic>

#include "learner/objective/loss.h"
#include "tests/learner/nice_source.h"

namespace hardhead::learner {
namespace {

using testing::fresh_error;
using ::testing::HasSubstr;
using testing::measure;
using testing::NiceSource;
using testing::phase;
using testing::run;

TEST(Adam, RecoversNiceLayersOfWhichItIsToldNothing) {
  for (const char* spec : {"nice:d=16,k=3,m=2,seed=1", "nice:d=16,k=3,m=2,seed=2,inputs=gaussian",
                           "nice:d=16,k=3,m=2,seed=3,inputs=sphere", "nice:d=8,k=2,m=1,seed=4"}) {
    const NiceSource nice(spec);
    const Report report = run("adam", nice);
    EXPECT_EQ(report.ending, Ending::finished) << spec << ": " << report.message;
    EXPECT_LT(fresh_error(nice, report), 1e-10) << spec;
    EXPECT_EQ(report.heads_found(), nice.layer().m()) << spec;
  }
}

// The exclusive or of two hidden bits, to which every single correlation is blind.
TEST(Adam, LearnsASmallParity) {
  const NiceSource parity("parity:d=8,m=2");
  const Report report = run("adam:student=16,steps=3000,batch=128,rate=0.01", parity);
  EXPECT_LT(fresh_error(parity, report), 0.01) << report.message;
}

// What Adam's steps add to the entries off the diagonal is noise here, and without shrinkage it wins.
TEST(Adam, LearnsByShrinkageWhatElseDrownsInNoise) {
  const NiceSource parity("parity:d=16,m=5");
  const std::string method = "adam:student=32,batch=128,rate=0.004,steps=5000,schedule=constant,until=0.02";
  EXPECT_LT(fresh_error(parity, run(method, parity)), 0.05);
  EXPECT_GT(fresh_error(parity, run(method + ",shrinkage=0", parity)), 0.9);
}

// A penalty that stayed would hold a dense form away from the layer.
TEST(Adam, IsNotBiasedByShrinkage) {
  const NiceSource nice("nice:d=8,k=2,m=2");
  const Report report = run("adam:student=8,steps=8000,batch=128,until=0.01,shrinkage=1", nice);
  EXPECT_LE(measure(phase(report, "descent"), "holdout_error"), 0.01) << report.message;
}

TEST(GradientDescent, EndsAtTheErrorThatItIsAskedFor) {
  const NiceSource nice("nice:d=8,k=2,m=2");
  const std::string method = "adam:student=8,steps=3000,batch=128,schedule=constant";
  const Report soon = run(method + ",until=0.3", nice), later = run(method, nice);
  EXPECT_EQ(soon.ending, Ending::finished) << soon.message;
  EXPECT_LE(measure(soon.phases.back(), "holdout_error"), 0.3);
  EXPECT_GT(fresh_error(nice, soon), 1e-2) << "no more than it was asked for";
  EXPECT_LT(fresh_error(nice, later), 1e-2);
  EXPECT_LT(soon.examples_used, later.examples_used);
}

TEST(GradientDescent, LearnsWithEveryRuleLossAndShape) {
  const NiceSource nice("nice:d=8,k=2,m=2");
  for (const char* method :
       {"adam:student=8", "adam:student=8,theta=low-rank,rank=8", "adam:student=8,loss=l1", "sgd:student=8",
        "sign-sgd:student=8", "adam:student=8,schedule=linear,off_diagonal=1"}) {
    const Report report = run(std::string(method) + ",steps=2000,batch=64", nice);
    EXPECT_LT(fresh_error(nice, report), 0.1) << method << ": " << report.message;
  }
  const NiceSource diagonal("diagonal:d=8,k=2,m=2");
  EXPECT_LT(fresh_error(diagonal, run("adam:student=8,theta=diagonal,steps=2000,batch=64", diagonal)), 0.1);
}

TEST(GradientDescent, OfADiagonalStudentHandsBackDiagonalForms) {
  const NiceSource nice("nice:d=8,k=2,m=2");
  const Report report = run("adam:student=4,theta=diagonal,steps=20", nice);
  for (const attention::Head& head : report.layer.value().heads) EXPECT_TRUE(head.theta.isDiagonal(0));
}

TEST(GradientDescent, CountsDistinctExamplesAndGoesRoundWhenTheyRunOut) {
  const NiceSource nice("nice:d=8,k=2,m=2");
  EXPECT_EQ(run("adam:student=2,steps=10,batch=50", nice).examples_used, 500 + 250);  // a tenth is held back
  const Report capped = run("adam:student=2,steps=100,batch=50", nice, {.examples = 1000});
  EXPECT_EQ(capped.examples_used, 1000);
  EXPECT_NEAR(measure(phase(capped, "descent"), "rounds"), 5000.0 / 900, 1e-12);
  const Report whole = run("adam:student=2,steps=3,batch=1000", nice, {.examples = 100});
  EXPECT_EQ(whole.examples_used, 100);
  EXPECT_EQ(measure(phase(whole, "descent"), "rounds"), 3) << "a batch is all there is at most";
}

TEST(GradientDescent, IsBitIdenticalForOneAndTwoThreads) {
  const NiceSource nice("nice:d=8,k=3,m=2");
  for (const char* method : {"adam:student=4,steps=60,batch=500", "sign-sgd:student=4,steps=60,batch=500"}) {
    const auto layer_with = [&](int threads) {
      Report report;
      tbb::task_arena(threads).execute([&] { report = run(method, nice, {.examples = 5000}); });
      return stack(report.layer.value());
    };
    EXPECT_TRUE(layer_with(1) == layer_with(2)) << method;
  }
}

TEST(GradientDescent, StudentHasTheHeadsAskedForOrFourTimesThoseStated) {
  const NiceSource nice("nice:d=8,k=2,m=2");
  EXPECT_EQ(run("adam:steps=1", nice).heads_found(), 64);
  EXPECT_EQ(run("adam:steps=1", nice, {.heads = 20}).heads_found(), 80);
  EXPECT_EQ(run("adam:steps=1,student=3", nice, {.heads = 2}).heads_found(), 3);
}

TEST(GradientDescent, SaysWhatEndedIt) {
  const NiceSource nice("nice:d=8,k=2,m=2");
  const Report short_run = run("adam:student=8,steps=5", nice);
  EXPECT_EQ(short_run.ending, Ending::failed);
  EXPECT_EQ(short_run.failed_phase, "descent");
  EXPECT_THAT(short_run.message, HasSubstr("steps ran out after 5"));
  const NiceSource hard("parity:d=12,m=6");
  EXPECT_THAT(run("adam:student=32,steps=3000,batch=64", hard, {.examples = 500}).message,
              HasSubstr("the student fits its examples and no others"));
  EXPECT_THAT(run("adam:student=4,steps=3000,batch=64,patience=300", hard).message,
              HasSubstr("held-back error stopped falling"));
  EXPECT_THAT(run("sgd:student=4,steps=300,rate=1000", nice).message, HasSubstr("parameters overflowed"));
}

TEST(GradientDescent, TriesAsManyStartsAsItIsAllowed) {
  const NiceSource hard("parity:d=12,m=6");
  const Report report = run("adam:student=2,steps=100,batch=16,starts=3", hard);
  ASSERT_EQ(report.phases.size(), 3);
  EXPECT_EQ(report.phases.back().name, "descent_3");
  EXPECT_NE(measure(report.phases[0], "holdout_error"), measure(report.phases[1], "holdout_error"));
  EXPECT_THAT(report.message, HasSubstr("after 300"));
}

TEST(GradientDescent, StoppedMidwayItHandsBackWhatItHas) {
  const NiceSource nice("nice:d=16,k=3,m=2");
  std::atomic<bool> stop = false;
  RunContext context;
  context.stop = StopToken(&stop);
  context.progress.on_progress = [&](std::string_view, double done) { stop = stop || done > 0.09; };
  const Report report = run("adam:student=8,steps=2000", nice, {}, context);
  EXPECT_EQ(report.ending, Ending::stopped);
  EXPECT_THAT(report.message, HasSubstr("interrupted"));
  EXPECT_LT(fresh_error(nice, report), 0.6);
}

}  // namespace
}  // namespace hardhead::learner
