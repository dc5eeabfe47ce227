#include "learner/gradient/student.h"
#include "base/numeric/decompositions.h"

#include <gtest/gtest.h>

namespace hardhead::learner {
namespace {

const Stream student_stream(Domain::learner, 1, "student");

TEST(Student, HasAsManyParametersAsItsShapeSays) {
  EXPECT_EQ((StudentShape{5, 3, ThetaShape::full, 0}).parameters(), 2 * 3 * 25);
  EXPECT_EQ((StudentShape{5, 3, ThetaShape::diagonal, 0}).parameters(), 3 * 5 + 3 * 25);
  EXPECT_EQ((StudentShape{5, 3, ThetaShape::low_rank, 2}).parameters(), 3 * 2 * 2 * 5 + 3 * 25);
}

TEST(Student, BeginsWithTheNormsThatAreAskedFor) {
  for (const ThetaShape theta : {ThetaShape::full, ThetaShape::diagonal}) {
    const StudentShape shape{6, 4, theta, 0};
    const attention::Layer layer = to_layer(
        shape, random_student(shape, student_stream, {.theta_norm = 3, .off_diagonal = 0.1, .w_norm = 0.2}));
    ASSERT_EQ(layer.m(), 4);
    for (const attention::Head& head : layer.heads) {
      EXPECT_NEAR(head.theta.norm(), 3, 1e-5);
      EXPECT_NEAR(head.w.norm(), 0.2, 1e-6);
    }
  }
}

TEST(Student, OfLowRankHasTheNormsOnAverage) {
  const StudentShape shape{16, 64, ThetaShape::low_rank, 3};
  const attention::Layer layer = to_layer(shape, random_student(shape, student_stream, {.theta_norm = 3}));
  double squares = 0;
  for (const attention::Head& head : layer.heads) {
    const attention::Vector values = singular_values(head.theta, SingularVectors::none).values;
    EXPECT_EQ((values.array() > 1e-5 * values(0)).count(), 3);
    squares += head.theta.squaredNorm() / 64;
  }
  EXPECT_NEAR(std::sqrt(squares), 3, 0.3);
}

TEST(Student, BeginsNearDiagonalFormsOrNot) {
  const StudentShape shape{20, 8, ThetaShape::full, 0};
  const auto ratio = [&](double off_diagonal) {
    const attention::Layer layer =
        to_layer(shape, random_student(shape, student_stream, {.off_diagonal = off_diagonal}));
    double on = 0, all = 0;
    for (const attention::Head& head : layer.heads) {
      on += head.theta.diagonal().squaredNorm() / 20;
      all += head.theta.squaredNorm();
    }
    return std::sqrt((all - 20 * on) / 380 / on);
  };
  EXPECT_NEAR(ratio(0), 0, 1e-6);
  EXPECT_NEAR(ratio(0.05), 0.05, 0.01);
  EXPECT_NEAR(ratio(1), 1, 0.15);
}

TEST(Student, ShrinksOffTheDiagonalOfFullFormsAlone) {
  FloatMatrix parameters(4, 2);
  parameters << 1, 2, -3, 4, 0.5F, -0.5F, 6, 7;
  FloatMatrix expected(4, 2);
  expected << 1, 1, -2, 4, 0.5F, -0.5F, 6, 7;
  FloatMatrix shrunk = parameters;
  shrink_off_diagonal({2, 1, ThetaShape::full, 0}, 1, shrunk);
  EXPECT_TRUE(shrunk == expected) << shrunk;
  shrink_off_diagonal({2, 1, ThetaShape::full, 0}, 5, shrunk);
  EXPECT_EQ(shrunk(0, 1), 0) << "not beyond 0";
  EXPECT_EQ(shrunk(1, 0), 0) << "not beyond 0";
  for (const StudentShape& other :
       {StudentShape{2, 1, ThetaShape::diagonal, 0}, StudentShape{2, 1, ThetaShape::low_rank, 1}}) {
    shrunk = parameters.topRows(other.rows());
    shrink_off_diagonal(other, 1, shrunk);
    EXPECT_TRUE(shrunk == parameters.topRows(other.rows()));
  }
}

TEST(Student, AsALayerHasTheMatricesThatItsRowsStandFor) {
  const StudentShape shape{2, 1, ThetaShape::full, 0};
  FloatMatrix parameters(4, 2);
  parameters << 1, 2, 3, 4, 5, 6, 7, 8;
  const attention::Layer full = to_layer(shape, parameters);
  EXPECT_EQ(full.heads[0].theta(0, 1), 2);
  EXPECT_EQ(full.heads[0].w(0, 1), 7) << "rows are those of the transpose";
  const attention::Layer diagonal = to_layer({2, 1, ThetaShape::diagonal, 0}, parameters.topRows(3));
  EXPECT_EQ(diagonal.heads[0].theta, Eigen::Vector2d(1, 2).asDiagonal().toDenseMatrix());
  const attention::Layer low_rank = to_layer({2, 1, ThetaShape::low_rank, 1}, parameters);
  EXPECT_EQ(low_rank.heads[0].theta(1, 0), 2 * 3);
}

}  // namespace
}  // namespace hardhead::learner
