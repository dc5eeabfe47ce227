#include "learner/fits/gauss_newton.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "attention/samples/label_noise.h"
#include "learner/fits/fitting.h"
#include "learner/objective/blocks.h"
#include "tests/learner/nice_source.h"
#include "tests/refusal.h"

namespace hardhead::learner {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::fresh_error;
using ::testing::HasSubstr;
using testing::measure;
using testing::NiceSource;
using testing::run;

TEST(GaussNewton, RecoversANiceLayerAndCountsItsHeads) {
  for (const char* spec :
       {"nice:d=16,k=3,m=2,seed=105", "nice:d=8,k=3,m=3,seed=106", "nice:d=8,k=2,m=1,seed=107"}) {
    const NiceSource nice(spec);
    const Report report = run("gauss-newton", nice);
    EXPECT_EQ(report.ending, Ending::finished) << report.message;
    EXPECT_EQ(report.heads_found(), nice.layer().m()) << spec;
    EXPECT_LT(fresh_error(nice, report), 1e-20) << spec;
  }
}

TEST(GaussNewton, RecoversFromGaussianAndSphereInputs) {
  for (const char* inputs : {"gaussian", "sphere"}) {
    const NiceSource nice(std::string("nice:d=8,k=3,m=2,seed=108,inputs=") + inputs);
    EXPECT_LT(fresh_error(nice, run("gauss-newton", nice, {.heads = 2})), 1e-20) << inputs;
  }
}

TEST(GaussNewton, ReadsTheExamplesOfItsRuleAndNoMoreThanItIsAllowed) {
  const NiceSource nice("nice:d=16,k=3,m=2");
  EXPECT_EQ(run("gauss-newton", nice, {.heads = 2}).examples_used, 200);
  const NiceSource transformer("transformer:d=16,k=3,m=2");
  EXPECT_EQ(run("gauss-newton:rank=8", transformer, {.heads = 2}).examples_used, 1000);
  EXPECT_EQ(run("gauss-newton:oversampling=50", nice, {.heads = 2}).examples_used, 50 * 43);
  EXPECT_EQ(run("gauss-newton:oversampling=50", nice, {.heads = 2, .examples = 300}).examples_used, 300);
  // Heads not told: they are counted on what one head would need, and what 8 would need is not read.
  const Report report = run("gauss-newton:oversampling=30", nice);
  ASSERT_EQ(report.phases.size(), 2);
  EXPECT_EQ(report.phases[0].examples, 30 * 43);
  EXPECT_EQ(report.phases[1].examples, examples_for(16, 3, 2, 30));
  EXPECT_EQ(report.examples_used, 30 * 43);
}

TEST(GaussNewton, GoesStraightToTheNumberOfHeadsThatTheExamplesSuggest) {
  for (const char* spec : {"nice:d=16,k=3,m=4,seed=1", "low-rank:d=16,k=3,m=3,seed=2"}) {
    const NiceSource nice(spec);
    const Report report = run("gauss-newton", nice);
    ASSERT_EQ(report.phases.size(), 2) << spec;
    EXPECT_EQ(measure(report.phases[0], "heads"), nice.layer().m()) << spec;
    EXPECT_LT(fresh_error(nice, report), 1e-20) << spec;
  }
}

TEST(GaussNewton, CountsHeadsOnFromASuggestionThatIsTooSmall) {
  // Heads that share most of their Theta: one strength dwarfs the others.
  const NiceSource nice("degraded:d=16,k=3,m=4,seed=4");
  const Report report = run("gauss-newton", nice);
  ASSERT_LT(measure(report.phases[0], "heads"), 4);
  EXPECT_EQ(report.heads_found(), 4);
  EXPECT_LT(fresh_error(nice, report), 1e-20);
}

TEST(GaussNewton, CountsHeadsThatShareMostOfTheirThetaOnMostLayers) {
  int right = 0;
  for (int seed = 1; seed <= 20; ++seed) {
    const NiceSource nice("degraded:d=16,k=3,m=4,seed=" + std::to_string(seed));
    right += measure(run("gauss-newton", nice).phases[0], "heads") == 4 ? 1 : 0;
  }
  EXPECT_GE(right, 15) << "of 20; none where residuals are not whitened";
}

TEST(GaussNewton, LeavesOutAHeadThatTheSuggestionHadTooMany) {
  // Of this layer of one head the second strength stands out by chance.
  const NiceSource nice("nice:d=4,k=2,m=1,seed=10");
  const Report report = run("gauss-newton", nice);
  ASSERT_GT(measure(report.phases[0], "heads"), 1);
  EXPECT_EQ(report.heads_found(), 1);
  EXPECT_LT(fresh_error(nice, report), 1e-20);
}

TEST(GaussNewton, RecoversManyHeadsOfTwoTokensWhoseSignsItMustTurn) {
  const NiceSource nice("nice:d=12,k=2,m=12,seed=1");
  const Report report = run("gauss-newton:starts=1", nice, {.heads = 12});
  EXPECT_EQ(report.ending, Ending::finished) << report.message;
  EXPECT_LT(fresh_error(nice, report), 1e-20);
}

TEST(GaussNewton, RecoversFromTwiceThePatternBoundWithRestarts) {
  for (const char* spec :
       {"nice:d=16,k=3,m=2,seed=1", "nice:d=16,k=3,m=2,seed=2", "nice:d=16,k=3,m=2,seed=3"}) {
    const NiceSource nice(spec);
    const Report report =
        run("gauss-newton:starts=30", nice, {.heads = 2, .examples = 2 * pattern_bound(16, 3)});
    EXPECT_EQ(report.ending, Ending::finished) << report.message;
    EXPECT_LT(fresh_error(nice, report), 1e-18) << spec;
  }
}

TEST(GaussNewton, TakesFourTimesTheExamplesUpToSixtyFourTimesWhereNoFitPredicts) {
  const NiceSource hard("parity:d=12,m=3");
  const std::string one_start = "gauss-newton:starts=1,iterations=3";
  const Report report = run(one_start, hard, {.heads = 2});
  EXPECT_EQ(report.ending, Ending::failed);
  ASSERT_EQ(report.phases.size(), 4);
  const std::int64_t first = 4 * pattern_bound(12, 2);
  EXPECT_EQ(report.phases[0].examples, first);
  EXPECT_EQ(report.phases[1].examples, 4 * first);
  EXPECT_EQ(report.phases[2].examples, 16 * first);
  EXPECT_EQ(report.phases[3].examples, 64 * first);
  EXPECT_EQ(report.examples_used, 64 * first);
  // As far as it is allowed to read, and not twice on the same examples.
  EXPECT_EQ(run(one_start, hard, {.heads = 2, .examples = 4 * first}).phases.size(), 2);
  EXPECT_EQ(run(one_start, hard, {.heads = 2, .examples = first}).phases.size(), 1);
}

TEST(GaussNewton, LearnsAParityWithSpareHeadsFromMoreExamplesThanItBeganWith) {
  const NiceSource hard("parity:d=8,m=2");
  const Report report = run("gauss-newton", hard, {.heads = 8});
  EXPECT_LT(fresh_error(hard, report), 1e-4) << report.message;
  EXPECT_GT(measure(report.phases.front(), "holdout_error"), 0.9) << "four examples for each unknown number";
}

// One of its starts is on the diagonal.
TEST(GaussNewton, LearnsAParityOfThreeBitsToldNothing) {
  const NiceSource hard("parity:d=8,m=3");
  const Report report = run("gauss-newton", hard);
  EXPECT_LT(fresh_error(hard, report), 1e-10) << report.message;
}

TEST(GaussNewton, WhereNoHeadStandsOutItFitsMostHeadsOnMoreAndMoreExamples) {
  const NiceSource hard("parity:d=12,m=6,base=4");
  const Report report = run("gauss-newton:oversampling=1,starts=1", hard);
  ASSERT_EQ(report.ending, Ending::failed);
  ASSERT_EQ(measure(report.phases[0], "heads"), 0);
  const Phase& first_fit = report.phases[1];
  EXPECT_EQ(first_fit.name, "fit_7_heads") << "half of those that the examples determine";
  ASSERT_GT(measure(first_fit, "holdout_error"), 2 * measure(first_fit, "training_error"));
  EXPECT_EQ(report.phases[2].name, "count_heads") << "on four times the examples";
  EXPECT_EQ(report.phases.back().name, "fit_16_heads") << "which did not overfit, so that fewer do no better";
  EXPECT_EQ(report.phases.back().examples, 64 * counting_bound(12, 2, 16));
}

// What one head leaves of such labels is below the error at which heads that can be spared are looked for.
TEST(GaussNewton, TriesMoreHeadsOnNoisyLabelsOnlyForAsLongAsTheyHelp) {
  const NiceSource nice("nice:d=8,k=3,m=2,seed=3");
  const attention::NoisySource noisy(std::make_shared<attention::SimulatedSource>(nice.source),
                                     std::make_shared<attention::GaussianNoise>(0.1),
                                     Stream(Domain::samples, 2));
  const Report report = learn(Spec::parse("gauss-newton"), noisy, {}, {});
  EXPECT_NE(report.ending, Ending::finished);
  EXPECT_LT(fresh_error(nice, report), 0.01);
  // Of two heads, as they are, and of the fit on most examples, whatever chance does to held-back errors.
  ASSERT_TRUE(report.layer);
  EXPECT_EQ(report.heads_found(), 2);
  std::vector<double> errors;
  for (const Phase& one : report.phases)
    if (one.name == "fit_2_heads")
      errors.push_back(relative_error(read_blocks(nice.source, 50'000'000, 2000, {}),
                                      std::get<attention::Layer>(one.estimates.front())));
  ASSERT_GT(errors.size(), 1);
  EXPECT_EQ(fresh_error(nice, report), errors.back());
  EXPECT_THROW(testing::phase(report, "fit_9_heads"), std::out_of_range);
}

TEST(GaussNewton, KeepsAHeadThatMattersLittle) {
  const NiceSource nice("nice:d=8,k=2,m=2,seed=3");
  attention::Layer layer = nice.layer();
  layer.heads[1].w *= 1e-3;
  const attention::SimulatedSource source(std::make_shared<attention::LayerTeacher>(layer), 8, 2,
                                          nice.instance.inputs, Stream(Domain::samples, 1, "weak"));
  const Report report = learn(Spec::parse("gauss-newton"), source, {}, {});
  EXPECT_EQ(report.heads_found(), 2) << report.message;
  EXPECT_LT(relative_error(read_blocks(source, 50'000'000, 2000, {}), *report.layer), 1e-10);
}

// With heads that can be spared it would end slowly, at 1e-13 (the next test).
TEST(GaussNewton, LeavesOutSpareHeadsBeforeTheEndOfAFit) {
  const NiceSource hard("parity:d=8,m=2,variant=minimal");
  const Report report = run("gauss-newton", hard);
  EXPECT_EQ(report.heads_found(), 2) << report.message;
  EXPECT_LT(fresh_error(hard, report), 1e-20) << report.message;
}

// Near heads of which two can do the same, errors go down by a constant factor a step.
TEST(GaussNewton, EndsASlowFitOnceItPredictsExactly) {
  const NiceSource hard("parity:d=8,m=2,variant=minimal");
  const Report report = run("gauss-newton", hard, {.heads = 8});
  EXPECT_EQ(report.ending, Ending::finished) << report.message;
  const double error = measure(report.phases.back(), "holdout_error");
  EXPECT_LE(error, exact_prediction);
  EXPECT_GT(error, 1e-20) << "not slow: another layer shows it";
  EXPECT_LT(measure(report.phases.back(), "iterations"), 100) << "the limit of a start";
}

TEST(GaussNewton, BelowThePatternBoundTriesOnceAndSaysWhy) {
  const NiceSource nice("nice:d=16,k=3,m=2");
  const Report report = run("gauss-newton:starts=30", nice, {.heads = 2, .examples = 40});
  EXPECT_EQ(report.ending, Ending::failed);
  EXPECT_EQ(measure(report.phases.front(), "starts"), 1);
  EXPECT_THAT(report.message, HasSubstr("36 examples fitted, d^2 / (k (k-1)) = 43 needed"));
}

TEST(GaussNewton, ConvergesQuadraticallyNearTheSolution) {
  const NiceSource nice("nice:d=8,k=3,m=2");
  const auto training = read_blocks(nice.source, 0, 900, RunContext{});
  const auto holdout = read_blocks(nice.source, 900, 100, RunContext{});
  attention::Layer start = nice.layer();
  for (attention::Head& head : start.heads) head.theta *= 1.05, head.w *= 0.95;
  const GaussNewtonResult result = gauss_newton(training, holdout, start, {}, RunContext{}, "fit");
  EXPECT_EQ(result.ending, GaussNewtonEnding::converged);
  EXPECT_LE(result.iterations, 5);
  EXPECT_LT(result.holdout_error, 1e-26);
}

TEST(GaussNewton, LearnsNothingOfAHiddenParity) {
  const NiceSource hard("parity:d=20,m=6");
  const Report report = run("gauss-newton:starts=1,iterations=30", hard, {.heads = 8, .examples = 12'800});
  EXPECT_EQ(report.ending, Ending::failed);
  EXPECT_GT(fresh_error(hard, report), 0.95);  // the null predictor's error is 1
}

TEST(GaussNewton, RecoversHeadsOfLowRankFromFewerExamplesThanWholeMatricesNeed) {
  const NiceSource nice("low-rank:d=32,k=3,m=2,seed=1");
  const std::int64_t examples = pattern_bound(32, 3) - 1;
  const Report report = run("gauss-newton:rank=2,value_rank=32", nice, {.heads = 2, .examples = examples});
  EXPECT_LT(fresh_error(nice, report), 1e-20) << report.message;
  EXPECT_EQ(measure(report.phases.back(), "counting_bound"), 24);  // 2 (2 62 + 32^2) / 96
}

TEST(GaussNewton, RecoversATransformersHeadsInFactors) {
  const NiceSource nice("transformer:d=32,k=4,m=4,seed=1");
  const Report report = run("gauss-newton:rank=8", nice, {.heads = 4, .examples = 400});
  EXPECT_LT(fresh_error(nice, report), 1e-20) << report.message;
}

// Three random starts find two of ten such layers.
TEST(GaussNewton, FindsHeadsInFactorsFromWhatLabelsSayToFirstOrder) {
  int recovered = 0;
  for (int seed = 1; seed <= 10; ++seed) {
    const NiceSource nice("transformer:d=32,k=4,m=4,seed=" + std::to_string(seed));
    const Report report = run("gauss-newton:rank=8,starts=1", nice, {.heads = 4, .examples = 152});
    if (fresh_error(nice, report) < 1e-20) ++recovered;
  }
  EXPECT_GE(recovered, 4);
}

// The pattern bound is 896. At the fewest examples a fit says far more of them than of others, and goes on
// with twice as many, and twice as many again, from where it is: no new look at first order.
TEST(GaussNewton, HeadsInFactorsGoOnWithTwiceTheExamplesWhereTheseBarelyDetermineThem) {
  for (int seed = 1; seed <= 3; ++seed) {
    const NiceSource nice("transformer:d=64,k=2,m=4,seed=" + std::to_string(seed));
    const Report report = run("gauss-newton:rank=16,oversampling=1", nice, {.heads = 4});
    EXPECT_EQ(report.phases[0].name, "first_order");
    std::vector<std::int64_t> examples;
    for (std::size_t i = 1; i < report.phases.size(); ++i) {
      EXPECT_EQ(report.phases[i].name, "fit_4_heads");
      examples.push_back(report.phases[i].examples);
      if (i == 1) continue;
      EXPECT_GT(measure(report.phases[i - 1], "holdout_error"),
                5 * measure(report.phases[i - 1], "training_error"));
      ASSERT_FALSE(report.phases[i].curve.empty());
      EXPECT_LT(report.phases[i].curve.front().holdout_error,
                1.5 * measure(report.phases[i - 1], "holdout_error"))
          << "goes on from where it was";
    }
    EXPECT_THAT(examples, ElementsAre(1000, 1792, 3584)) << seed;
    EXPECT_LT(fresh_error(nice, report), 1e-20) << report.message;
  }
}

// One residual atan(p): from 5 on a Gauss-Newton step goes over to a larger one, and up to 20 cuts mend it.
class Arctangent : public Linearised {
 public:
  struct Seen {
    int products = 0;
    double least_error = 10;
  };

  Arctangent(const Stacked& p, Seen& seen) : seen_(seen) { move_to(p); }
  void move_to(const Stacked& p) override {
    residual_ = std::atan(p(0, 0));
    slope_ = 1 / (1 + p(0, 0) * p(0, 0));
    gradient_ = Stacked::Constant(1, 1, residual_ * slope_);
    seen_.least_error = std::min(seen_.least_error, relative_error());
  }
  double relative_error() const override { return residual_ * residual_; }
  const Stacked& gradient() const override { return gradient_; }
  Stacked normal_product(const Stacked& v) const override {
    ++seen_.products;
    return slope_ * slope_ * v;
  }
  std::unique_ptr<const Preconditioner> preconditioner() const override {
    struct Exact : Preconditioner {
      explicit Exact(double of) : square(of) {}
      Stacked apply(const Stacked& v) const override { return square * v; }
      Stacked solve(const Stacked& v) const override { return v / square; }
      double square;
    };
    return std::make_unique<Exact>(slope_ * slope_);
  }

 private:
  Seen& seen_;
  double residual_ = 0, slope_ = 0;
  Stacked gradient_;
};

TEST(GaussNewton, CutsAStepBeforeItSeeksAnother) {
  const NiceSource nice("nice:d=1,k=2,m=1");
  const auto holdout = read_blocks(nice.source, 0, 10, {});
  for (const double start : {5.0, 10.0, 20.0}) {
    const auto fitted = [&](int most_cuts) {
      Arctangent::Seen seen;
      const FitProblem problem = {
          .layer = [&](const Stacked&) { return nice.layer(); },
          .linearised = [&](const Stacked& p) { return std::make_unique<Arctangent>(p, seen); },
          .most_cuts = most_cuts};
      GaussNewton fit(problem, holdout, Stacked::Constant(1, 1, start), {}, {});
      fit.minimise({}, "fit");
      return seen;
    };
    const Arctangent::Seen cut = fitted(3), dropped = fitted(0);
    EXPECT_LT(cut.least_error, 1e-29) << start;
    EXPECT_LT(dropped.least_error, 1e-29) << start;
    EXPECT_LT(cut.products, dropped.products) << start;
  }
}

// Two heads of rank 3 with biases of values and of the output: W_i has rank 4, and no V_i O_i of rank 3 the
// same sum of biases.
TEST(GaussNewton, HeadsInFactorsHaveBiasesWhereTokensHaveTheConstantFeature) {
  const NiceSource plain("transformer:d=12,k=3,m=4,seed=1");
  attention::Layer layer{13, {}};
  for (std::size_t i = 0; i < 2; ++i) {
    attention::Head head{attention::Matrix::Zero(13, 13), attention::Matrix::Zero(13, 13)};
    head.theta.topLeftCorner(12, 12) = plain.layer().heads[i].theta;
    head.w.topLeftCorner(12, 12) = plain.layer().heads[i].w;
    head.w.row(12).head(12).setLinSpaced(-1, 1);
    layer.heads.push_back(std::move(head));
  }
  const attention::SimulatedSource source(std::make_shared<attention::LayerTeacher>(layer), 13, 3,
                                          attention::Inputs::gaussian_and_one,
                                          Stream(Domain::samples, 1, "biases"));
  const auto error_with = [&](const char* method) {
    const Report report = learn(Spec::parse(method), source, {.heads = 2}, {});
    return relative_error(read_blocks(source, 50'000'000, 2000, {}), *report.layer);
  };
  EXPECT_LT(error_with("gauss-newton:rank=3"), 1e-20);
  EXPECT_LT(error_with("gauss-newton:ranks=found,rank=3"), 1e-10) << "singular: it ends anywhere below";
  EXPECT_GT(error_with("gauss-newton:rank=3,value_rank=3"), 1e-6);
}

TEST(GaussNewton, FindsRanksThatItIsNotTold) {
  const NiceSource nice("transformer:d=32,k=4,m=4,seed=1");
  const Report report = run("gauss-newton:ranks=found", nice, {.heads = 4, .examples = 2000});
  EXPECT_LT(fresh_error(nice, report), 1e-20) << report.message;
  EXPECT_EQ(measure(report.phases.back(), "rank"), 8);
  EXPECT_EQ(measure(report.phases.back(), "value_rank"), 8);
}

// d / m is 4 here, and the W_i have twice that.
TEST(GaussNewton, TriesLargerRanksUntilOneIsEnough) {
  const NiceSource low_rank("low-rank:d=8,k=3,m=2,rank=3,seed=1");
  const Report report = run("gauss-newton:ranks=found", low_rank, {.heads = 2});
  EXPECT_LT(fresh_error(low_rank, report), 1e-20) << report.message;
  EXPECT_EQ(measure(report.phases.back(), "rank"), 3);
  EXPECT_EQ(measure(report.phases.back(), "value_rank"), 8);
  EXPECT_GT(report.phases.size(), 2) << "the first rank is too small";
  const Report capped = run("gauss-newton:ranks=found,rank=4", low_rank, {.heads = 2, .examples = 1000});
  EXPECT_EQ(capped.ending, Ending::failed);
}

TEST(GaussNewton, KeepsTheCurveOfItsErrorAgainstSteps) {
  const NiceSource nice("nice:d=8,k=3,m=2,seed=1");
  const Report report = run("gauss-newton", nice, {.heads = 2});
  const std::vector<CurvePoint>& curve = report.phases.back().curve;
  ASSERT_GT(curve.size(), 3);
  EXPECT_EQ(curve.front().steps, 0);
  EXPECT_LE(curve.back().steps, measure(report.phases.back(), "iterations"));
  EXPECT_EQ(curve.back().holdout_error, measure(report.phases.back(), "holdout_error"));
  for (std::size_t i = 1; i < curve.size(); ++i) {
    EXPECT_GT(curve[i].steps, curve[i - 1].steps);
    EXPECT_GE(curve[i].seconds, curve[i - 1].seconds);
  }
}

TEST(GaussNewton, HeadsWithRankNeedAsManyExamplesAsTheyHaveUnknowns) {
  const NiceSource nice("transformer:d=32,k=4,m=4,seed=1");
  const Task four_heads{.heads = 4};
  const auto least = [&](const char* method) {
    return Learner(Spec::parse(method)).by_examples().least_examples({32, 4}, four_heads);
  };
  EXPECT_EQ(least("gauss-newton"), counting_bound(32, 4, 4));
  EXPECT_EQ(least("gauss-newton:rank=0"), counting_bound(32, 4, 4)) << "whole matrices";
  EXPECT_EQ(least("gauss-newton:rank=8"), 28);                // 4 2 8 56 / 128
  EXPECT_EQ(least("gauss-newton:rank=8,value_rank=32"), 46);  // 4 (8 56 + 32^2) / 128
  EXPECT_EQ(least("gauss-newton:rank=32"), counting_bound(32, 4, 4));
  EXPECT_EQ(least("gauss-newton:ranks=found"), 28) << "the first rank that is tried is 8";
  EXPECT_NO_THROW(run("gauss-newton:rank=8,iterations=1", nice, {.heads = 4, .examples = 28}));
  EXPECT_THAT(refusal_of([&] { run("gauss-newton:rank=8", nice, {.heads = 4, .examples = 27}); }),
              AllOf(HasSubstr("27 examples are fewer than the counting bound 28"),
                    HasSubstr("d = 32, k = 4, m = 4")));
}

TEST(GaussNewton, RefusesRanksThatNoHeadHas) {
  const NiceSource nice("nice:d=8,k=3,m=2");
  const auto refusal = [&](const char* method) { return refusal_of([&] { run(method, nice); }); };
  EXPECT_THAT(refusal("gauss-newton:rank=9"), HasSubstr("a rank of 9 is more than d = 8"));
  EXPECT_THAT(refusal("gauss-newton:rank=4,value_rank=9"), HasSubstr("a rank of 9 is more than d = 8"));
  EXPECT_THAT(refusal("gauss-newton:value_rank=4"), HasSubstr("value_rank=4 needs rank"));
  EXPECT_THAT(refusal("gauss-newton:rank=-1"), HasSubstr("rank=-1"));
  EXPECT_THAT(refusal("gauss-newton:ranks=found,rank=9"), HasSubstr("a rank of 9 is more than d = 8"));
  EXPECT_THAT(refusal("gauss-newton:ranks=guessed"), HasSubstr("given | found"));
}

TEST(GaussNewton, OfHeadsOfAHigherRankItSaysThatItDidNotFindThem) {
  const NiceSource nice("nice:d=8,k=3,m=2");
  const Report report = run("gauss-newton:rank=2", nice, {.heads = 2, .examples = 1000});
  EXPECT_EQ(report.ending, Ending::failed);
  EXPECT_THAT(report.message, HasSubstr("from no start did 2 heads predict held-back examples"));
  EXPECT_GT(fresh_error(nice, report), 1e-3);
}

TEST(GaussNewton, HandsBackTheBestLayerSoFarWhenStoppedMidway) {
  const NiceSource nice("nice:d=16,k=3,m=3");
  std::atomic<bool> stop = false;
  RunContext context;
  context.stop = StopToken(&stop);
  context.progress.on_progress = [&](std::string_view, double done) { stop = stop || done > 0.03; };
  const Report report = learn(Spec::parse("gauss-newton"), nice.source, {.heads = 3}, context);
  EXPECT_EQ(report.ending, Ending::stopped);
  ASSERT_TRUE(report.layer);
  const double error = fresh_error(nice, report);
  EXPECT_LT(error, 1);
  EXPECT_GT(error, 1e-10) << "it had no time to converge";
}

}  // namespace
}  // namespace hardhead::learner
