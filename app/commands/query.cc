#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "app/command.h"
#include "app/learning_options.h"
#include "app/output.h"
#include "app/text/run_text.h"
#include "base/error.h"
#include "base/files/atomic_file.h"
#include "study/query/ask.h"
#include "study/run/json.h"
#include "study/run/memory.h"

namespace hardhead::app {
namespace {

struct QueryOptions {
  CommonOptions common;
  study::RunOptions run{.method = {"mobius", {}}};
  std::string source;
  std::string output;  ///< empty for none
  std::string save;    ///< empty for none
};

/// A line for each query: {"x": [[..], ..], "y": [[..], ..]}, row by row.
void write_lines(std::ostream& file, const attention::Block& block) {
  const auto rows = [&](const attention::RowMatrix& values, attention::Index n) {
    nlohmann::json out = nlohmann::json::array();
    for (attention::Index a = 0; a < block.k; ++a) {
      const attention::Vector row = values.col(block.column(a, n));
      out.push_back(std::vector<double>(row.begin(), row.end()));
    }
    return out;
  };
  for (attention::Index n = 0; n < block.count; ++n)
    file << nlohmann::json{{"x", rows(block.x, n)}, {"y", rows(block.y, n)}}.dump() << '\n';
}

/// Throws InputError for a learner that does not ask values.
void check_learner(const Spec& learner) {
  study::check_method(learner);
  if (!study::asks_values(learner.name))
    throw InputError(
        fmt::format("--learner {}: it learns from examples; 'learn --method {}' runs it, 'families' lists "
                    "the learners by value queries",
                    learner.str(), learner.str()));
}

Answer run(const QueryOptions& options, const RunContext& context) {
  study::RunOptions how = options.run;
  how.task.seed = options.common.seed;
  check_learner(how.method);
  if (!options.save.empty() && options.save == options.output)
    throw InputError(
        fmt::format("--save {} and -o {}: both would write this file", options.save, options.output));
  for (const std::string& path : {options.output, options.save})
    if (!path.empty()) check_writable(path);
  const study::Source source = options.source;
  study::check_memory(source, how);
  const study::Problem problem = study::open_problem(source, {.seed = how.task.seed}, context);
  std::optional<AtomicFile> asked;
  if (!options.save.empty()) {
    asked.emplace(options.save);
    how.values.listener = [&](const attention::Block& block) { write_lines(asked->stream(), block); };
  }
  const study::RunResult result = study::run(problem, how, context);
  if (asked) asked->commit();
  Answer answer{ExitCode::answered, options.common.json ? study::json_text(result) : run_text(result)};
  if (options.output.empty()) return answer;
  if (result.report.layer)
    save_learnt(options.output, result);
  else
    answer.note = fmt::format("no layer was found: '{}' is not written", options.output);
  return answer;
}

/// Here a program of the user's is always one that asks: `exec:` stands for `exec-query:`.
Reader<Spec> query_learner() {
  return [](const std::string&, const std::string& text) {
    Spec out = parse_learner(text);
    if (out.name == "exec") out.name = "exec-query";
    return out;
  };
}

FlagTable<learner::Task> task_flags() {
  return FlagTable<learner::Task>().flag(heads_flag(), &learner::Task::heads,
                                         integer_in<std::int64_t>(1, most_heads));
}

FlagTable<study::RunOptions> run_flags() {
  using study::RunOptions;
  return FlagTable<RunOptions>()
      .flag({"--learner", "NAME", "a learner by queries, with options as in single:rank=2 (default mobius)"},
            &RunOptions::method, query_learner())
      .group(&RunOptions::values, value_flags())
      .group(&RunOptions::task, task_flags())
      .group(&RunOptions::task, time_limit_flags())
      .group(&RunOptions::task, memory_limit_flags())
      .flag(
          {"--recovery", "E", "test error up to which a layer counts as recovered, above 0 (default 1e-10)"},
          &RunOptions::recovery, positive_number());
}

}  // namespace

Command query_command() {
  return make_command({.name = "query",
                       .summary = "learn a layer from its values at chosen X",
                       .examples = {"hardhead query nice:d=16,k=2,m=4 --learner mobius",
                                    "hardhead query nice:d=8,m=1 --learner single --tolerance 1e-6",
                                    "hardhead query parity:d=20,m=6 --learner flip --save asked.jsonl"}},
                      FlagTable<QueryOptions>()
                          .positional({"SOURCE", "a spec or a layer file"}, &QueryOptions::source)
                          .group(&QueryOptions::run, run_flags())
                          .flag(output_flag(), &QueryOptions::output, nonempty_text("a file name"))
                          .flag({"--save", "FILE", "what was asked and answered, as JSON lines"},
                                &QueryOptions::save, nonempty_text("a file name")),
                      run);
}

}  // namespace hardhead::app
