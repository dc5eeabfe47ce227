#include "app/learning_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace hardhead::app {

Reader<learner::Learner> learner_spec() {
  return [](const std::string&, const std::string& text) { return learner::Learner(parse_learner(text)); };
}

Reader<Spec> method_spec() {
  return [](const std::string&, const std::string& text) { return parse_learner(text); };
}

study::ProblemOptions LearningOptions::problem_options(std::uint64_t seed) const {
  return {seed, holdout, truth};
}

study::RunOptions LearningOptions::run_options(std::uint64_t seed) const {
  study::RunOptions options;
  if (!methods.empty()) options.method = methods.front();
  options.task = task;
  options.task.seed = seed;
  options.recovery = recovery;
  return options;
}

FlagTable<learner::Task> told_flags() {
  return FlagTable<learner::Task>()
      .flag(heads_flag(), &learner::Task::heads, integer_in<std::int64_t>(1, most_heads))
      .flag(examples_flag(), &learner::Task::examples, example_count());
}

FlagTable<learner::Task> time_limit_flags() {
  return FlagTable<learner::Task>().flag(time_limit_flag(), &learner::Task::time_limit_seconds,
                                         positive_number());
}

FlagTable<study::ValueAccess> value_flags() {
  using study::ValueAccess;
  const auto set_tau = [](ValueAccess& values, const std::string& text) {
    values.tolerance.tau = positive_number()("--tolerance", text);
  };
  const auto set_policy = [](ValueAccess& values, const std::string& text) {
    values.tolerance.policy = value_named<learner::AnswerPolicy>("policy", text);
  };
  return FlagTable<ValueAccess>()
      .add({"--tolerance", "T",
            "value queries: an entry of an answer may be off by this much (default 0: exact, rounded once)"},
           set_tau)
      .add({"--policy", "NAME",
            "value queries: what the tolerance is used for: uniform, worst, grid (default uniform)"},
           set_policy)
      .flag({"--length", "KIND",
             "value queries: tokens of an X: fixed, as many as the source's; free, any number (default: as "
             "the learner needs)"},
            &ValueAccess::length, Reader<study::QueryLength>([](const std::string&, const std::string& text) {
              return value_named<study::QueryLength>("length", text);
            }))
      .flag({"--budget", "Q", "value queries: at most this many (default: no limit)"}, &ValueAccess::budget,
            integer_in<std::int64_t>(1, std::numeric_limits<std::int64_t>::max()));
}

FlagTable<learner::Task> memory_limit_flags() {
  return FlagTable<learner::Task>().flag(
      {"--memory-limit", "BYTES",
       "refuse what is predicted to need more (suffixes K, M, G, T; default: none)"},
      &learner::Task::memory_limit_bytes, byte_count());
}

FlagTable<LearningOptions> learning_flags() {
  return FlagTable<LearningOptions>()
      .each(method_flag(), &LearningOptions::methods, learner_spec())
      .group(&LearningOptions::task, told_flags())
      .flag({"--holdout", "F",
             "fraction of a data file held back for the test, above 0 and below 1 (default 0.1)"},
            &LearningOptions::holdout, fraction())
      .flag({.name = "--truth",
             .argument = "FILE",
             .help = "a layer file to compare with, for data files",
             .reads = true},
            &LearningOptions::truth, any_text())
      .flag(
          {"--recovery", "E", "test error up to which a layer counts as recovered, above 0 (default 1e-10)"},
          &LearningOptions::recovery, positive_number())
      .group(&LearningOptions::task, time_limit_flags())
      .group(&LearningOptions::task, memory_limit_flags())
      .on({"--require-recovery", "", "exit with 4 unless the layer is recovered"},
          &LearningOptions::require_recovery);
}

FlagTable<LadderOptions> ladder_flags() {
  using study::Degree;
  return FlagTable<LadderOptions>()
      .flag({"--wanted", "N", "best: seeds that must succeed, at most --seeds (default: nine in ten)"},
            &LadderOptions::wanted, integer_in<std::int64_t>(1, most_seeds))
      .flag({"--goal", "learnt|recovered", "best: what counts as success (default learnt)"},
            &LadderOptions::goal,
            one_of<Degree>({{"learnt", Degree::learnt}, {"recovered", Degree::recovered}}))
      .flag(
          {"--most-examples", "N", "best: no budget with more examples is tried, at least 1 (default 10^8)"},
          &LadderOptions::most_examples, example_count())
      .flag({"--ladder-time", "SECONDS",
             "best: no budget is begun once its runs took this time together, above 0 (default 3600); a "
             "run takes at most a quarter of it, unless --time-limit says otherwise"},
            &LadderOptions::ladder_seconds, positive_number());
}

study::BestShotOptions shot_options(const LadderOptions& ladder, std::int64_t seeds,
                                    const study::ProblemOptions& problem, const study::RunOptions& run,
                                    const study::ExecuteOptions& execution) {
  study::BestShotOptions out{
      .seeds = seeds, .wanted = ladder.wanted.value_or((9 * seeds + 9) / 10), .problem = problem, .run = run};
  out.execution = execution;
  out.goal = ladder.goal.value_or(out.goal);
  out.most_examples = ladder.most_examples.value_or(out.most_examples);
  out.time_limit_seconds = ladder.ladder_seconds.value_or(out.time_limit_seconds);
  if (out.wanted > seeds)
    throw InputError(fmt::format("--wanted {}: at most --seeds {} is expected", out.wanted, seeds));
  if (!out.run.task.time_limit_seconds)
    out.run.task.time_limit_seconds = study::run_share * out.time_limit_seconds;
  return out;
}

}  // namespace hardhead::app
