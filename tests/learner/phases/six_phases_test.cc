#include "learner/phases/six_phases.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include "base/error.h"
#include "tests/learner/mapped_source.h"
#include "tests/learner/nice_source.h"
#include "tests/refusal.h"

namespace hardhead::learner {
namespace {

using testing::fresh_error;
using ::testing::HasSubstr;
using testing::MappedSource;
using testing::measure;
using testing::NiceSource;
using testing::phase;
using testing::run;

TEST(SixPhases, EveryPhaseCanTakeEitherRoute) {
  const NiceSource nice("nice:d=10,k=2,m=2,seed=7");
  for (const char* method :
       {"sculpt", "sculpt:w_sum=paper", "sculpt:w_sum_refined=paper", "sculpt:span=paper", "sculpt:net=paper",
        "sculpt:hull=paper", "sculpt:hull_refined=paper", "paper"}) {
    const Report report = run(method, nice, {.heads = 2, .examples = 100'000});
    EXPECT_EQ(report.ending, Ending::finished) << method << ": " << report.message;
    EXPECT_LT(fresh_error(nice, report), 1e-20) << method;
    EXPECT_LT(measure(phase(report, "net"), "holdout_error"), 1e-2) << method;
    EXPECT_EQ(measure(phase(report, "polish"), "starts"), 1) << method;
  }
}

TEST(SixPhases, ThePapersStepSaysThatInputsHaveAnotherMomentAndThePracticalOneDividesByIt) {
  const NiceSource nice("nice:d=8,k=3,m=2,inputs=gaussian");
  attention::Matrix map = 2 * attention::Matrix::Identity(8, 8);
  map(0, 1) = 1;
  const MappedSource source(nice.source, map);
  const Task task{.heads = 2, .examples = 100'000};
  const Report step = learn(Spec::parse("paper"), source, task, {});
  EXPECT_EQ(step.ending, Ending::failed);
  EXPECT_THAT(step.message, HasSubstr("the option w_sum=practical divides by the moment"));
  const Report divided = learn(Spec::parse("sculpt"), source, task, {});
  EXPECT_EQ(divided.ending, Ending::finished) << divided.message;
}

TEST(SixPhases, ThePapersRouteLearnsASingleHeadAndCountsIt) {
  const NiceSource nice("nice:d=8,k=3,m=1,seed=3");
  const Report report = run("paper", nice, {.examples = 20'000});
  EXPECT_EQ(report.heads_found(), 1);
  EXPECT_LT(fresh_error(nice, report), 1e-20) << report.message;
}

TEST(SixPhases, CheckThemselvesOnExamplesNothingElseHasRead) {
  const NiceSource nice("nice:d=8,k=3,m=2,seed=3");
  const Report report = run("sculpt", nice, {.examples = 50'000});
  EXPECT_EQ(report.phases.back().name, "self_check");
  EXPECT_LT(measure(phase(report, "self_check"), "error"), 1e-20);
  EXPECT_EQ(report.examples_used, 50'000);
}

// 300 examples are too few for this layer.
TEST(SixPhases, ReadOnUntilALayerPassesItsCheck) {
  const NiceSource nice("nice:d=8,k=3,m=2,seed=3");
  const Report report = run("sculpt:first=300", nice, {.examples = 50'000});
  EXPECT_EQ(report.ending, Ending::finished) << report.message;
  EXPECT_LT(fresh_error(nice, report), 1e-20);
  EXPECT_EQ(report.heads_found(), 2);
  EXPECT_GT(report.examples_used, 600) << "a second look";
  EXPECT_LT(report.examples_used, 25'000) << "and no more than were needed";
  EXPECT_THAT(report.phases.back().name, ::testing::StartsWith("self_check_"));
  EXPECT_LT(measure(report.phases.back(), "error"), 1e-20);
  std::int64_t before = 0;
  for (const Phase& one : report.phases)
    if (one.name.starts_with("w_sum_refined")) {
      EXPECT_GT(one.examples, before);
      EXPECT_TRUE(before == 0 || one.examples == 2 * before) << one.name;
      before = one.examples;
    }
}

TEST(SixPhases, ReadOnToTheSameLayerWithAnyNumberOfThreads) {
  const NiceSource nice("nice:d=8,k=3,m=2,seed=3");
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 3);
  std::vector<Report> reports;
  for (const int threads : {1, 2, 3})
    tbb::task_arena(threads).execute(
        [&] { reports.push_back(run("sculpt:first=300", nice, {.examples = 50'000})); });
  ASSERT_TRUE(reports[0].layer);
  for (const Report& other : reports) {
    EXPECT_EQ(other.examples_used, reports[0].examples_used);
    ASSERT_TRUE(other.layer);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(other.layer->heads[i].theta, reports[0].layer->heads[i].theta);
      EXPECT_EQ(other.layer->heads[i].w, reports[0].layer->heads[i].w);
    }
  }
}

TEST(SixPhases, GoOnToTheirBudgetAndFailThere) {
  const NiceSource nice("nice:d=8,k=2,m=3");
  const Report report = run("sculpt:first=2000,budget=9000", nice, {.heads = 1});
  EXPECT_EQ(report.ending, Ending::failed);
  EXPECT_EQ(report.examples_used, 9000);
  EXPECT_NO_THROW(phase(report, report.failed_phase)) << report.message;
  EXPECT_NO_THROW(phase(report, "w_sum_refined_2"));
}

TEST(SixPhases, ThePapersRouteLooksOnce) {
  const NiceSource nice("nice:d=8,k=3,m=1,seed=3");
  const Report report = run("paper:first=300", nice, {.heads = 1, .examples = 20'000});
  EXPECT_EQ(report.ending, Ending::finished) << report.message;
  EXPECT_EQ(report.examples_used, 20'000);
  EXPECT_EQ(phase(report, "hull").examples, 18'000);
}

std::string refusal(const std::string& method, const Task& task) {
  const NiceSource nice("nice:d=16,k=2,m=2");
  return refusal_of<BudgetError>([&] { run(method, nice, task); });
}

TEST(SixPhases, RefuseWhatIsPredictedToExceedABudget) {
  EXPECT_THAT(refusal("paper", {.heads = 5}), HasSubstr("more than the option tuples="));
  EXPECT_THAT(refusal("paper:tuples=1000", {.heads = 2}), HasSubstr("more than the option tuples=1e+03"));
  EXPECT_THAT(refusal("paper", {.heads = 2, .time_limit_seconds = 0.1}),
              HasSubstr("more than the time limit of 0.1 s"));
}

// Where the number of heads is not told, it is known when the hull is: too late to refuse, early enough to
// say so.
TEST(SixPhases, EndBeforeANetBeyondItsBudget) {
  const NiceSource nice("nice:d=8,k=3,m=2,seed=3");
  const Report report = run("sculpt:net=paper,tuples=100", nice, {.examples = 50'000});
  EXPECT_EQ(report.ending, Ending::failed);
  EXPECT_EQ(report.failed_phase, "net");
  EXPECT_THAT(report.message, HasSubstr("the hull names 2 heads"));
}

// No more files can be opened while it lives, so that no pipe to a child process can be made.
class NoMoreFiles {
 public:
  NoMoreFiles() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit none{0, before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoMoreFiles() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

TEST(SixPhases, LinearProgrammesWithoutAnAnswerEndThePhaseAndNotTheProgram) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the undefined-behaviour sanitizer asks pipes what memory is readable";
#endif
  const NiceSource nice("nice:d=8,k=2,m=2");
  const NoMoreFiles limit;
  const Report report = run("sculpt:hull=paper", nice, {.heads = 2, .examples = 20'000});
  EXPECT_EQ(report.ending, Ending::undone) << "the machine's doing, and no result";
  EXPECT_THAT(report.message, HasSubstr("no pipe to a child process"));
}

TEST(SixPhases, LearnLayersWithBiases) {
  for (const char* inputs : {"gaussian+1", "boolean+1", "sphere+1"}) {
    const NiceSource nice(fmt::format("nice:d=13,k=3,m=2,inputs={}", inputs));
    const Report report = run("sculpt", nice, {.examples = 200'000});
    EXPECT_EQ(report.heads_found(), 2) << inputs;
    EXPECT_LT(fresh_error(nice, report), 1e-20) << inputs << ": " << report.message;
  }
  // The paper's route recovers 19 of the layers of seeds 1 to 20.
  int recovered = 0;
  for (int seed = 1; seed <= 3; ++seed) {
    const NiceSource small(fmt::format("nice:d=8,k=2,m=2,inputs=gaussian+1,seed={}", seed));
    const Report paper = run("paper", small, {.heads = 2, .examples = 100'000});
    if (fresh_error(small, paper) < 1e-20) ++recovered;
  }
  EXPECT_GE(recovered, 2);
}

}  // namespace
}  // namespace hardhead::learner
