#include "learner/learner.h"
#include "learner/method.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "attention/samples/relative_error.h"
#include "learner/cost.h"
#include "tests/learner/nice_source.h"
#include "tests/refusal.h"

namespace hardhead::learner {
namespace {

using testing::fresh_error;
using ::testing::HasSubstr;
using testing::measure;
using testing::NiceSource;
using testing::phase;
using testing::run;

TEST(Sculpt, RecoversANiceLayerAndCountsItsHeads) {
  for (const char* spec :
       {"nice:d=16,k=3,m=2,seed=101", "nice:d=16,k=2,m=3,seed=102", "nice:d=8,k=3,m=1,seed=103"}) {
    const NiceSource nice(spec);
    const Report report = run("sculpt", nice, {.examples = 200'000});
    EXPECT_EQ(report.ending, Ending::finished) << report.message;
    EXPECT_EQ(report.heads_found(), nice.layer().m()) << spec;
    EXPECT_LT(fresh_error(nice, report), 1e-20) << spec;
    EXPECT_LE(report.examples_used, 200'000);
    EXPECT_LT(measure(phase(report, "net"), "holdout_error"), 1e-2) << "before the polish, " << spec;
    EXPECT_EQ(measure(phase(report, "polish"), "starts"), 1);
  }
}

TEST(Sculpt, RecoversFromGaussianAndSphereInputs) {
  for (const char* inputs : {"gaussian", "sphere"}) {
    const NiceSource nice(std::string("nice:d=16,k=3,m=2,seed=104,inputs=") + inputs);
    EXPECT_LT(fresh_error(nice, run("sculpt", nice, {.examples = 200'000})), 1e-20) << inputs;
  }
}

TEST(Sculpt, StarvesOnParityAndSaysWhy) {
  for (const char* variant : {"exact", "minimal"}) {
    const NiceSource hard(std::string("parity:d=20,m=6,variant=") + variant);
    const Report report = run("sculpt", hard);
    EXPECT_EQ(report.ending, Ending::failed);
    EXPECT_EQ(report.failed_phase, "hull");
    EXPECT_THAT(report.message, HasSubstr("W_sum = 0"));
    EXPECT_EQ(phase(report, "hull").rows_kept, 0);
    EXPECT_FALSE(report.layer);
    EXPECT_EQ(report.examples_used, 50'000) << "those of phase 1, not what it was allowed";
  }
}

// The method with its defaults; a program that does nothing.
Spec bare(const Method& method) {
  return method.name == "exec" ? parse_learner("exec:true") : Spec{method.name, {}};
}

// The same, with fewer steps where a learner takes as many steps as it is told whatever becomes of them.
Spec brief(const Method& method) {
  const bool steps =
      std::ranges::any_of(method.parameters, [](const Parameter& row) { return row.name == "steps"; });
  if (method.told == Told::network) return Spec::parse(method.name + ":width=8,starts=1,iterations=10");
  return steps ? Spec::parse(method.name + ":student=16,steps=400") : bare(method);
}

TEST(Learner, SeesNoMoreExamplesThanItIsAllowed) {
  // A source that fails the test when an example beyond the limit is read.
  class Guarded final : public attention::SampleSource {
   public:
    explicit Guarded(const attention::SampleSource& inner) : inner_(inner) {}
    attention::Index d() const override { return inner_.d(); }
    attention::Index k() const override { return inner_.k(); }
    attention::Inputs inputs() const override { return inner_.inputs(); }
    std::int64_t size() const override { return unlimited; }
    void read(std::int64_t first, attention::Block& block) const override {
      if (first + block.count > 30'000) trespass = true;
      inner_.read(first, block);
    }
    mutable std::atomic<bool> trespass = false;

   private:
    const attention::SampleSource& inner_;
  };
  const NiceSource nice("nice:d=8,k=3,m=2");
  for (const Method& method : testing::methods_by_examples()) {
    const Guarded guarded(nice.source);
    const Report report = learn(brief(method), guarded, {.examples = 30'000}, RunContext{});
    EXPECT_FALSE(guarded.trespass) << method.name;
    EXPECT_LE(report.examples_used, 30'000) << method.name;
  }
}

// The error of what a run hands back on examples of `source` that it has not read; 1 without a layer.
double error_on(const attention::SampleSource& source, const Report& report) {
  const std::vector<attention::Block> blocks = read_blocks(source, 50'000'000, 2000, RunContext{});
  if (report.layer) return relative_error(blocks, *report.layer);
  if (!report.predictor) return 1;
  double wrong = 0, all = 0;
  for (const attention::Block& block : blocks) {
    attention::Block told = block;
    report.predictor(source, 0, {})(0, told);
    wrong += (told.y - block.y).squaredNorm();
    all += block.y.squaredNorm();
  }
  return attention::relative_error(wrong, all);
}

attention::SimulatedSource source_of(const attention::Layer& layer) {
  return {std::make_shared<attention::LayerTeacher>(layer), layer.d, 2, attention::Inputs::boolean,
          Stream(Domain::samples, 3)};
}

// Two equal heads, or one that is 0, are one head, whose layer is as nice as any.
TEST(Learner, EqualAndNullHeadsAreOneHead) {
  const NiceSource nice("nice:d=8,k=2,m=2");
  const attention::Matrix zero = attention::Matrix::Zero(8, 8);
  attention::Layer same = nice.layer(), null_head = nice.layer();
  same.heads[1] = same.heads[0];
  null_head.heads[1] = {zero, zero};
  for (const attention::Layer& layer : {same, null_head}) {
    const attention::SimulatedSource source = source_of(layer);
    for (const char* method : {"sculpt", "gauss-newton"}) {
      const Report report = learn(Spec::parse(method), source, {.examples = 20'000}, RunContext{});
      EXPECT_EQ(report.ending, Ending::finished) << method << ": " << report.message;
      EXPECT_EQ(report.heads_found(), 1) << method;
      EXPECT_LT(error_on(source, report), 1e-20) << method;
    }
  }
}

// With W_2 = -W_1 nothing is left of W_sum to certify rows by: what the later phases get is not the heads'
// hull.
TEST(Learner, CancellingHeadsDefeatTheHullAndNotGaussNewton) {
  attention::Layer cancelling = NiceSource("nice:d=8,k=2,m=2").layer();
  cancelling.heads[1].w = -cancelling.heads[0].w;
  const attention::SimulatedSource source = source_of(cancelling);
  const Report sculpt = learn(Spec::parse("sculpt"), source, {.examples = 20'000}, RunContext{});
  EXPECT_EQ(sculpt.ending, Ending::failed);
  EXPECT_THAT(sculpt.failed_phase, ::testing::AnyOf("hull", "net")) << sculpt.message;
  EXPECT_GT(error_on(source, sculpt), 0.1);
  const Report newton = learn(Spec::parse("gauss-newton"), source, {.examples = 20'000}, RunContext{});
  EXPECT_EQ(newton.ending, Ending::finished) << newton.message;
  EXPECT_EQ(newton.heads_found(), 2);
  EXPECT_LT(error_on(source, newton), 1e-20);
}

TEST(Learner, DegenerateLayersEndInAClearOutcome) {
  const NiceSource nice("nice:d=8,k=2,m=2");
  const attention::Matrix zero = attention::Matrix::Zero(8, 8);
  attention::Layer same = nice.layer(), cancelling = nice.layer(), silent = nice.layer();
  same.heads[1] = same.heads[0];
  cancelling.heads[1].w = -cancelling.heads[0].w;
  for (attention::Head& head : silent.heads) head.w = zero;
  for (const attention::Layer& layer : {same, cancelling, silent}) {
    const attention::SimulatedSource source = source_of(layer);
    for (const Method& method : testing::methods_by_examples()) {
      const Report report = learn(brief(method), source, {.examples = 20'000}, RunContext{});
      EXPECT_FALSE(report.message.empty()) << method.name;
      if (report.layer) {
        EXPECT_NO_THROW(report.layer->validate()) << method.name;
      }
      // One that says it has learnt predicts; one that has failed names a phase that ran.
      if (report.ending == Ending::finished) {
        EXPECT_LT(error_on(source, report), 1e-6) << method.name << ": " << report.message;
      } else {
        EXPECT_EQ(report.ending, Ending::failed) << method.name;
        EXPECT_NO_THROW(phase(report, report.failed_phase)) << method.name << ": " << report.message;
      }
    }
  }
}

TEST(Learner, HasNothingWhenToldToStopBefore) {
  const NiceSource nice("nice:d=16,k=3,m=2");
  const std::atomic<bool> stop = true;
  RunContext context;
  context.stop = StopToken(&stop);
  for (const Method& method : testing::methods_by_examples()) {
    const Report report = learn(bare(method), nice.source, {}, context);
    EXPECT_EQ(report.ending, Ending::stopped) << method.name;
    EXPECT_THAT(report.message, HasSubstr("interrupted")) << method.name;
    EXPECT_FALSE(report.layer) << method.name;
  }
}

// What becomes of a run that is stopped at the first progress of a phase.
Report stopped_in(std::string_view where, const std::string& method, const NiceSource& nice) {
  std::atomic<bool> stop = false;
  RunContext context;
  context.stop = StopToken(&stop);
  context.progress.on_progress = [&](std::string_view now, double) { stop = stop || now == where; };
  return run(method, nice, {.heads = 2, .examples = 50'000}, context);
}

std::vector<std::string> phase_names(const Report& report) {
  std::vector<std::string> names;
  for (const Phase& one : report.phases) names.push_back(one.name);
  return names;
}

std::vector<std::string> measure_names(const Phase& phase) {
  std::vector<std::string> names;
  for (const auto& [name, value] : phase.measures) names.push_back(name);
  return names;
}

TEST(Learner, StopsWhenToldAndKeepsWhatItHas) {
  const NiceSource nice("nice:d=8,k=3,m=2,seed=3");
  const std::vector<std::string> of_a_fit = {"starts", "iterations"};
  const std::vector<std::string> of_a_descent = {"heads", "steps", "rounds", "holdout_error"};
  for (const auto& [method, where, measures] : {std::tuple{"gauss-newton", "fit_2_heads", of_a_fit},
                                                {"lbfgs", "fit_2_heads", of_a_fit},
                                                {"adam", "descent", of_a_descent}}) {
    const Report report = stopped_in(where, method, nice);
    EXPECT_THAT(phase_names(report), ::testing::ElementsAre(where)) << method;
    const Phase& under_way = report.phases.back();
    EXPECT_THAT(measure_names(under_way), ::testing::IsSupersetOf(measures)) << method;
    EXPECT_GT(measure(under_way, measures[1]), 0) << method;
    EXPECT_GT(under_way.examples, 0) << method;
    EXPECT_GT(under_way.seconds, 0) << method;
    EXPECT_EQ(under_way.estimates.size(), 1) << method;
    EXPECT_EQ(report.ending, Ending::stopped) << method;
    EXPECT_THAT(report.message, HasSubstr("interrupted")) << method;
    EXPECT_EQ(report.heads_found(), std::string_view(method) == "adam" ? 64 : 2) << method;
    EXPECT_LT(fresh_error(nice, report), 0.9) << method;
  }
}

TEST(Sculpt, StoppedInThePolishItKeepsThePhasesBeforeAndTheirLayer) {
  const NiceSource nice("nice:d=8,k=3,m=2,seed=3");
  const Report report = stopped_in("polish", "sculpt", nice);
  EXPECT_EQ(report.ending, Ending::stopped);
  EXPECT_THAT(phase_names(report), ::testing::ElementsAre("w_sum", "hull", "w_sum_refined", "hull_refined",
                                                          "span", "net", "polish"));
  EXPECT_EQ(measure(report.phases.back(), "iterations"), 1);
  const double of_the_net = measure(phase(report, "net"), "holdout_error");
  const double of_the_polish = measure(phase(report, "polish"), "holdout_error");
  EXPECT_LE(of_the_polish, of_the_net);
  EXPECT_GT(fresh_error(nice, report), of_the_polish / 2);
  EXPECT_LT(fresh_error(nice, report), of_the_polish * 2);
}

TEST(Sculpt, StoppedInAnEarlyPhaseItHasThePhaseUnderWay) {
  const NiceSource nice("nice:d=8,k=3,m=2,seed=3");
  const Report report = stopped_in("w_sum_refined", "sculpt", nice);
  EXPECT_EQ(report.ending, Ending::stopped);
  EXPECT_THAT(phase_names(report), ::testing::ElementsAre("w_sum", "hull", "w_sum_refined"));
  EXPECT_TRUE(std::holds_alternative<AffineHull>(report.phases[1].estimates.at(0)));
  EXPECT_FALSE(report.layer);
}

TEST(PhaseOne, StoppedItHasThePhaseUnderWay) {
  const NiceSource nice("nice:d=8,k=3,m=2,seed=3");
  const Report report = stopped_in("w_sum", "phase1", nice);
  EXPECT_EQ(report.ending, Ending::stopped);
  EXPECT_THAT(phase_names(report), ::testing::ElementsAre("w_sum"));
}

TEST(External, StoppedItHasThePhaseUnderWay) {
  const NiceSource nice("nice:d=8,k=3,m=2");
  RunContext context;
  context.stop = context.stop.with_time_limit(0.2);
  const Report report =
      learn(parse_learner("exec:sleep 100 && true"), nice.source, {.examples = 500}, context);
  EXPECT_EQ(report.ending, Ending::stopped);
  EXPECT_THAT(phase_names(report), ::testing::ElementsAre("exec"));
}

// The same examples without anything behind them.
class Copied final : public attention::SampleSource {
 public:
  Copied(const attention::SampleSource& source, attention::Index count)
      : inputs_(source.inputs()), all_(source.d(), source.k(), count) {
    source.read(0, all_);
  }
  attention::Index d() const override { return all_.d(); }
  attention::Index k() const override { return all_.k; }
  attention::Inputs inputs() const override { return inputs_; }
  std::int64_t size() const override { return all_.count; }
  void read(std::int64_t first, attention::Block& block) const override {
    for (attention::Index a = 0; a < block.k; ++a) {
      block.x.middleCols(block.column(a, 0), block.count) =
          all_.x.middleCols(all_.column(a, first), block.count);
      block.y.middleCols(block.column(a, 0), block.count) =
          all_.y.middleCols(all_.column(a, first), block.count);
    }
  }

 private:
  attention::Inputs inputs_;
  attention::Block all_;
};

// Whatever a learner estimates it has from the examples: it makes the same of them where no layer has made
// them.
TEST(Learner, SeesTheExamplesAndNoTruthBehindThem) {
  constexpr attention::Index examples = 5000;
  const NiceSource nice("nice:d=8,k=3,m=2");
  const Copied copied(nice.source, examples);
  const Task task{.examples = examples};
  for (const Method& method : testing::methods_by_examples()) {
    const Spec spec = method.name == "exec" ? parse_learner("exec:false") : brief(method);
    const Report one = learn(spec, nice.source, task), two = learn(spec, copied, task);
    EXPECT_EQ(one.ending, two.ending) << method.name;
    EXPECT_EQ(one.message, two.message) << method.name;
    EXPECT_EQ(one.examples_used, two.examples_used) << method.name;
    ASSERT_EQ(phase_names(one), phase_names(two)) << method.name;
    for (std::size_t i = 0; i < one.phases.size(); ++i) {
      EXPECT_EQ(one.phases[i].measures, two.phases[i].measures) << method.name;
      EXPECT_EQ(one.phases[i].rows_kept, two.phases[i].rows_kept) << method.name;
    }
    ASSERT_EQ(one.heads_found(), two.heads_found()) << method.name;
    for (std::size_t i = 0; one.layer && i < one.layer->heads.size(); ++i) {
      EXPECT_EQ(one.layer->heads[i].theta, two.layer->heads[i].theta) << method.name;
      EXPECT_EQ(one.layer->heads[i].w, two.layer->heads[i].w) << method.name;
    }
  }
}

std::string rejection(const std::string& method, const NiceSource& nice, const Task& task = {}) {
  return refusal_of<Error>([&] { run(method, nice, task); });
}

TEST(Learner, RejectsWhatCannotBeRun) {
  const NiceSource nice("nice:d=16,k=3,m=2"), single("nice:d=16,k=1,m=2");
  EXPECT_THAT(rejection("sculp", nice), HasSubstr("did you mean 'sculpt'"));
  EXPECT_THAT(rejection("sculpt:row=3", nice), HasSubstr("did you mean 'rows'"));
  EXPECT_THAT(rejection("gauss-newton:starts=0", nice), HasSubstr("starts=0"));
  EXPECT_THAT(rejection("sculpt", single), HasSubstr("k = 1"));
  EXPECT_THAT(rejection("sculpt", nice, {.heads = 0}), HasSubstr("heads = 0"));
  EXPECT_THAT(rejection("gauss-newton", nice, {.heads = 2, .examples = 21}),
              HasSubstr("counting bound 22, which is"));
}

TEST(Learner, MoreHeadsThanDimensionsStarveTheHull) {
  const NiceSource nice("nice:d=2,k=2,m=1");
  for (const char* method : {"sculpt", "sculpt:hull=paper"}) {
    const Report report = run(method, nice, {.heads = 4, .examples = 5000});
    EXPECT_EQ(report.failed_phase, "hull") << method;
    EXPECT_THAT(report.message, HasSubstr("4 heads of 2 x 2")) << method;
  }
}

TEST(Learner, NeedsAnExampleToFitToChooseAndToJudge) {
  const NiceSource nice("nice:d=2,k=4,m=1");
  for (const Method& method : testing::methods_by_examples()) {
    if (method.name == "exec") continue;
    EXPECT_THROW(run(method.name, nice, {.heads = 1, .examples = 2}), InputError) << method.name;
    EXPECT_NO_THROW(run(method.name, nice, {.heads = 1, .examples = 3})) << method.name;
  }
}

TEST(Learner, RefusesARunBeyondItsMemoryBudget) {
  const NiceSource nice("nice:d=16,k=3,m=2");
  EXPECT_THROW(run("sculpt", nice, {.memory_limit_bytes = process_bytes + 1e6}), BudgetError);
  EXPECT_NO_THROW(run("sculpt", nice, {.examples = 2000, .memory_limit_bytes = process_bytes + 1e8}));
}

}  // namespace
}  // namespace hardhead::learner
