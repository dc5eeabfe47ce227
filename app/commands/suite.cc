#include "study/problem/suite.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/output.h"
#include "study/report/json.h"
#include "study/sweep/json.h"

namespace hardhead::app {
namespace {

using Json = nlohmann::ordered_json;

struct ListOptions {
  CommonOptions common;
};

struct ShowOptions {
  CommonOptions common;
  std::string suite;
};

struct VerifyOptions {
  CommonOptions common;
  std::vector<std::string> suites;  ///< empty for all
};

struct DigestOptions {
  CommonOptions common;
  std::vector<std::string> specs;
};

Answer list(const ListOptions& options, const RunContext&) {
  Json json = report::report_json(report::Document::suites);
  std::vector<std::vector<std::string>> rows = {{"suite", "instances", "what it is for"}};
  for (const study::Suite& suite : study::suites()) {
    rows.push_back({suite.name, std::to_string(suite.entries.size()), suite.purpose});
    json["suites"].push_back(
        {{"name", suite.name}, {"instances", suite.entries.size()}, {"purpose", suite.purpose}});
  }
  return {ExitCode::answered, options.common.json ? text_of(json) : table(rows)};
}

Answer entries(const CommonOptions& common, Json json, std::span<const study::SuiteEntry> entries) {
  std::string lines;
  for (const study::SuiteEntry& entry : entries) {
    lines += fmt::format("{} {}\n", entry.spec, entry.digest);
    json["instances"].push_back({{"spec", entry.spec}, {"digest", entry.digest}});
  }
  return {ExitCode::answered, common.json ? text_of(json) : lines};
}

Answer show(const ShowOptions& options, const RunContext&) {
  const study::Suite& suite = study::find_suite(options.suite);
  Json json = report::report_json(report::Document::suite);
  json.update({{"name", suite.name}, {"purpose", suite.purpose}});
  return entries(options.common, std::move(json), suite.entries);
}

Answer digest(const DigestOptions& options, const RunContext& context) {
  std::vector<study::SuiteEntry> made;
  for (const std::string& spec : options.specs) {
    context.stop.check();
    made.push_back(study::make_entry(spec));
  }
  return entries(options.common, report::report_json(report::Document::suite), made);
}

Answer verify(const VerifyOptions& options, const RunContext& context) {
  std::vector<const study::Suite*> chosen;
  for (const std::string& name : options.suites) chosen.push_back(&study::find_suite(name));
  if (chosen.empty())
    for (const study::Suite& suite : study::suites()) chosen.push_back(&suite);

  Answer answer;
  Json json = report::report_json(report::Document::suites);
  std::size_t mismatches = 0;
  for (const study::Suite* suite : chosen) {
    const auto wrong = study::verify(*suite, context);
    mismatches += wrong.size();
    answer.text += fmt::format("{}: {} of {} digests agree\n", suite->name,
                               suite->entries.size() - wrong.size(), suite->entries.size());
    Json listed = Json::array();
    for (const study::SuiteMismatch& m : wrong) {
      answer.text += fmt::format("  {}: {} is published, this program finds: {}\n", m.entry.spec,
                                 m.entry.digest, m.found);
      listed.push_back({{"spec", m.entry.spec}, {"digest", m.entry.digest}, {"found", m.found}});
    }
    json["suites"].push_back(
        {{"name", suite->name}, {"instances", suite->entries.size()}, {"mismatches", std::move(listed)}});
  }
  if (options.common.json) answer.text = text_of(json);
  if (mismatches > 0) {
    answer.code = ExitCode::our_bug;
    answer.note = fmt::format("{} not made as published: results of this program are about other layers",
                              counted(static_cast<std::int64_t>(mismatches), "instance is", "instances are"));
  }
  return answer;
}

}  // namespace

Command suite_list_command() {
  return make_command({.name = "suite list",
                       .summary = "the suites, and what each is for",
                       .examples = {"hardhead suite list"}},
                      FlagTable<ListOptions>(), list);
}

Command suite_show_command() {
  return make_command({.name = "suite show",
                       .summary = "a suite's instances: spec and digest, one a line",
                       .examples = {"hardhead suite show parity-v1"}},
                      FlagTable<ShowOptions>().positional({"NAME", "as in nice-v1"}, &ShowOptions::suite),
                      show);
}

Command suite_verify_command() {
  return make_command(
      {.name = "suite verify",
       .summary = "makes every instance again and compares digests; exit 1 and a list if one differs",
       .examples = {"hardhead suite verify nice-v1"}},
      FlagTable<VerifyOptions>().positional(
          {.name = "NAME", .help = "suites (default: all)", .required = false}, &VerifyOptions::suites),
      verify);
}

Command suite_digest_command() {
  return make_command(
      {.name = "suite digest",
       .summary = "canonical spec and digest of instances, one a line: what a suite's file is made of",
       .examples = {"hardhead suite digest nice:d=8 parity:d=6,m=2"}},
      FlagTable<DigestOptions>().positional({"SPEC", "instances"}, &DigestOptions::specs), digest);
}

}  // namespace hardhead::app
