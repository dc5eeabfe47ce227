#include "learner/certificate/linear_programme.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace hardhead::learner {
namespace {

using attention::RowMatrix;
using attention::Vector;

// max x + y over x + 2 y <= 4 and 3 x + y <= 6 in the box [0, 10]^2.
class ALinearProgramme : public ::testing::Test {
 protected:
  ALinearProgramme() {
    programme.add_rows((RowMatrix(2, 2) << 1, 2, 3, 1).finished(),
                       Vector::Constant(2, -LinearProgramme::unbounded), Eigen::Vector2d(4, 6));
    programme.set_objective(Eigen::Vector2d(-1, -1));
  }
  LinearProgramme programme{Vector::Zero(2), Vector::Constant(2, 10)};
};

TEST_F(ALinearProgramme, FindsTheBestVertex) {
  EXPECT_LT((programme.minimise() - Eigen::Vector2d(1.6, 1.2)).norm(), 1e-7);
}

TEST_F(ALinearProgramme, FollowsNewObjectivesAndNewRows) {
  programme.minimise();
  programme.set_objective(Eigen::Vector2d(0, -1));
  EXPECT_LT((programme.minimise() - Eigen::Vector2d(0, 2)).norm(), 1e-7);
  programme.add_rows(RowMatrix::Ones(1, 2), Vector::Constant(1, 0.5), Vector::Constant(1, 1));
  EXPECT_LT((programme.minimise() - Eigen::Vector2d(0, 1)).norm(), 1e-7);
}

TEST_F(ALinearProgramme, SaysWhatIsWrong) {
  programme.add_rows(RowMatrix::Ones(1, 2), Vector::Constant(1, 5), Vector::Constant(1, 6));
  try {
    programme.minimise();
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "the linear programme of 3 rows and 2 columns is infeasible");
  }
}

}  // namespace
}  // namespace hardhead::learner
