#include "study/run/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <nlohmann/json.hpp>

#include "attention/files/safetensors.h"
#include "base/error.h"
#include "base/statistics/median.h"
#include "base/text/record_json.h"
#include "learner/method.h"
#include "learner/recorder.h"
#include "study/run/memory.h"
#include "study/sweep/compare.h"
#include "tests/scratch_folder.h"

namespace hardhead::study {
namespace {

RunOptions quick(const char* method, std::int64_t examples) {
  RunOptions options;
  options.method = Spec::parse(method);
  options.task.heads = 2;
  options.task.examples = examples;
  return options;
}

TEST(Run, ANiceInstanceIsRecoveredAndMeasuredPhaseByPhase) {
  const RunResult result = run(open_problem("nice:d=8,k=2,m=2", {}), quick("gauss-newton", 2000), {});
  EXPECT_EQ(result.score.outcome, Outcome::recovered) << result.report.message;
  EXPECT_LE(result.score.test_error, 1e-20);
  EXPECT_NEAR(result.score.advantage, 1, 1e-9);
  EXPECT_EQ(result.score.degree, Degree::recovered);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_LE(*result.score.parameter_error->theta_error[i], 1e-9);
    EXPECT_LE(*result.score.parameter_error->w_error[i], 1e-9);
  }
  std::vector<std::string> names;
  for (const learner::Phase& phase : result.report.phases)
    for (const auto& [name, value] : phase.measures) names.push_back(name);
  EXPECT_THAT(names, testing::IsSupersetOf({"test_error", "theta_error", "w_error"}));
}

/// Says what a layer says, or has nothing to say without one.
learner::Predictor predictor_of(const attention::Layer& layer) {
  return [layer](const attention::SampleSource&, std::int64_t, const RunContext&) -> learner::Answers {
    if (layer.heads.empty()) throw learner::Failed{"nothing to say", "python"};
    const auto teacher = std::make_shared<attention::LayerTeacher>(layer);
    return [teacher](std::int64_t, attention::Block& block) { teacher->label(block); };
  };
}

/// Hands back a layer, or what it predicts.
struct Knowing final : learner::ExampleAlgorithm {
  Knowing(attention::Layer given, bool does_predict) : layer(std::move(given)), predicts(does_predict) {}
  void run(const learner::Run& run) const override {
    run.recorder.phase("python", [&](learner::Phase&) {
      if (predicts)
        run.recorder.report().predictor = predictor_of(layer);
      else
        run.recorder.report().layer = layer;
    });
  }
  attention::Layer layer;
  bool predicts;
};

/// A learner that no list has.
learner::Learner outside(const Knowing& knowing) {
  const auto method = std::make_shared<learner::Method>();
  method->name = "mine, 1.0";
  method->configure = [knowing](const Spec&) { return std::make_shared<Knowing>(knowing); };
  method->canonical = [](const Spec& spec) { return spec; };
  return learner::Learner::of(method, {method->name, {}});
}

TEST(Run, AnOutsideLearnerIsScoredAsThoseOfTheLibrary) {
  const Problem problem = open_problem("nice:d=6,k=2,m=2", {});
  attention::Layer near = *problem.truth;
  for (attention::Head& head : near.heads) head.theta *= 1.1;
  RunOptions options;
  const RunResult as_layer = run(problem, {.method = outside(Knowing(near, false))}, {}),
                  as_answers = run(problem, {.method = outside(Knowing(near, true))}, {});
  const Score expected = score_layer(problem, &near, options.recovery);
  EXPECT_EQ(as_layer.score.test_error, expected.test_error);
  EXPECT_EQ(as_layer.score.advantage_interval->low, expected.advantage_interval->low);
  EXPECT_EQ(as_layer.score.heads_found, 2);
  EXPECT_NEAR(as_answers.score.test_error, expected.test_error, 1e-12);
  EXPECT_NEAR(as_answers.score.advantage_interval->high, expected.advantage_interval->high, 1e-9);
  EXPECT_EQ(as_answers.score.degree, expected.degree);
  EXPECT_FALSE(as_answers.score.heads_found);
  EXPECT_EQ(as_answers.request.method.str(), "mine, 1.0");
  EXPECT_FALSE(as_answers.report.predictor) << "it may hold anything";
}

TEST(Run, APredictorThatFailsIsALearnerThatFailed) {
  const Problem problem = open_problem("nice:d=6,k=2,m=2", {});
  const RunResult result = run(problem, {.method = outside(Knowing({}, true))}, {});
  EXPECT_EQ(result.report.failed_phase, "python");
  EXPECT_EQ(result.score.degree, Degree::nothing);
  EXPECT_EQ(result.score.test_error, problem.null_error);
  EXPECT_THAT(result.report.message, testing::HasSubstr("nothing to say"));
}

// Each sign of each head: all of them are one function of two tokens.
TEST(Run, ALayerOfTurnedHeadsIsScoredAsRight) {
  const Problem problem = open_problem("nice:d=8,k=2,m=2", {});
  for (const int turned : {1, 2, 3}) {
    attention::Layer layer = *problem.truth;
    attention::Head constant{attention::Matrix::Zero(8, 8), attention::Matrix::Zero(8, 8)};
    for (std::size_t i = 0; i < 2; ++i) {
      if ((turned >> i) % 2 == 0) continue;
      attention::Head& head = layer.heads[i];
      constant.w += 2 * head.w;
      head = {-head.theta, -head.w};
    }
    layer.heads.push_back(constant);
    const Score score = score_layer(problem, &layer, 1e-10);
    EXPECT_EQ(score.outcome, Outcome::recovered);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_LE(*score.parameter_error->theta_error[i], 1e-12);
      EXPECT_LE(*score.parameter_error->w_error[i], 1e-12);
    }
  }
}

