#include "study/run/memory.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "learner/cost.h"

namespace hardhead::study {
namespace {

RunOptions of(const std::string& method, std::optional<double> limit = {}) {
  return {.method = parse_learner(method), .task = {.examples = 20'000, .memory_limit_bytes = limit}};
}

double predicted(const Source& source, const std::string& method) {
  return predicted_bytes(source.shape(), of(method));
}

TEST(PredictedBytes, CountTheInstance) {
  // Theta_i and W_i, and the teacher's three copies of matrices with tables for two: 13 matrices a head.
  const double layer = 8.0 * 13 * 64 * 256 * 256;
  EXPECT_GT(predicted("nice:d=256,k=2,m=64", "phase1"), learner::process_bytes + layer);
  EXPECT_LT(predicted("nice:d=256,k=2,m=64,inputs=gaussian", "phase1"),
            predicted("nice:d=256,k=2,m=64", "phase1"));
  EXPECT_GT(predicted("lwe:n=31", "phase1"), learner::process_bytes + 100e6);
}

TEST(PredictedBytes, CountTheNullPredictorsSquareOfFeatures) {
  EXPECT_GT(predicted("nice:d=1024,k=2,m=1", "phase1"), 400e6);
  EXPECT_LT(predicted("parity:d=512,m=2", "phase1"), 200e6) << "its null predictor is known";
}

TEST(PredictedBytes, OfHeadsWithRankAreLess) {
  EXPECT_LT(predicted("transformer:d=256,k=2,m=8", "gauss-newton:rank=32,student=8"),
            predicted("transformer:d=256,k=2,m=8", "gauss-newton:student=8"));
}

TEST(PredictedBytes, GrowWithEverySize) {
  for (const std::string method : {"phase1", "gauss-newton", "lbfgs", "adam", "sculpt", "paper"}) {
    const double small = predicted("nice:d=16,k=3,m=2", method);
    EXPECT_GT(predicted("nice:d=32,k=3,m=2", method), small) << method;
    EXPECT_GT(predicted("nice:d=16,k=32,m=2", method), small) << method;
    EXPECT_GT(predicted("nice:d=16,k=3,m=32", method), small) << method;
  }
}

TEST(PredictedBytes, OfLearnersByValueQueriesAreThoseOfWhatTheyKeep) {
  // What the points of 64 features show of 2 heads, twice, and the points of 16 of them: 8 bytes, 2 (d + 4)
  // rows at least.
  EXPECT_GT(predicted("nice:d=64,k=2,m=2", "mobius"),
            learner::process_bytes + 8. * 2 * 68 * (2 * 64 * 2 + 16 * 64));
  // 96 blocks of as many queries of two tokens, with their answers.
  EXPECT_GT(predicted("nice:d=96,k=2,m=1", "single"), learner::process_bytes + 4 * 8. * 96 * 96 * 96);
  EXPECT_LT(predicted("nice:d=96,k=2,m=1", "single:rank=1"), predicted("nice:d=96,k=2,m=1", "single"));
  EXPECT_GT(predicted("nice:d=16,k=2,m=8", "mobius"), predicted("nice:d=16,k=2,m=2", "mobius"));
  EXPECT_LT(predicted("parity:d=64,m=4", "flip"), 100e6);
  EXPECT_THROW(check_memory(Source("nice:d=64,k=2,m=2"), of("mobius", 50e6)), BudgetError);
}

TEST(PredictedBytes, AreRefusedWhereNothingIsKnown) {
  for (const char* learner : {"rational", "rational:arithmetic=double", "exec:access=values,command=cat"})
    EXPECT_THROW(predicted("parity:d=8,m=2", learner), InputError) << learner;
}

TEST(PredictedBytes, ARunNeedsAtLeastWhatOpeningItsSourceDoes) {
  for (const Source source : {"nice:d=512,k=2,m=2", "parity:d=64,m=4", "lwr:n=8"})
    EXPECT_GE(predicted_bytes(source.shape(), of("phase1")), opening_bytes(source.shape())) << source.name();
}

TEST(CheckMemory, RefusesALargeInstanceBeforeItIsMade) {
  // 10 GB and half a minute if it were made.
  const Source source("nice:d=1024,k=2,m=64");
  EXPECT_THROW(check_memory(source, of("phase1", 1e9)), BudgetError);
  EXPECT_THROW(check_opening(source, of("phase1", 1e9)), BudgetError);
  EXPECT_NO_THROW(check_memory(source, of("phase1")));
  EXPECT_THROW(check_memory(source, of("phase1", -1)), InputError);
}

}  // namespace
}  // namespace hardhead::study
