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

TEST(TestError, IsZeroForTheTruthOneForNoneAndTheShareOfWhatIsMissing) {
  const hardness::Instance instance = nice("nice:d=8,k=3,m=2");
  const auto source = source_of(instance, 1);
  EXPECT_LE(test_error(&instance.layer, source, 1000), 1e-28);
  EXPECT_EQ(test_error(nullptr, source, 1000), 1);

  attention::Layer scaled = instance.layer;
  for (attention::Head& head : scaled.heads) head.w *= 0.5;  // F is linear in W: half of it is missing
  EXPECT_NEAR(test_error(&scaled, source, 1000), 0.25, 1e-13);
}

TEST(TestError, IsTheSameForAnyNumberOfThreads) {
  const hardness::Instance instance = nice("nice:d=8,k=3,m=2"), other = nice("nice:d=8,k=3,m=2,seed=2");
  const auto source = source_of(instance, 1);
  const double once = test_error(&other.layer, source, 5003);
  const tbb::global_control allow(tbb::global_control::max_allowed_parallelism, 3);
  for (const int threads : {1, 2, 3})
    EXPECT_EQ(tbb::task_arena(threads).execute([&] { return test_error(&other.layer, source, 5003); }), once);
}

TEST(TestError, LabelsThatAreAllZeroHaveNoRelativeErrorBetweenNoneAndInfinite) {
  EXPECT_EQ(attention::relative_error(0, 0), 0);
  EXPECT_EQ(attention::relative_error(1, 0), std::numeric_limits<double>::infinity());
}

TEST(NullPredictor, AnAffineTeacherIsPredictedExactly) {
  // Theta = 0: attention is uniform and F is the mean row times W_sum.
  const hardness::Instance instance = nice("nice:d=6,k=3,m=2,theta_norm=0");
  const auto source = source_of(instance, 1);
  EXPECT_LE(test_error(fit_affine(source, 1000), source, 1000), 1e-20);
  EXPECT_LE(null_error(instance.null, source_of(instance, 2), 1000, source, 1000), 1e-20);
}

TEST(NullPredictor, ANiceLayerIsNotAffine) {
  const hardness::Instance instance = nice("nice:d=16,k=3,m=2");
  const double error =
      null_error(instance.null, source_of(instance, 2), 16384, source_of(instance, 1), 16384);
  EXPECT_GT(error, 0.02);
  EXPECT_LT(error, 0.9);
}

TEST(NullPredictor, OneTokenMakesFeaturesDependentAndNoHarm) {
  const hardness::Instance instance = nice("nice:d=6,k=1,m=2");
  const auto source = source_of(instance, 1);
  EXPECT_LE(test_error(fit_affine(source, 1000), source, 1000), 1e-20);
}

TEST(NullPredictor, TheExactErrorOfAFamilyIsUsedWhereThereIsOne) {
  const hardness::Instance instance = nice("parity:d=8,m=2,variant=minimal,base=4");
  const auto source = source_of(instance, 1);
  EXPECT_DOUBLE_EQ(null_error(instance.null, source, 100, source, 100), 81.0 / 370.0);
}

TEST(NullPredictor, IsNeverWorseThanPredictingZero) {
  const hardness::Instance instance = nice("nice:d=16,k=3,m=2");
  EXPECT_LE(null_error(instance.null, source_of(instance, 2), 3, source_of(instance, 1), 1000), 1);
}

}  // namespace
}  // namespace hardhead::study
