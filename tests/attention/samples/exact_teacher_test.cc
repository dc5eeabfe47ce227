#include "attention/samples/exact_teacher.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace hardhead::attention {
namespace {

// One head, Theta = (ln 2 / 2) * 2 * E_00, W = E_01 / 3. With x1 = (1, 1), x2 = (-1, 1) row 1 attends to x2
// with weight 1/(1+4) of feature 0's: x1^T Theta (x2 - x1) = -2 ln 2.
TEST(ExactTeacher, LabelsAreTheRationalsRoundedOnce) {
  const ExactTeacher teacher({2, 2, {{{{0, 0, 2}}, {{0, 1, Rational(1, 3)}}}}});
  Block block(2, 2, 1);
  block.x << 1, -1, 1, 1;
  teacher.label(block);
  EXPECT_EQ(block.y(1, 0), round_to_nearest(Rational(1, 3) * Rational(3, 5)));
  EXPECT_EQ(block.y(0, 0), 0);
  EXPECT_EQ(teacher.labelled(), (Labelled{.boolean_only = true}));
  block.x(0, 0) = 0.5;
  EXPECT_THROW(teacher.label(block), InputError);
}

}  // namespace
}  // namespace hardhead::attention
