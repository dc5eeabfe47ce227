#include "learner/gradient/student_loss.h"

#include <gtest/gtest.h>

#include "learner/objective/linear_w.h"
#include "learner/objective/loss.h"
#include "tests/learner/nice_source.h"

namespace hardhead::learner {
namespace {

using testing::block_of;
using testing::NiceSource;

const Stream stream(Domain::learner, 2, "student");

std::vector<StudentShape> shapes(attention::Index d) {
  return {{d, 5, ThetaShape::full, 0}, {d, 5, ThetaShape::diagonal, 0}, {d, 5, ThetaShape::low_rank, 2}};
}

FloatMatrix start(const StudentShape& shape) {
  return random_student(shape, stream, {.theta_norm = 1, .off_diagonal = 1, .w_norm = 1});
}

StudentGradient at(const StudentShape& shape, LossKind kind, const FloatMatrix& parameters,
                   const attention::Block& examples) {
  FloatBlock block;
  block.take(examples);
  StudentLoss::Scratch scratch;
  const StudentLoss loss(shape, kind, parameters);
  StudentGradient sum = loss.zero();
  loss.add(block, scratch, sum);
  loss.finish(sum);
  return sum;
}

// The loss of the layer that the parameters stand for, in double.
double in_double(const StudentShape& shape, LossKind kind, const FloatMatrix& parameters,
                 const attention::Block& examples) {
  attention::Block predicted = examples;
  attention::Forward::Workspace workspace;
  attention::Forward(to_layer(shape, parameters)).apply(predicted, workspace);
  const attention::RowMatrix residual = predicted.y - examples.y;
  return kind == LossKind::squared ? residual.squaredNorm() : residual.lpNorm<1>();
}

class StudentLossOf : public ::testing::TestWithParam<const char*> {};

TEST_P(StudentLossOf, IsThatOfTheLayerInDouble) {
  const NiceSource nice(GetParam());
  const attention::Block examples = block_of(nice, 37);  // not a whole number of lanes
  for (const StudentShape& shape : shapes(nice.source.d()))
    for (const LossKind kind : {LossKind::squared, LossKind::l1}) {
      const FloatMatrix parameters = start(shape);
      const double expected = in_double(shape, kind, parameters, examples);
      EXPECT_NEAR(at(shape, kind, parameters, examples).loss, expected, 1e-5 * expected)
          << name_of(shape.theta);
    }
}

TEST_P(StudentLossOf, HasTheGradientOfDifferences) {
  const NiceSource nice(GetParam());
  const attention::Block examples = block_of(nice, 20);
  for (const StudentShape& shape : shapes(nice.source.d()))
    for (const LossKind kind : {LossKind::squared, LossKind::l1}) {
      const FloatMatrix parameters = start(shape);
      const FloatMatrix gradient = at(shape, kind, parameters, examples).gradient;
      for (attention::Index entry = 0; entry < parameters.size(); entry += 7) {
        FloatMatrix more = parameters, less = parameters;
        more.data()[entry] += 1e-3F;
        less.data()[entry] -= 1e-3F;
        const double step = static_cast<double>(more.data()[entry]) - static_cast<double>(less.data()[entry]);
        const double slope =
            (in_double(shape, kind, more, examples) - in_double(shape, kind, less, examples)) / step;
        // A sum of |..| has kinks between the two points.
        const double tolerance = kind == LossKind::squared ? 1e-3 : 0.5;
        EXPECT_NEAR(gradient.data()[entry], slope, tolerance * (1 + std::abs(slope)))
            << name_of(shape.theta) << ", entry " << entry;
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Inputs, StudentLossOf,
                         ::testing::Values("nice:d=6,k=2,m=2", "nice:d=5,k=4,m=2,inputs=gaussian"));

TEST(StudentLoss, OfFullFormsHasTwiceTheGradientOfTheLossInDouble) {
  const NiceSource nice("nice:d=12,k=3,m=2");
  const attention::Block examples = block_of(nice, 96);
  const StudentShape shape{12, 40, ThetaShape::full, 0};
  const FloatMatrix parameters = start(shape);
  const FloatMatrix gradient = at(shape, LossKind::squared, parameters, examples).gradient;
  LossScratch scratch;
  const attention::Layer layer = to_layer(shape, parameters);
  const Stacked expected = 2 * loss({examples}, layer, scratch).gradient;
  for (attention::Index i = 0; i < 40; ++i) {
    const attention::Matrix theta = gradient.middleRows(i * 12, 12).cast<double>();
    EXPECT_LT((theta.transpose() - expected.middleRows(i * 12, 12)).norm(), 1e-5 * expected.norm()) << i;
  }
  EXPECT_LT((gradient.bottomRows(480).cast<double>() - expected.bottomRows(480)).norm(),
            1e-5 * expected.norm());
}

TEST(StudentLoss, IsTheSumOverBlocks) {
  const NiceSource nice("nice:d=6,k=3,m=2");
  const StudentShape shape{6, 3, ThetaShape::full, 0};
  const FloatMatrix parameters = start(shape);
  attention::Block first(6, 3, 16), second(6, 3, 5);
  nice.source.read(0, first);
  nice.source.read(16, second);
  StudentGradient sum = at(shape, LossKind::squared, parameters, first);
  sum += at(shape, LossKind::squared, parameters, second);
  const StudentGradient whole = at(shape, LossKind::squared, parameters, block_of(nice, 21));
  EXPECT_NEAR(sum.loss, whole.loss, 1e-5 * whole.loss);
  EXPECT_LT((sum.gradient - whole.gradient).norm(), 1e-5F * whole.gradient.norm());
}

TEST(StudentLoss, DoesNotOverflowWhereLogitsAreLarge) {
  const NiceSource nice("nice:d=6,k=3,m=2");
  for (const StudentShape& shape : shapes(6)) {
    const FloatMatrix parameters = 1e4F * start(shape);
    const StudentGradient sum = at(shape, LossKind::squared, parameters, block_of(nice, 16));
    EXPECT_TRUE(std::isfinite(sum.loss));
    EXPECT_TRUE(sum.gradient.allFinite());
  }
}

}  // namespace
}  // namespace hardhead::learner
