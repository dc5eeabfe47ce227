#include "study/sweep/execute.h"

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <map>
#include <system_error>
#include <thread>

#include "base/error.h"
#include "learner/outside/program_files.h"
#include "study/sweep/forecast.h"
#include "study/sweep/work_queue.h"

namespace hardhead::study {
namespace {

/// What the root knows of a plan before the first run.
struct Prepared {
  std::vector<std::string> names;      // of each run, as the journal has it
  std::vector<std::size_t> original;   // the first run of the same name: the two are one run
  std::vector<std::string> programs;   // of each run, learner::program_digest()
  std::vector<WorkQueue::Item> items;  // runs to be done
};

/// Whether a run failed, was refused or ran out of time.
bool failed(const RunResult& result) {
  const learner::Ending ending = result.report.ending;
  return ending == learner::Ending::failed || ending == learner::Ending::stopped;
}

/// Names all runs, and takes the results of those that the journal has. The names in a journal are made of
/// the sources' digests; without a journal nothing has to be opened for a name, since equal texts are equal
/// sources.
void recall(std::span<const RunRequest> plan, Journal* journal, const ExecuteOptions& options,
            const StopToken& stop, Prepared& out, Executed& executed) {
  RunContext quiet;
  quiet.stop = stop;
  const auto digest_of = [&](const Source& source) {
    if (journal == nullptr) return source.canonical_name();
    try {
      return source.digest(quiet);
    } catch (const InputError&) {
      if (options.bad_point == BadPoint::ends_the_plan) throw;
      return "refused: " + source.name();
    }
  };
  std::map<std::string, std::size_t> first;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    stop.check();
    out.names.push_back(run_digest(digest_of(plan[i].source), plan[i].problem, plan[i].run));
    out.original.push_back(first.try_emplace(out.names.back(), i).first->second);
    out.programs.push_back(learner::program_digest(plan[i].run.method));
    executed.runs += options.part.has(out.names.back()) ? 1 : 0;
    if (journal == nullptr) continue;
    if (!options.part.has(out.names.back())) continue;
    executed.results[i] = journal->find(out.names.back());
    if (executed.results[i]) executed.results[i]->request.method = plan[i].run.method;  // which can be run
    if (options.retry_failed && executed.results[i] && failed(*executed.results[i]))
      executed.results[i].reset();
    executed.from_journal += executed.results[i] ? 1 : 0;
  }
  if (journal != nullptr) executed.unclaimed = journal->unclaimed();
}

/// What runs of one row of a plan have in common: all but their seeds.
std::string row_of(const RunRequest& planned) {
  const learner::Task& task = planned.run.task;
  std::string source = planned.source.name();
  try {
    source = planned.source.label();
  } catch (const InputError&) {  // of a bad point, which is a row of its own
  }
  return fmt::format("{}\n{}\n{} {}", source, planned.run.method.str(), task.heads.value_or(0),
                     task.examples.value_or(0));
}

/// Lists the runs to be done with their predicted seconds, and announces them. The first run of each row
/// comes before the second of any, so that all rows have a measured time early.
void forecast(std::span<const RunRequest> plan, const ExecuteOptions& options, const RunContext& context,
              Prepared& out, const Executed& executed) {
  Forecaster forecaster;
  Forecast forecast{.runs = executed.runs, .from_journal = executed.from_journal, .jobs = options.jobs};
  std::map<std::string, std::size_t> rows;
  std::vector<std::size_t> of_row;  // runs, so far
  std::vector<std::size_t> turn(plan.size());
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (executed.results[i] || out.original[i] != i || !options.part.has(out.names[i])) continue;
    context.stop.check();
    std::optional<learner::PredictedSeconds> seconds;
    try {
      seconds = forecaster.seconds(plan[i]);
    } catch (const InputError&) {
      if (options.bad_point == BadPoint::ends_the_plan) throw;
    }
    forecast.add(plan[i].run.method.name(), seconds, plan[i].run.task.time_limit_seconds);
    constexpr learner::PredictedSeconds of_unknown{1, 1};
    const std::size_t row = rows.try_emplace(row_of(plan[i]), rows.size()).first->second;
    of_row.resize(rows.size());
    turn[i] = of_row[row]++;
    out.items.push_back({i, row, seconds.value_or(of_unknown).learnt, 0});
  }
  std::ranges::stable_sort(out.items, {}, [&](const WorkQueue::Item& item) { return turn[item.index]; });
  for (std::size_t n = 0; n < out.items.size(); ++n)
    out.items[n].number = static_cast<std::size_t>(executed.runs) - out.items.size() + n + 1;
  if (options.announce) context.progress.announce(forecast.str());
}

int threads_of_a_run(int jobs) {
  return std::max(1, tbb::this_task_arena::max_concurrency() / jobs);
}

