#include <fmt/format.h>

#include "app/command.h"
#include "app/learning_options.h"
#include "app/output.h"
#include "app/text/run_text.h"
#include "base/error.h"
#include "base/files/atomic_file.h"
#include "study/run/json.h"
#include "study/run/memory.h"

namespace hardhead::app {
namespace {

using study::Outcome;
using study::RunResult;

struct LearnOptions {
  CommonOptions common;
  LearningOptions learning;
  std::string source;
  std::string output, curve;  ///< empty for none
};

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
    return fmt::format("{} keeps no curve of its error: '{}' is not written", result.request.method.name,
                       path);
  AtomicFile file(path);
  file.stream() << text;
  file.commit();
  return {};
}

Answer run(const LearnOptions& options, const RunContext& context) {
  const std::vector<Spec>& methods = options.learning.methods;
  if (methods.size() > 1)
    throw InputError(
        fmt::format("--method {}: learn takes one method, compare takes several", methods[1].str()));
  const study::RunOptions how = options.learning.run_options(options.common.seed);
  study::check_method(how.method);
  if (!options.curve.empty() && options.curve == options.output)
    throw InputError(fmt::format("--curve {}: --output writes the layer there", options.curve));
  for (const std::string& file : {options.output, options.curve})
    if (!file.empty()) check_writable(file);

  const study::Source source = options.source;
  study::check_memory(source, how);
  const study::Problem problem =
      study::open_problem(source, options.learning.problem_options(options.common.seed), context);
  const RunResult result = study::run(problem, how, context);
  if (!context.is_root()) return {};
  Answer answer{ExitCode::answered, options.common.json ? study::json_text(result) : run_text(result)};
  if (options.learning.require_recovery && result.score.outcome != Outcome::recovered)
    answer.code = ExitCode::not_recovered;
  if (!options.curve.empty()) answer.note = write_curve(options.curve, result);
  if (options.output.empty()) return answer;
  if (result.report.layer)
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
                    "learnt.safetensors"},
       .shared = true},
      FlagTable<LearnOptions>()
          .positional({"SOURCE", "a spec, a data file or a layer file"}, &LearnOptions::source)
          .group(&LearnOptions::learning, learning_flags())
          .flag(output_flag(), &LearnOptions::output, nonempty_text("a file name"))
          .flag({"--curve", "FILE", "gauss-newton: held-back errors against seconds and steps, as CSV"},
                &LearnOptions::curve, nonempty_text("a file name")),
      run);
}

}  // namespace hardhead::app
