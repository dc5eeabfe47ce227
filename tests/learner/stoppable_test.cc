#include "learner/stoppable.h"

#include "base/numeric/decompositions.h"

#include <gtest/gtest.h>

#include "learner/recorder.h"

namespace hardhead::learner {
namespace {

using attention::Matrix;

constexpr double few = 1, many = 1e12;

TEST(Stoppable, HandsBackTheSameMatricesFromAChildProcess) {
  const auto compute = [] {
    return std::vector<Matrix>{Matrix::Constant(3, 5, 1. / 3), Matrix(0, 4), Matrix::Constant(1, 1, 1e-310)};
  };
  EXPECT_EQ(stoppable(many, {}, compute), stoppable(few, {}, compute));
}

TEST(Stoppable, WhatFailsThereFailsHere) {
  for (const double operations : {few, many}) {
    try {
      stoppable(operations, {}, []() -> std::vector<Matrix> { throw Failed{"no pole"}; });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Failed& failed) {
      EXPECT_EQ(failed.message, "no pole");
    }
  }
}

TEST(Stoppable, EndsADecompositionThatAsksNobody) {
  const Stopwatch watch;
  const auto decompose = [] {
    return std::vector<Matrix>{singular_values(Matrix::Random(2000, 2000), SingularVectors::none).values};
  };
  EXPECT_THROW(stoppable(many, StopToken().with_time_limit(0.1), decompose), Stopped);
  EXPECT_LT(watch.seconds(), 20);
}

}  // namespace
}  // namespace hardhead::learner
