// What is said of somebody's own examples whose labels no layer explains.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "attention/files/data_file.h"
#include "study/run/likely_cause.h"
#include "study/run/run.h"
#include "tests/scratch_folder.h"

namespace hardhead::study {
namespace {

using attention::Block;
using testing::HasSubstr;

/// Examples of another source, some of whose labels are changed.
class ChangedLabels final : public attention::SampleSource {
 public:
  using Change = std::function<void(std::int64_t first, Block& block)>;
  ChangedLabels(std::shared_ptr<const SampleSource> of, std::int64_t size, Change change)
      : of_(std::move(of)), size_(size), change_(std::move(change)) {}
  attention::Index d() const override { return of_->d(); }
  attention::Index k() const override { return of_->k(); }
  attention::Inputs inputs() const override { return of_->inputs(); }
  std::int64_t size() const override { return size_; }
  void read(std::int64_t first, Block& block) const override {
    of_->read(first, block);
    change_(first, block);
  }

 private:
  std::shared_ptr<const SampleSource> of_;
  std::int64_t size_;
  Change change_;
};

Problem problem_of(const ChangedLabels::Change& change) {
  return open_problem(
      Source::of("mine", std::make_shared<ChangedLabels>(examples_of("nice:d=6,k=2,m=1", Domain::samples, 1),
                                                         3000, change)),
      {});
}

void leave(std::int64_t, Block&) {}

ChangedLabels::Change shifted(double by) {
  return [by](std::int64_t, Block& block) { block.y.array() += by; };
}

/// Adds to the labels of one example.
ChangedLabels::Change wrong_at(std::int64_t example, double by) {
  return [example, by](std::int64_t first, Block& block) {
    if (example < first || example >= first + block.count) return;
    for (attention::Index a = 0; a < block.k; ++a)
      block.y.col(block.column(a, example - first)).array() += by;
  };
}

RunResult learnt(const Problem& problem) {
  RunOptions options;
  options.method = Spec::parse("gauss-newton:max_heads=2");
  return run(problem, options, {});
}

TEST(LabelFaults, LabelsOfALayerHaveNone) {
  const LabelFaults faults = label_faults(problem_of(leave), nullptr, {});
  EXPECT_FALSE(faults.has_constant());
  EXPECT_TRUE(faults.outliers.empty());
  EXPECT_EQ(faults.str(), "");
  EXPECT_FALSE(faults.cause());
  EXPECT_FALSE(label_faults(open_problem("nice:d=6,k=2,m=1", {}), nullptr, {}).cause())
      << "no labels of one's own";
}

TEST(LabelFaults, AConstantPartIsMeasuredByItsShare) {
  // Labels of mean square s become s + 25 where they are centred.
  const Problem plain = problem_of(leave);
  Block block(6, 2, 2700);
  plain.training->read(0, block);
  const double square = block.y.squaredNorm() / static_cast<double>(block.y.size());
  EXPECT_NEAR(label_faults(problem_of(shifted(5)), nullptr, {}).constant_share, 25 / (25 + square), 0.01);
}

TEST(LabelFaults, ARunOnLabelsWithAnOffsetSaysSo) {
  const RunResult result = learnt(problem_of(shifted(5)));
  EXPECT_NE(result.score.degree, Degree::recovered);
  EXPECT_THAT(result.report.message, HasSubstr("constant part"));
  EXPECT_THAT(result.report.message, HasSubstr("gaussian+1"));
  ASSERT_TRUE(result.score.likely_cause);
  EXPECT_EQ(result.score.likely_cause->condition, LikelyCause::constant_labels);
}

TEST(LabelFaults, ARunSaysWhichExampleIsFarOff) {
  for (const std::int64_t example : {17, 2950}) {  // to learn from, and held back
    const RunResult result = learnt(problem_of(wrong_at(example, 40)));
    EXPECT_THAT(result.report.message,
                HasSubstr("1 of 3000 examples is far off: number " + std::to_string(example)));
    ASSERT_TRUE(result.score.likely_cause);
    EXPECT_EQ(result.score.likely_cause->condition, LikelyCause::outliers);
  }
}

TEST(LabelFaults, WhatIsNearTheOthersIsToldByTheLayer) {
  // As large as labels are: not far from the best affine function, but from the layer that fits the others.
  const Problem problem = problem_of(wrong_at(7, 1));
  EXPECT_TRUE(label_faults(problem, nullptr, {}).outliers.empty());
  const NamedLayer layer = open_layer("nice:d=6,k=2,m=1");
  EXPECT_EQ(label_faults(problem, &layer.layer, {}).outliers, std::vector<std::int64_t>{7});
}

TEST(LabelFaults, ALearntLayerIsLeftInPeace) {
  const RunResult result = learnt(problem_of(leave));
  EXPECT_EQ(result.score.degree, Degree::recovered);
  EXPECT_FALSE(result.score.likely_cause);
}

}  // namespace
}  // namespace hardhead::study
