#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "app/command.h"
#include "app/learning_options.h"
#include "app/output.h"
#include "app/text/run_text.h"
#include "base/error.h"
#include "base/files/atomic_file.h"
#include "study/run/json.h"
#include "study/run/memory.h"
#include "study/run/values.h"

namespace hardhead::app {
namespace {

using study::Outcome;
using study::RunResult;

struct LearnOptions {
  CommonOptions common;
  LearningOptions learning;
  std::string source;
  LayerExamples layer;               ///< where the source is a layer file
  study::ValueAccess values;         ///< of a learner by values
  std::string output, curve, asked;  ///< files; empty for none
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

/// Held-back errors against time, a row for each point; empty for a learner that keeps none.
std::string curve_text(const learner::Report& report) {
  std::string rows;
  for (const learner::Phase& phase : report.phases)
    for (const learner::CurvePoint& point : phase.curve)
      rows +=
          fmt::format("{},{:.3f},{},{:.6g}\n", phase.name, point.seconds, point.steps, point.holdout_error);
  return rows.empty() ? rows : "phase,seconds,steps,holdout_error\n" + rows;
}

/// Returns what there is to say of it.
std::string write_curve(const std::string& path, const RunResult& result) {
  const std::string text = curve_text(result.report);
  if (text.empty())
    return fmt::format("{} keeps no curve of its error: '{}' is not written", result.request.method.name(),
                       path);
  AtomicFile file(path);
  file.stream() << text;
  file.commit();
  return {};
}

Answer run(const LearnOptions& options, const RunContext& context) {
  const std::vector<learner::Learner>& methods = options.learning.methods;
  if (methods.size() > 1)
    throw InputError(
        fmt::format("--method {}: learn takes one method, compare takes several", methods[1].str()));
  study::RunOptions how = options.learning.run_options();
  how.values = options.values;
  study::check_access(how);
  if (!options.asked.empty() && !how.method.asks_values())
    throw InputError(fmt::format("--save {}: {} asks for no values", options.asked, how.method.name()));
  for (const std::string& path : {options.output, options.curve, options.asked})
    if (!path.empty()) check_writable(path);

  const study::Source source = options.layer.of({options.source}).front();
  study::check_memory(source, how);
  study::check_asking(how.method, how.values, source);
  const study::Problem problem = study::open_problem(
      source, {options.common.seed, options.learning.holdout, options.learning.truth}, context);
  std::optional<AtomicFile> asked;
  if (!options.asked.empty()) {
    asked.emplace(options.asked);
    how.values.listener = [&](const attention::Block& block) { write_lines(asked->stream(), block); };
  }
  const RunResult result = study::run(problem, how, context);
  if (asked) asked->commit();
  if (!context.is_root()) return {};
  Answer answer{ExitCode::answered, options.common.json ? study::json_text(result) : run_text(result)};
  if (options.learning.require_recovery && result.score.outcome != Outcome::recovered)
    answer.code = ExitCode::not_recovered;
  if (!options.curve.empty()) answer.note = write_curve(options.curve, result);
  if (options.output.empty()) return answer;
  if (result.layer() != nullptr)
    save_learnt(options.output, result);
  else
    answer.note += fmt::format("{}no layer was found: '{}' is not written", answer.note.empty() ? "" : "; ",
                               options.output);
  return answer;
}

}  // namespace

Command learn_command() {
  return make_command(
      {.name = "learn",
       .summary = "run a learner on a source and judge what it learnt",
       .examples = {"hardhead learn nice:d=8,k=2,m=2,seed=7 --method gauss-newton --heads 2",
                    "hardhead learn data.safetensors --truth layer.safetensors --method gauss-newton -o "
                    "learnt.safetensors",
                    "hardhead learn nice:d=16,k=2,m=4 --method mobius --budget 10000"},
       .shared = true},
      FlagTable<LearnOptions>()
          .positional({"SOURCE", "a spec, a data file or a layer file"}, &LearnOptions::source)
          .group(&LearnOptions::learning, learning_flags("sculpt"))
          .group(&LearnOptions::layer, layer_examples_flags())
          .group(&LearnOptions::values, value_flags())
          .flag(output_flag(), &LearnOptions::output, nonempty_text("a file name"))
          .flag({"--curve", "FILE", "gauss-newton: held-back errors against seconds and steps, as CSV"},
                &LearnOptions::curve, nonempty_text("a file name"))
          .flag({"--save", "FILE", "a learner by values: every query with its answer, as lines of JSON"},
                &LearnOptions::asked, nonempty_text("a file name")),
      run);
}

}  // namespace hardhead::app
