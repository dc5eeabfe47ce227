#include <fmt/format.h>

#include <algorithm>

#include "app/command.h"
#include "app/learning_options.h"
#include "app/output.h"
#include "attention/files/layer_file.h"
#include "base/error.h"
#include "study/run/json.h"
#include "study/run/memory.h"

namespace hardhead::app {
namespace {

using study::Degree;
using study::Outcome;
using study::RunResult;

struct LearnOptions {
  CommonOptions common;
  LearningOptions learning;
  std::string source;
  std::string output;  ///< empty for none
};

std::string phase_table(const RunResult& result) {
  std::vector<std::vector<std::string>> rows = {{"phase", "seconds", "examples", "rows kept", "measures"}};
  for (const learner::Phase& phase : result.report.phases) {
    std::string measures;
    for (const auto& [name, value] : phase.measures) measures += fmt::format("{}={} ", name, brief(value));
    std::string kept = phase.rows_kept ? fmt::format("{}", *phase.rows_kept) : "-";
    const std::string lines = wrapped(measures, 76);
    rows.push_back({phase.name, fmt::format("{:.2f}", phase.seconds), fmt::format("{}", phase.examples),
                    std::move(kept), lines.substr(0, lines.find('\n'))});
    for (std::size_t at = lines.find('\n'); at != std::string::npos && at + 1 < lines.size();) {
      const std::size_t end = lines.find('\n', at + 1);
      rows.push_back({"", "", "", "", lines.substr(at + 1, end - at - 1)});
      at = end;
    }
  }
  return table(rows);
}

std::string verdict(const RunResult& result) {
  std::string head = "OF UNKNOWN DEGREE";
  if (result.score.degree) switch (*result.score.degree) {
      case Degree::recovered:
        head = "RECOVERED";
        break;
      case Degree::learnt:
        head = "LEARNT, NOT RECOVERED";
        break;
      case Degree::partly:
        head = "PARTLY LEARNT";
        break;
      case Degree::nothing:
        head = "NOTHING LEARNT";
        break;
    }
  if (result.score.outcome == Outcome::stopped) head = "STOPPED: " + head;
  if (!result.report.failed_phase.empty())
    head += fmt::format(" (failed in phase {})", result.report.failed_phase);
  return head;
}

std::string largest(const std::vector<std::optional<double>>& errors) {
  const auto at = std::max_element(errors.begin(), errors.end());
  return at != errors.end() && *at ? brief(**at) : "-";
}

/// " (95%: 0.4 .. 0.6, over test examples)"
std::string interval(const std::optional<statistics::Interval>& of) {
  if (!of) return "";
  return of->low == of->high
             ? " (exact: the test examples are all inputs)"
             : fmt::format(" (95%: {} .. {}, over test examples)", brief(of->low), brief(of->high));
}

std::string text(const RunResult& result) {
  std::string out =
      fmt::format("{}\nd = {}, k = {}, {}, {} inputs; learner {}\n\n",
                  result.problem.spec.empty() ? result.problem.source : result.problem.spec, result.problem.d,
                  result.problem.k, result.problem.m ? counted(*result.problem.m, "head") : "heads unknown",
                  attention::to_string(result.problem.inputs), result.request.method.str());
  out += phase_table(result);
  out += fmt::format("\n{}\n{}", verdict(result), wrapped(result.report.message));
  out +=
      fmt::format("test error      {} on {} fresh examples ({} or less is recovered)\n",
                  brief(result.score.test_error), result.problem.test_count, brief(result.request.recovery));
  out += fmt::format("null predictor  {}: advantage {} of 1{}\n", brief(result.problem.null_error),
                     brief(result.score.advantage), interval(result.score.advantage_interval));
  out += wrapped(result.problem.null_description, 100, 16);
  if (result.score.heads_found)
    out += fmt::format("heads found     {}{}\n", *result.score.heads_found,
                       result.problem.m ? fmt::format(" (truth: {})", *result.problem.m) : "");
  if (result.score.parameter_error && result.score.heads_found)
    out += fmt::format("parameters      off by at most {} (theta), {} (w), relative, over matched heads\n",
                       largest(result.score.parameter_error->theta_error),
                       largest(result.score.parameter_error->w_error));
  return out + fmt::format("used            {}, {:.2f} s, {}\n",
                           counted(result.report.examples_used, "example"), result.report.seconds,
                           counted(result.threads, "thread"));
}

void save(const std::string& path, const RunResult& result) {
  attention::write_layer(path, *result.report.layer,
                         {{"digest", attention::content_digest(*result.report.layer)},
                          {"k", std::to_string(result.problem.k)},
                          {"inputs", attention::to_string(result.problem.inputs)},
                          {"learnt_by", result.options.str()},
                          {"learnt_from", result.problem.digest},
                          {"version", result.version}});
}

Answer run(const LearnOptions& options, const RunContext& context) {
  const std::vector<Spec>& methods = options.learning.methods;
  if (methods.size() > 1)
    throw InputError(
        fmt::format("--method {}: learn takes one method, compare takes several", methods[1].str()));
  const study::RunOptions how = options.learning.run_options(options.common.seed);
  study::check_method(how.method);
  if (!options.output.empty()) check_writable(options.output);

  const study::Source source = options.source;
  study::check_memory(source, how);
  const study::Problem problem =
      study::open_problem(source, options.learning.problem_options(options.common.seed), context);
  const RunResult result = study::run(problem, how, context);
  if (!context.is_root()) return {};
  Answer answer{ExitCode::answered, options.common.json ? study::json_text(result) : text(result)};
  if (options.learning.require_recovery && result.score.outcome != Outcome::recovered)
    answer.code = ExitCode::not_recovered;
  if (options.output.empty()) return answer;
  if (result.report.layer)
    save(options.output, result);
  else
    answer.note = fmt::format("no layer was found: '{}' is not written", options.output);
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
          .flag(output_flag(), &LearnOptions::output, nonempty_text("a file name")),
      run);
}

}  // namespace hardhead::app