/// One thread's part of the work.
void work(WorkQueue& queue, std::size_t planned_runs, const ExecuteOptions& options,
          const RunContext& context) {
  queue.guarded([&] {
    RunContext own = context;
    own.progress = {};
    own.communicator = nullptr;
    Runner runner(own, options.bad_point);
    while (const WorkQueue::Item* item = queue.next()) {
      const RunRequest& planned = queue.run_of(*item);
      context.stop.check();
      context.progress.report(fmt::format("run {} of {}: {}, {}", item->number, planned_runs,
                                          planned.source.name(), planned.run.method.str()),
                              queue.done());
      queue.finish(*item, runner.carry_out(planned));
      if (const std::string said = options.announce ? queue.correction() : ""; !said.empty())
        context.progress.announce(said);
    }
  });
}

/// Works on the queue with this rank's threads and hands out work to the other ranks, until all is done.
void carry_out(WorkQueue& queue, std::size_t planned_runs, const ExecuteOptions& options,
               const RunContext& context) {
  const int jobs = options.jobs, threads = threads_of_a_run(jobs);
  std::vector<std::jthread> others;
  if (context.communicator != nullptr)
    others.emplace_back(
        [&] { queue.guarded([&] { hand_out_runs(queue, *context.communicator, context.stop); }); });
  if (jobs == 1) {
    work(queue, planned_runs, options, context);
  } else {
    const auto job = [&] {
      tbb::task_arena arena(threads);
      arena.execute([&] { work(queue, planned_runs, options, context); });
    };
    try {
      for (int j = 1; j < jobs; ++j) others.emplace_back(job);
    } catch (const std::system_error&) {  // no more threads: there are fewer jobs at a time
    }
    job();
  }
  others.clear();  // waits for them
  queue.rethrow();
}

Executed execute_at_root(std::span<const RunRequest> plan, const ExecuteOptions& options,
                         const RunContext& context) {
  Executed out;
  out.results.resize(plan.size());
  Journal* journal = nullptr;
  Prepared prepared;
  try {
    prepared = at_root(context, [&] {
      if (options.jobs < 1)
        throw InputError(fmt::format("jobs = {}, but at least 1 is needed", options.jobs));
      if (options.journal) journal = &options.journal->open();
      Prepared made;
      recall(plan, journal, options, context.stop, made, out);
      if (options.named) options.named(made.names);
      // Predictions are for the threads that a run has.
      tbb::task_arena(threads_of_a_run(options.jobs)).execute([&] {
        forecast(plan, options, context, made, out);
      });
      return made;
    });
  } catch (const Stopped&) {
    out.completion = Completion::interrupted;
    return out;
  }
  WorkQueue queue(plan, std::move(prepared.items), [&](std::size_t index, RunResult result) {
    if (result.report.ending == learner::Ending::undone) {
      out.undone.push_back(
          {plan[index].source.name(), plan[index].run.method.str(), std::move(result.report.message)});
      return;
    }
    if (learner::program_digest(plan[index].run.method) != prepared.programs[index])
      throw InputError(fmt::format(
          "'{}': the program, or a file that its command names, was changed while it ran; the runs before "
          "are kept, and the same command runs the new one",
          plan[index].run.method.str()));
    if (journal != nullptr) journal->append(prepared.names[index], result);
    out.results[index] = std::move(result);
  });
  carry_out(queue, static_cast<std::size_t>(out.runs), options, context);
  if (queue.interrupted()) out.completion = Completion::interrupted;
  for (std::size_t i = 0; i < plan.size(); ++i)
    if (prepared.original[i] != i) out.results[i] = out.results[prepared.original[i]];
  if (!out.undone.empty() && !options.without_undone && out.completion == Completion::complete)
    throw MachineError(text_of(out.undone));
  return out;
}

}  // namespace

bool Part::has(const std::string& name) const {
  constexpr std::size_t digits = 15;
  return std::stoull(name.substr(0, digits), nullptr, 16) % static_cast<std::uint64_t>(count) ==
         static_cast<std::uint64_t>(index - 1);
}

std::string text_of(std::span<const UndoneRun> undone) {
  const UndoneRun& first = undone.front();
  return fmt::format("{} ended by the machine and no result: {}, {}: {}{} The same command tries again",
                     undone.size() == 1 ? "1 run was" : fmt::format("{} runs were", undone.size()),
                     first.source, first.method, first.why, first.why.ends_with('.') ? "" : ".");
}

Executed execute(std::span<const RunRequest> plan, const ExecuteOptions& options, const RunContext& context) {
  if (context.is_root()) return execute_at_root(plan, options, context);
  try {
    at_root(context, [] { return 0; });  // waits for the root's preparations
    carry_out_runs(options.bad_point, context);
  } catch (const Stopped&) {  // the root says so
  }
  Executed out;
  out.completion = Completion::elsewhere;
  return out;
}

}  // namespace hardhead::study