// Judged in full it would take longer than anybody who has interrupted it waits.
TEST(Run, AnInterruptedLearnersLayerIsJudgedOnFewExamples) {
  std::atomic<bool> stop = false;
  RunContext context;
  context.stop = StopToken(&stop);
  context.progress.on_progress = [&](std::string_view phase, double done) {
    if (phase == "fit_4_heads" && done > 0.1) stop = true;
  };
  RunOptions options = quick("gauss-newton", 12'000);
  options.task.heads = 4;
  const Problem problem = open_problem("nice:d=80,k=2,m=4", {});
  const RunResult result = run(problem, options, context);
  EXPECT_EQ(result.score.outcome, Outcome::stopped);
  ASSERT_TRUE(result.report.layer) << result.report.message;
  EXPECT_LE(result.problem.test_count, problem.test_count);
  EXPECT_TRUE(result.score.parameter_error && !result.score.parameter_error->theta_error[0]);
  EXPECT_LT(result.score.test_error, 1);
  EXPECT_GT(result.score.test_error, 1e-6);
  EXPECT_THAT(result.report.message, testing::HasSubstr("test examples, and heads are not compared"));
}

TEST(Run, WithoutALayerTheScoreIsThatOfTheNullPredictor) {
  std::atomic<bool> stop = true;
  RunContext context;
  context.stop = StopToken(&stop);
  const RunResult result = run(open_problem("parity:d=12,m=4", {}), quick("gauss-newton", 2000), context);
  EXPECT_EQ(result.score.outcome, Outcome::stopped);
  ASSERT_FALSE(result.report.layer);
  EXPECT_EQ(result.score.test_error, 1);
  EXPECT_EQ(result.score.advantage, 0);
  EXPECT_EQ(result.score.degree, Degree::nothing);
  EXPECT_THAT(result.report.message, testing::HasSubstr("scored as the null predictor"));
  EXPECT_FALSE(result.score.parameter_error->theta_error[0]);

  const Problem easy = open_problem("nice:d=12,k=2", {});
  ASSERT_LT(easy.null_error, 0.6) << "zeros would be far worse";
  const RunResult nothing = run(easy, quick("gauss-newton", 2000), context);
  ASSERT_FALSE(nothing.report.layer);
  EXPECT_EQ(nothing.score.test_error, easy.null_error);
  EXPECT_EQ(nothing.score.advantage, 0);
  EXPECT_EQ(nothing.score.advantage_interval->high, 0);
}

TEST(Run, IsStoppedWhileItIsJudged) {
  const Problem problem = open_problem("nice:d=128,k=2,m=8", {});
  std::atomic<bool> stop = false;
  RunContext context;
  context.stop = StopToken(&stop);
  context.progress.on_progress = [&](std::string_view phase, double) { stop = stop || phase == "test"; };
  EXPECT_THROW(run(problem, quick("phase1", 2000), context), Stopped);
  EXPECT_TRUE(stop);
}

TEST(Run, ALayerThatNoiseKeepsFromRecoveryIsLearnt) {
  // Noise keeps the error above 1e-10, and the layer is learnt for all that.
  const RunResult result =
      run(open_problem("degraded:which=label_noise,knob=0.2", {}), quick("gauss-newton", 20'000), {});
  EXPECT_EQ(result.score.outcome, Outcome::not_recovered);
  EXPECT_EQ(result.score.degree, Degree::learnt) << result.score.advantage;
  ASSERT_TRUE(result.score.likely_cause);
  EXPECT_EQ(result.score.likely_cause->condition, LikelyCause::label_noise);
}

TEST(Run, PredictionsForHeldBackExamplesAreJudgedByLabelsWithoutNoise) {
  const Problem problem = open_problem("degraded:which=label_noise,knob=0.2", {});
  constexpr std::int64_t examples = 1000, first = 900;
  attention::Block held(problem.d, problem.k, examples - first);
  exact_examples_of(*problem.instance, Domain::samples, 1)->read(first, held);
  std::vector<double> truth(static_cast<std::size_t>(held.y.size()));
  attention::write_as_array(held.y, held.k, truth.data());
  const ScratchFolder folder;
  {
    attention::SafetensorsWriter writer(
        folder.path("known"), {{"y_held_back", attention::DType::f64, {held.count, held.k, held.d()}}}, {});
    writer.write(0, 0, truth);
    writer.commit();
  }
  const std::string program = "exec:answer() { cp " + folder.path("known") + " \"$2\"; }; answer";
  RunOptions options = quick("phase1", examples);
  options.method = parse_learner(program);
  const RunResult result = run(problem, options, {});
  EXPECT_EQ(result.score.test_error, 0) << result.report.message;
  EXPECT_EQ(result.score.advantage, 1);
  EXPECT_EQ(result.score.degree, Degree::recovered);
  EXPECT_TRUE(result.score.advantage_interval);
  ASSERT_EQ(result.report.phases.front().measures.front().first, "holdout_error");
  EXPECT_GT(result.report.phases.front().measures.front().second, 0.01) << "that of the noise";
}

TEST(Run, OnlyTheLearnersInSixPhasesFailByTheirConditions) {
  const Problem problem = open_problem("degraded:which=theta_norm,knob=1", {});
  const auto cause = [&](const char* method) {
    const Score score = run(problem, quick(method, 2000), {}).score;
    EXPECT_EQ(score.outcome, Outcome::not_recovered) << method;
    return score.likely_cause ? score.likely_cause->condition : "none";
  };
  EXPECT_EQ(cause("phase1"), "theta_norm");
  EXPECT_EQ(cause("adam:steps=10"), "none");
  const Score parity = run(open_problem("parity:d=12,m=4", {}), quick("adam:steps=10", 2000), {}).score;
  EXPECT_EQ(parity.likely_cause->condition, "W_sum = 0");
}

TEST(Run, TheIntervalOfTheAdvantageIsAroundItAndAPointWhereAllInputsAreTested) {
  const RunResult sampled = run(open_problem("nice:d=8,k=3,m=3", {}), quick("phase1", 2000), {});
  ASSERT_TRUE(sampled.score.advantage_interval);
  EXPECT_LT(sampled.score.advantage_interval->low, sampled.score.advantage);
  EXPECT_GT(sampled.score.advantage_interval->high, sampled.score.advantage);
  EXPECT_LT(sampled.score.advantage_interval->high - sampled.score.advantage_interval->low, 0.1);
  const RunResult exact = run(open_problem("nice:d=4,k=2,m=2", {}), quick("phase1", 2000), {});
  ASSERT_TRUE(exact.score.advantage_interval);
  EXPECT_EQ(exact.score.advantage_interval->low, exact.score.advantage);
  EXPECT_EQ(exact.score.advantage_interval->high, exact.score.advantage);
}

TEST(Run, WrongMethodsAreRefusedBeforeTheRun) {
  const Problem problem = open_problem("nice:d=8,k=2", {});
  EXPECT_THROW(run(problem, quick("sculp", 2000), {}), InputError);
  EXPECT_THROW(run(problem, quick("sculpt:no=1", 2000), {}), InputError);
}

TEST(Run, TheLearnerSaysHowManyExamplesItNeeds) {
  // 2 (2 62 + 2 62) / 96 with rank 2, and 2 2 32^2 / 96 without.
  const Problem problem = open_problem("low-rank:d=32,k=3,m=2", {});
  EXPECT_NO_THROW(run(problem, quick("gauss-newton:rank=2,iterations=1", 10), {}));
  EXPECT_THROW(run(problem, quick("gauss-newton:rank=2", 5), {}), InputError);
  EXPECT_THROW(run(problem, quick("gauss-newton", 10), {}), InputError);
}

TEST(Json, NumbersThatAreNotFiniteAreNull) {
  RunResult result;
  result.score.test_error = std::numeric_limits<double>::quiet_NaN();
  result.score.advantage = -std::numeric_limits<double>::infinity();
  result.report.phases.resize(1);
  result.report.phases[0].add("gap", std::numeric_limits<double>::infinity());
  result.score.parameter_error = HeadMatch{{0}, {std::numeric_limits<double>::quiet_NaN()}, {std::nullopt}};
  const nlohmann::ordered_json json = to_json(result);
  EXPECT_TRUE(json["test_error"].is_null());
  EXPECT_TRUE(json["advantage"].is_null());
  EXPECT_TRUE(json["phases"][0]["gap"].is_null());
  EXPECT_TRUE(json["phases"][0]["rows_kept"].is_null());
  EXPECT_TRUE(json["parameter_error"]["theta"][0].is_null());
  EXPECT_TRUE(json["parameter_error"]["w"][0].is_null());
  EXPECT_TRUE(json["failed_phase"].is_null());
  EXPECT_TRUE(json["instance"]["spec"].is_null());
}

TEST(Compare, SeedsTakeTheInstancesOneAfterTheOther) {
  Plan plan;
  plan.sources = {"nice:d=8,k=2,m=2,seed=7"};
  plan.learners = {Spec::parse("gauss-newton")};
  plan.seeds = 3;
  plan.run = quick("gauss-newton", 1500);
  const Comparison comparison = compare(plan, {});
  ASSERT_EQ(comparison.rows.size(), 1u);
  const ComparisonRow& row = comparison.rows[0];
  EXPECT_EQ(row.source, "nice:d=8,k=2,m=2");
  ASSERT_EQ(row.runs.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_THAT(row.runs[i].problem.spec, testing::HasSubstr("seed=" + std::to_string(7 + i)));
    EXPECT_EQ(row.runs[i].request.task.seed, 1 + i);
  }
  EXPECT_EQ(row.degrees.str(), "recovered 3 of 3");
  EXPECT_EQ(row.heads_right, 3);
  EXPECT_NEAR(row.recovery_rate.low, 0.2924, 1e-4);
  EXPECT_LE(row.advantage_min, row.advantage_median);
  EXPECT_LE(row.advantage_median, row.advantage_max);
}

/// A run with this advantage and an interval of 0.1 to both sides.
RunResult with_advantage(double advantage) {
  RunResult out;
  out.problem.source = "nice:d=8";
  out.request.method = Spec::parse("adam");
  out.score.advantage = advantage;
  out.score.advantage_interval = {advantage - 0.1, advantage + 0.1};
  return out;
}

TEST(Compare, TheIntervalOfARowIsOverTestExamplesAndSeeds) {
  std::vector<RunResult> runs = {with_advantage(0.5)};
  EXPECT_NEAR(rows_of(runs)[0].advantage_interval->low, 0.4, 1e-15);
  EXPECT_NEAR(rows_of(runs)[0].advantage_interval->high, 0.6, 1e-15);
  runs.push_back(with_advantage(0.1));
  runs.push_back(with_advantage(0.8));
  EXPECT_NEAR(rows_of(runs)[0].advantage_interval->low, 0, 1e-15);
  EXPECT_NEAR(rows_of(runs)[0].advantage_interval->high, 0.9, 1e-15);
  // From nine runs on the second of either side will do.
  for (const double advantage : {0.2, 0.3, 0.4, 0.5, 0.6, 0.7}) runs.push_back(with_advantage(advantage));
  EXPECT_NEAR(rows_of(runs)[0].advantage_interval->low, 0.1, 1e-15);
  EXPECT_NEAR(rows_of(runs)[0].advantage_interval->high, 0.8, 1e-15);
  // A run of before there were intervals counts with its advantage.
  RunResult old = with_advantage(0.7);
  old.score.advantage_interval.reset();
  EXPECT_EQ(rows_of({old})[0].advantage_interval->low, 0.7);
}

TEST(Compare, ARunBeyondItsBudgetIsStoppedAndTheOthersGoOn) {
  Plan plan;
  plan.sources = {"nice:d=8,k=2,m=2"};
  plan.learners = {Spec::parse("paper"), Spec::parse("phase1")};
  plan.run = quick("gauss-newton", 1500);
  RunOptions allowed = plan.run;
  allowed.method = plan.learners[1];
  plan.run.task.memory_limit_bytes = predicted_bytes(Source(plan.sources[0].name()).shape(), allowed);
  const Comparison comparison = compare(plan, {});
  EXPECT_EQ(comparison.rows[0].runs[0].score.outcome, Outcome::stopped);
  EXPECT_THAT(comparison.rows[0].runs[0].report.message,
              testing::HasSubstr("Refused: paper is predicted to need"));
  EXPECT_EQ(comparison.rows[0].runs[0].score.test_error, comparison.rows[0].runs[0].problem.null_error);
  EXPECT_EQ(comparison.rows[0].runs[0].score.advantage, 0);
  EXPECT_EQ(comparison.rows[0].runs[0].request.task.seed, 1u);
  EXPECT_EQ(comparison.rows[1].runs[0].score.outcome, Outcome::not_recovered) << "it ran";
}

TEST(Compare, AnInterruptedComparisonLeavesOutWhatWasNotDone) {
  std::atomic<bool> stop = true;
  RunContext context;
  context.stop = StopToken(&stop);
  Plan plan;
  plan.sources = {"nice:d=8,k=2,m=2"};
  plan.learners = {Spec::parse("gauss-newton")};
  const Comparison comparison = compare(plan, context);
  EXPECT_EQ(comparison.completion, Completion::interrupted);
  EXPECT_TRUE(comparison.rows[0].runs.empty());
  EXPECT_NO_THROW(record_to_json(comparison).dump());
}

TEST(Compare, EveryNameIsCheckedBeforeTheFirstRun) {
  Plan plan;
  EXPECT_THROW(plan.sources.emplace_back("nise"), InputError);
  plan.sources = {"nice:d=8", "parity:d=6,m=10"};
  plan.learners = {Spec::parse("gauss-newton")};
  EXPECT_THROW(compare(plan, {}), InputError);
  EXPECT_THROW(plan.learners.emplace_back(Spec::parse("newton")), InputError);
}

TEST(Compare, MedianIsTheMiddle) {
  EXPECT_EQ(statistics::median({3, 1, 2}), 2);
  EXPECT_EQ(statistics::median({4, 1, 2, 3}), 2.5);
  EXPECT_TRUE(std::isnan(statistics::median({})));
}

}  // namespace
}  // namespace hardhead::study
