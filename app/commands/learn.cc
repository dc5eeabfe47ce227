#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/command.h"
#include "app/learning_options.h"
#include "app/output.h"
#include "app/text/degree_shade.h"
#include "attention/files/layer_file.h"
#include "base/error.h"
#include "base/files/atomic_file.h"
#include "study/run/memory.h"
#include "study/run/values.h"

namespace hardhead::app {
namespace {

using study::Degree;
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

std::string phase_table(const RunResult& result) {
  constexpr std::size_t least = 24, most = 76,
                        others = 50;  // columns of measures, and of what is before them
  const std::size_t room = columns().value_or(most + others);
  const std::size_t width = std::clamp(room - std::min(room, others), least, most);
  Rows rows = {{"phase", "seconds", "examples", "rows kept", "measures"}};
  for (const learner::Phase& phase : result.report.phases) {
    std::string measures;
    for (const auto& [name, value] : phase.measures) measures += fmt::format("{}={} ", name, brief(value));
    std::string kept = phase.rows_kept ? fmt::format("{}", *phase.rows_kept) : "-";
    const std::string lines = wrapped(measures, width);
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

std::string of_degree(const std::optional<Degree>& degree) {
  if (degree) switch (*degree) {
      case Degree::recovered:
        return "RECOVERED";
      case Degree::learnt:
        return "LEARNT, NOT RECOVERED";
      case Degree::partly:
        return "PARTLY LEARNT";
      case Degree::nothing:
        return "NOTHING LEARNT";
    }
  return "OF UNKNOWN DEGREE";
}

std::string verdict(const RunResult& result) {
  std::string head = of_degree(result.score.degree);
  if (result.report.ending == learner::Ending::out_of_queries)
    head = "OUT OF QUERIES: " + head;
  else if (result.score.outcome == Outcome::stopped)
    head = "STOPPED: " + head;
  if (!result.report.failed_phase.empty())
    head += fmt::format(" (failed in phase {})", result.report.failed_phase);
  return result.score.degree ? painted(shade_of(*result.score.degree), head) : head;
}

std::string largest(const std::vector<std::optional<double>>& errors) {
  const auto at = std::max_element(errors.begin(), errors.end());
  return at != errors.end() && *at ? brief(**at) : "-";
}

/// " (95%: 0.4 .. 0.6, over test examples)"
std::string interval(const RunResult& result) {
  const std::optional<statistics::Interval>& of = result.score.advantage_interval;
  if (!of) return "";
  return result.problem.tested_on_all_inputs()
             ? " (exact: the test examples are all inputs)"
             : fmt::format(" (95%: {} .. {}, over test examples)", brief(of->low), brief(of->high));
}

/// ", queries of fixed length, answers within 1e-06 (uniform)"
std::string access(const RunResult& result) {
  if (!result.request.method.asks_values()) return "";
  const learner::Tolerance& tolerance = result.request.values.tolerance;
  return fmt::format(", queries of {} length, {}", name_of(*result.request.values.length),
                     tolerance.tau == 0
                         ? std::string("exact answers")
                         : fmt::format("answers within {} ({})", tolerance.tau, name_of(tolerance.policy)));
}

/// How right it is what a learner found besides a layer in double.
std::string findings(const study::Score& score) {
  std::string out;
  if (score.hidden_right) out += labelled("hidden", *score.hidden_right ? "all of it is right" : "WRONG");
  if (score.exactly_right)
    out += labelled("exact layer",
                    *score.exactly_right ? "every entry of every head is right, as a rational" : "WRONG");
  return out;
}

/// Why a layer that examples are drawn of has fewer test examples than others.
std::string fewer_examples(const study::ProblemSummary& problem) {
  if (problem.holdout || !problem.m) return "";
  const std::int64_t fewer = study::test_examples(problem.d, problem.k, *problem.m);
  if (fewer == study::Problem::test_limit || fewer != problem.test_count) return "";
  return labelled("", fmt::format("fewer than {}, since labels of a layer of this size take long",
                                  study::Problem::test_limit));
}

std::string used(const RunResult& result) {
  const learner::Report& report = result.report;
  const std::string asked = report.queries_used ? counted(*report.queries_used, "query", "queries") + ", " +
                                                      counted(*report.tokens_used, "token")
                                                : counted(report.examples_used, "example");
  return labelled("used", fmt::format("{}, {:.2f} s, {}", asked, result.report.seconds,
                                      counted(result.threads, "thread")));
}

/// The table of its phases, how well the layer was learnt, errors, and what was used.
std::string run_text(const RunResult& result) {
  const study::ProblemSummary& problem = result.problem;
  const study::Score& score = result.score;
  std::string out = fmt::format("{}\n", problem.spec.empty() ? problem.source : problem.spec);
  out += wrapped(fmt::format("d = {}, k = {}, {}, {} inputs; learner {}{}", problem.d, problem.k,
                             problem.m ? counted(*problem.m, "head") : "heads unknown",
                             name_of(problem.inputs), result.request.method.str(), access(result)));
  out += fmt::format("\n{}\n{}\n{}", phase_table(result), verdict(result), wrapped(result.report.message));
  out += findings(result.score);
  out += labelled("test error",
                  fmt::format("{} on {} fresh examples ({} or less is recovered)", brief(score.test_error),
                              problem.test_count, brief(result.request.recovery)));
  out += fewer_examples(problem);
  out += labelled("null predictor", fmt::format("{}: advantage {} of 1{}", brief(problem.null_error),
                                                brief(score.advantage), interval(result)));
  if (!problem.null_description.empty()) out += labelled("", problem.null_description);
  if (problem.ceiling_error > 0)
    out += labelled("ceiling", fmt::format("{}: the error of the mean of noisy labels, an advantage of 1",
                                           brief(problem.ceiling_error)));
  if (score.heads_found)
    out += labelled("heads found", fmt::format("{}{}", *score.heads_found,
                                               problem.m ? fmt::format(" (truth: {})", *problem.m) : ""));
  if (score.parameter_error && score.heads_found)
    out +=
        labelled("parameters", fmt::format("off by at most {} (theta), {} (w), relative, over matched heads",
                                           largest(score.parameter_error->theta_error),
                                           largest(score.parameter_error->w_error)));
  if (score.likely_cause) out += labelled("likely cause", score.likely_cause->str());
  return out + used(result);
}

/// Writes the layer that a run found, with where it comes from.
void save_learnt(const std::string& path, const RunResult& result) {
  attention::write_layer(path, *result.layer(),
                         {{"digest", attention::content_digest(*result.layer())},
                          {"k", std::to_string(result.problem.k)},
                          {"inputs", name_of(result.problem.inputs)},
                          {"learnt_by", result.request.method.options().str()},
                          {"learnt_from", result.problem.digest},
                          {"version", result.version}});
}

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
  write_text(path, text);
  return {};
}

Answer run(const LearnOptions& options, const RunContext& context) {
  const std::vector<learner::Learner>& methods = options.learning.methods;
  if (methods.size() > 1)
    throw InputError(
        fmt::format("--method {}: learn takes one method, compare takes several", methods[1].str()));
  study::RunOptions how = options.learning.run_options();
  how.values = options.values;
  study::check_access({&how.method, 1}, how);
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
  Answer answer{options.common.json ? study::json_text(result) : run_text(result)};
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
          .flag(output_flag, &LearnOptions::output, nonempty_text("a file name"))
          .flag({"--curve", "FILE", "gauss-newton: held-back errors against seconds and steps, as CSV"},
                &LearnOptions::curve, nonempty_text("a file name"))
          .flag({"--save", "FILE", "a learner by values: every query with its answer, as lines of JSON"},
                &LearnOptions::asked, nonempty_text("a file name")),
      run);
}

}  // namespace hardhead::app
