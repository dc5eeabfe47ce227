#include "study/run/test_error.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <limits>

#include "attention/samples/relative_error.h"
#include "hardness/families/family.h"
#include "study/problem/null_predictor.h"

namespace hardhead::study {
namespace {

using attention::Index;

hardness::Instance nice(const char* spec) {
  return hardness::make_instance(Spec::parse(spec));
}

attention::SimulatedSource source_of(const hardness::Instance& instance, std::uint64_t seed) {
  return {instance.teacher, instance.layer.d, instance.k, instance.inputs, Stream(Domain::test, seed)};
}

TEST(TestError, IsZeroForTheTruthAndTheShareOfWhatIsMissing) {
  const hardness::Instance instance = nice("nice:d=8,k=3,m=2");
  const auto source = source_of(instance, 1);
  EXPECT_LE(test_error(instance.layer, source, 1000), 1e-28);

  attention::Layer scaled = instance.layer;
  for (attention::Head& head : scaled.heads) head.w *= 0.5;  // F is linear in W: half of it is missing
  EXPECT_NEAR(test_error(scaled, source, 1000), 0.25, 1e-13);
}

TEST(TestError, IsTheSameForAnyNumberOfThreads) {
  const hardness::Instance instance = nice("nice:d=8,k=3,m=2"), other = nice("nice:d=8,k=3,m=2,seed=2");
  const auto source = source_of(instance, 1);
  const double once = test_error(other.layer, source, 5003);
  const tbb::global_control allow(tbb::global_control::max_allowed_parallelism, 3);
  for (const int threads : {1, 2, 3})
    EXPECT_EQ(tbb::task_arena(threads).execute([&] { return test_error(other.layer, source, 5003); }), once);
}

TEST(TestError, LabelsThatAreAllZeroHaveNoRelativeErrorBetweenNoneAndInfinite) {
  EXPECT_EQ(attention::relative_error(0, 0), 0);
  EXPECT_EQ(attention::relative_error(1, 0), std::numeric_limits<double>::infinity());
}

TEST(ErrorsBesideNull, HaveTheRatioOfTestErrorAndNullError) {
  for (const char* spec : {"nice:d=8,k=3,m=2", "parity:d=12,m=3", "nice:d=3,k=2,m=2"}) {
    const Problem problem = open_problem(spec, {});
    attention::Layer other = nice("nice:d=8,k=3,m=2,seed=2").layer;
    if (problem.d != other.d) other = *problem.truth;
    for (attention::Head& head : other.heads) head.w *= 0.7;
    const auto [relative, sums] = errors_beside_null(other, problem);
    const double error = test_error(other, *problem.test, problem.test_count);
    EXPECT_NEAR(sums.x / sums.y, error / problem.null_error, 1e-10 * error / problem.null_error) << spec;
    EXPECT_EQ(relative, error) << spec;
    EXPECT_EQ(sums.count, problem.test_count);
  }
}

// The interval of the advantage of a layer that is not the truth, over disjoint sets of test examples.
TEST(ErrorsBesideNull, IntervalsHoldTheAdvantageOfManyExamples) {
  const hardness::Instance instance = nice("nice:d=8,k=2,m=2");
  attention::Layer other = instance.layer;
  other.heads[0].theta *= 0.5;
  Problem problem = open_problem("nice:d=8,k=2,m=2", {});
  const auto long_run = errors_beside_null(other,
                                           [&] {
                                             Problem more = problem;
                                             more.test = std::make_shared<attention::SimulatedSource>(
                                                 source_of(instance, 1000));
                                             more.test_count = 400'000;
                                             more.test_is_exhaustive = false;
                                             return more;
                                           }())
                            .beside_null;
  int held = 0;
  constexpr int sets = 400;
  for (int set = 0; set < sets; ++set) {
    problem.test = std::make_shared<attention::SimulatedSource>(source_of(instance, 1 + set));
    problem.test_count = 300;
    const auto interval = statistics::ratio_interval(errors_beside_null(other, problem).beside_null);
    held += interval->low <= long_run.x / long_run.y && long_run.x / long_run.y <= interval->high ? 1 : 0;
  }
  EXPECT_GE(held, 0.90 * sets);
  EXPECT_LE(held, 0.99 * sets);
}

TEST(NullPredictor, AnAffineTeacherIsPredictedExactly) {
  // Theta = 0: attention is uniform and F is the mean row times W_sum.
  const hardness::Instance instance = nice("nice:d=6,k=3,m=2,theta_norm=0");
  const auto source = source_of(instance, 1);
  EXPECT_LE(null_error(instance.null, source_of(instance, 2), 1000, source, 1000).value, 1e-20);
}

TEST(NullPredictor, ANiceLayerIsNotAffine) {
  const hardness::Instance instance = nice("nice:d=16,k=3,m=2");
  const double error =
      null_error(instance.null, source_of(instance, 2), 16384, source_of(instance, 1), 16384).value;
  EXPECT_GT(error, 0.02);
  EXPECT_LT(error, 0.9);
}

TEST(NullPredictor, OneTokenMakesFeaturesDependentAndNoHarm) {
  const hardness::Instance instance = nice("nice:d=6,k=1,m=2");
  const auto source = source_of(instance, 1);
  EXPECT_LE(null_error(instance.null, source, 1000, source, 1000).value, 1e-20);
}

TEST(NullPredictor, TheExactErrorOfAFamilyIsUsedWhereThereIsOne) {
  const hardness::Instance instance = nice("parity:d=8,m=2,variant=minimal,base=4");
  const auto source = source_of(instance, 1);
  EXPECT_DOUBLE_EQ(null_error(instance.null, source, 100, source, 100).value, 81.0 / 370.0);
}

TEST(NullPredictor, IsNeverWorseThanPredictingZero) {
  const hardness::Instance instance = nice("nice:d=16,k=3,m=2");
  EXPECT_LE(null_error(instance.null, source_of(instance, 2), 3, source_of(instance, 1), 1000).value, 1);
}

}  // namespace
}  // namespace hardhead::study
