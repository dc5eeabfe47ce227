#include <fmt/format.h>

#include <algorithm>

#include "app/command.h"
#include "app/flags.h"
#include "app/output.h"
#include "attention/layer_file.h"
#include "base/error.h"
#include "study/json.h"

namespace hardhead::app {
namespace {

using study::Outcome;
using study::RunResult;

std::string phase_table(const RunResult& result) {
  std::vector<std::vector<std::string>> rows = {{"phase", "seconds", "examples", "rows kept", "measures"}};
  for (const learner::Phase& phase : result.phases) {
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
  std::string head;
  if (result.outcome == Outcome::recovered)
    head = "RECOVERED";
  else if (result.outcome == Outcome::stopped)
    head = "STOPPED";
  else
    head = "NOT RECOVERED";
  if (!result.failed_phase.empty()) head += fmt::format(" (failed in phase {})", result.failed_phase);
  return head;
}

std::string largest(const std::vector<std::optional<double>>& errors) {
  const auto at = std::max_element(errors.begin(), errors.end());
  return at != errors.end() && *at ? brief(**at) : "-";
}

std::string text(const RunResult& result) {
  std::string out = fmt::format("{}\nd = {}, k = {}, {}, {} inputs; learner {}\n\n",
                                result.spec.empty() ? result.source : result.spec, result.d, result.k,
                                result.m ? counted(*result.m, "head") : "heads unknown",
                                attention::to_string(result.inputs), result.method.str());
  out += phase_table(result);
  out += fmt::format("\n{}\n{}", verdict(result), wrapped(result.message));
  out += fmt::format("test error      {} on {} fresh examples ({} or less is recovered)\n",
                     brief(result.test_error), result.test_examples, brief(result.recovery));
  out += fmt::format("null predictor  {}: advantage {} of 1\n", brief(result.null_error),
                     brief(result.advantage));
  out += wrapped(result.null_description, 100, 16);
  if (result.heads_found)
    out += fmt::format("heads found     {}{}\n", *result.heads_found,
                       result.m ? fmt::format(" (truth: {})", *result.m) : "");
  if (result.parameter_error && result.heads_found)
    out +=
        fmt::format("parameters      off by at most {} (theta), {} (w), relative, over matched heads\n",
                    largest(result.parameter_error->theta_error), largest(result.parameter_error->w_error));
  return out + fmt::format("used            {} examples, {:.2f} s, {}\n", result.examples_used,
                           result.seconds, counted(result.threads, "thread"));
}

void save(const std::string& path, const RunResult& result) {
  attention::write_layer(path, *result.layer,
                         {{"digest", attention::content_digest(*result.layer)},
                          {"k", std::to_string(result.k)},
                          {"inputs", attention::to_string(result.inputs)},
                          {"learnt_by", result.options.str()},
                          {"learnt_from", result.digest},
                          {"version", result.version}});
}

Answer run(const Settings& settings, const RunControl& control) {
  if (settings.methods.size() > 1)
    throw InputError(
        fmt::format("--method {}: learn takes one method, compare takes several", settings.methods[1].str()));
  const study::RunOptions options = settings.run_options();
  study::check_method(options.method);
  if (!settings.output.empty()) check_writable(settings.output);

  const study::Problem problem = study::open_problem(settings.source, settings.problem_options(), control);
  const RunResult result = study::run(problem, options, control);
  if (!control.leads()) return {};
  Answer answer{ExitCode::answered, settings.json ? study::json_text(result) : text(result)};
  if (settings.require_recovery && result.outcome != Outcome::recovered)
    answer.code = ExitCode::not_recovered;
  if (settings.output.empty()) return answer;
  if (result.layer)
    save(settings.output, result);
  else
    answer.note = fmt::format("no layer was found: '{}' is not written", settings.output);
  return answer;
}

}  // namespace

Command learn_command() {
  return {
      "learn",
      "run a learner on a source and judge what it learnt",
      {"SOURCE", "a spec, a data file or a layer file"},
      learning_flags({"-o,--output"}),
      {},
      {"hardhead learn nice:d=8,k=2,m=2,seed=7 --method gauss-newton --heads 2",
       "hardhead learn data.safetensors --truth layer.safetensors --method gauss-newton -o learnt.safetensors"},
      run,
      true};
}

}  // namespace hardhead::app
