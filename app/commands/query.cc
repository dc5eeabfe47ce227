#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/learning_options.h"
#include "app/output.h"
#include "attention/files/layer_file.h"
#include "base/files/atomic_file.h"
#include "base/version.h"
#include "study/query/query_run.h"

namespace hardhead::app {
namespace {

using study::Degree;
using study::QueryResult;

struct QueryOptions {
  CommonOptions common;
  study::QueryRequest request;
  std::string source;
  std::string output;  ///< empty for none
  std::string save;    ///< empty for none
};

std::string step_table(const QueryResult& result) {
  std::vector<std::vector<std::string>> rows = {
      {"step", "seconds", "queries", "tokens", "test error", "measures"}};
  for (const study::StepResult& measured : result.steps) {
    std::string measures;
    for (const auto& [name, value] : measured.step.measures)
      measures += fmt::format("{}={} ", name, brief(value));
    rows.push_back({measured.step.name, fmt::format("{:.2f}", measured.step.seconds),
                    fmt::format("{}", measured.step.queries), fmt::format("{}", measured.step.tokens),
                    measured.test_error ? brief(*measured.test_error) : "-", measures});
  }
  return table(rows);
}

std::string head_of(const QueryResult& result) {
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
  if (result.report.ending == queries::Ending::failed)
    head += fmt::format(" (failed in step {})", result.report.failed_step);
  if (result.report.ending == queries::Ending::out_of_queries) head = "OUT OF QUERIES: " + head;
  if (result.report.ending == queries::Ending::stopped) head = "STOPPED: " + head;
  return head;
}

std::string largest(const std::vector<std::optional<double>>& errors) {
  const auto at = std::max_element(errors.begin(), errors.end());
  return at != errors.end() && *at ? brief(**at) : "-";
}

std::string text(const QueryResult& result) {
  const study::ProblemSummary& problem = result.problem;
  std::string out = fmt::format(
      "{}\nd = {}, k = {}, {}; learner {}, queries of {} length, {}\n\n",
      problem.spec.empty() ? problem.source : problem.spec, problem.d, problem.k, counted(*problem.m, "head"),
      result.request.learner.str(), name_of(result.request.length),
      result.request.tolerance.tau == 0 ? std::string("exact answers")
                                        : fmt::format("answers within {} ({})", result.request.tolerance.tau,
                                                      name_of(result.request.tolerance.policy)));
  out += step_table(result);
  out += fmt::format("\n{}\n{}", head_of(result), wrapped(result.report.message));
  if (result.hidden_right)
    out += fmt::format("hidden          {}\n", *result.hidden_right ? "all of it is right" : "WRONG");
  if (result.exactly_right)
    out += fmt::format("exact layer     {}\n",
                       *result.exactly_right ? "every entry of every head is right, as a rational" : "WRONG");
  out += fmt::format("test error      {} on {} fresh examples ({} or less is recovered)\n",
                     brief(result.score.test_error), problem.test_count, brief(result.request.recovery));
  out += fmt::format("null predictor  {}: advantage {} of 1\n", brief(problem.null_error),
                     brief(result.score.advantage));
  out += wrapped(problem.null_description, 100, 16);
  if (result.score.heads_found)
    out += fmt::format("heads found     {} (truth: {})\n", *result.score.heads_found, *problem.m);
  if (result.score.parameter_error && result.score.heads_found)
    out += fmt::format("parameters      off by at most {} (theta), {} (w), relative, over matched heads\n",
                       largest(result.score.parameter_error->theta_error),
                       largest(result.score.parameter_error->w_error));
  return out + fmt::format("used            {}, {}, {:.2f} s\n",
                           counted(result.report.queries_used, "query", "queries"),
                           counted(result.report.tokens_used, "token"), result.report.seconds);
}

/// A line for each query: {"x": [[..], ..], "y": [[..], ..]}, row by row.
void add_lines(std::string& journal, const attention::Block& block) {
  const auto rows = [&](const attention::RowMatrix& values, attention::Index n) {
    nlohmann::json out = nlohmann::json::array();
    for (attention::Index a = 0; a < block.k; ++a) {
      const attention::Vector row = values.col(block.column(a, n));
      out.push_back(std::vector<double>(row.begin(), row.end()));
    }
    return out;
  };
  for (attention::Index n = 0; n < block.count; ++n)
    journal += nlohmann::json{{"x", rows(block.x, n)}, {"y", rows(block.y, n)}}.dump() + "\n";
}

void save_layer(const std::string& path, const QueryResult& result) {
  attention::write_layer(path, *result.report.layer,
                         {{"digest", attention::content_digest(*result.report.layer)},
                          {"k", std::to_string(result.problem.k)},
                          {"inputs", attention::to_string(result.problem.inputs)},
                          {"learnt_by", result.options.str()},
                          {"learnt_from", result.problem.digest},
                          {"version", version()}});
}

Answer run(const QueryOptions& options, const RunContext& context) {
  study::QueryRequest request = options.request;
  request.seed = options.common.seed;
  for (const std::string& path : {options.output, options.save})
    if (!path.empty()) check_writable(path);
  std::string journal;
  if (!options.save.empty())
    request.listener = [&](const attention::Block& block) { add_lines(journal, block); };
  const QueryResult result = study::query_run(options.source, request, context);
  if (!options.save.empty()) {
    AtomicFile file(options.save);
    file.stream() << journal;
    file.commit();
  }
  Answer answer{ExitCode::answered, options.common.json ? text_of(study::to_json(result)) : text(result)};
  if (options.output.empty()) return answer;
  if (result.report.layer)
    save_layer(options.output, result);
  else
    answer.note = fmt::format("no layer was found: '{}' is not written", options.output);
  return answer;
}

FlagTable<study::QueryRequest> request_flags() {
  using study::QueryRequest;
  const auto set_tau = [](QueryRequest& request, const std::string& text) {
    request.tolerance.tau = positive_number()("--tolerance", text);
  };
  const auto set_policy = [](QueryRequest& request, const std::string& text) {
    request.tolerance.policy = value_named<queries::AnswerPolicy>("policy", text);
  };
  return FlagTable<QueryRequest>()
      .flag({"--learner", "NAME", "a learner by queries, with options as in single:rank=2 (default mobius)"},
            &QueryRequest::learner,
            Reader<Spec>([](const std::string&, const std::string& text) { return Spec::parse(text); }))
      .add({"--tolerance", "T",
            "an entry of an answer may be off by this much (default 0: exact, rounded once)"},
           set_tau)
      .add({"--policy", "NAME", "what the tolerance is used for: uniform, worst, grid (default uniform)"},
           set_policy)
      .flag({"--length", "KIND",
             "tokens of a query: fixed, as many as the source's; free, any number (default fixed)"},
            &QueryRequest::length,
            Reader<study::QueryLength>([](const std::string&, const std::string& text) {
              return value_named<study::QueryLength>("length", text);
            }))
      .flag({"--budget", "Q", "at most this many queries (default: no limit)"}, &QueryRequest::budget,
            integer_in<std::int64_t>(1, std::numeric_limits<std::int64_t>::max()))
      .flag(heads_flag(), &QueryRequest::heads, integer_in<std::int64_t>(1, most_heads))
      .flag(
          {"--recovery", "E", "test error up to which a layer counts as recovered, above 0 (default 1e-10)"},
          &QueryRequest::recovery, positive_number())
      .flag(time_limit_flag(), &QueryRequest::time_limit_seconds, positive_number());
}

}  // namespace

Command query_command() {
  return make_command(
      {.name = "query",
       .summary = "learn a layer from its values at chosen X",
       .examples = {"hardhead query nice:d=16,k=2,m=4 --learner mobius",
                    "hardhead query nice:d=8,m=1 --learner single --length free --tolerance 1e-6",
                    "hardhead query parity:d=20,m=6 --learner flip --save asked.jsonl"}},
      FlagTable<QueryOptions>()
          .positional({"SOURCE", "a spec or a layer file"}, &QueryOptions::source)
          .group(&QueryOptions::request, request_flags())
          .flag(output_flag(), &QueryOptions::output, nonempty_text("a file name"))
          .flag({"--save", "FILE", "what was asked and answered, as JSON lines"}, &QueryOptions::save,
                nonempty_text("a file name")),
      run);
}

}  // namespace hardhead::app
