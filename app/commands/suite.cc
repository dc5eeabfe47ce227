#include "study/problem/suite.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/output.h"
#include "study/report/json.h"

namespace hardhead::app {
namespace {

struct SuiteOptions {
  CommonOptions common;
  std::vector<std::string> names;  ///< of suites, and specs; none: all suites
  bool verify = false;
};

Answer list(const SuiteOptions& options) {
  Json json = report::report_json("suites");
  Rows rows = {{"suite", "instances", "what it is for"}};
  for (const study::Suite& suite : study::suites()) {
    rows.push_back({suite.name, std::to_string(suite.entries.size()), suite.purpose});
    json["suites"].push_back(
        {{"name", suite.name}, {"instances", suite.entries.size()}, {"purpose", suite.purpose}});
  }
  return {options.common.json ? text_of(json) : table(rows)};
}

/// "nice-v1", as no family is called.
bool is_a_suite(const std::string& name) {
  const std::size_t version = name.rfind("-v");
  return version != std::string::npos && version + 2 < name.size() &&
         name.find_first_not_of("0123456789", version + 2) == std::string::npos;
}

/// The entries of suites, and those that specs would be.
Answer entries(const SuiteOptions& options, const RunContext& context) {
  Json json = report::report_json("suite", {{"instances", Json::array()}});
  std::string lines;
  const auto add = [&](const study::SuiteEntry& entry) {
    lines += fmt::format("{} {}\n", entry.spec, entry.digest);
    json["instances"].push_back({{"spec", entry.spec}, {"digest", entry.digest}});
  };
  for (const std::string& name : options.names) {
    context.stop.check();
    if (!is_a_suite(name)) {
      add(study::make_entry(name));
      continue;
    }
    const study::Suite& suite = study::find_suite(name);
    if (options.names.size() == 1) json.update({{"name", suite.name}, {"purpose", suite.purpose}});
    for (const study::SuiteEntry& entry : suite.entries) add(entry);
  }
  return {options.common.json ? text_of(json) : lines};
}

Answer verify(const SuiteOptions& options, const RunContext& context) {
  std::vector<const study::Suite*> chosen;
  for (const std::string& name : options.names) chosen.push_back(&study::find_suite(name));
  if (chosen.empty())
    for (const study::Suite& suite : study::suites()) chosen.push_back(&suite);

  Answer answer;
  Json json = report::report_json("suites");
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

Answer run(const SuiteOptions& options, const RunContext& context) {
  if (options.verify) return verify(options, context);
  return options.names.empty() ? list(options) : entries(options, context);
}

}  // namespace

Command suite_command() {
  return make_command(
      {.name = "suite",
       .summary = "published lists of instances: all of them, or spec and digest of each instance of one",
       .examples = {"hardhead suite", "hardhead suite parity-v1", "hardhead suite nice:d=8 parity:d=6,m=2"}},
      FlagTable<SuiteOptions>()
          .positional(
              {.name = "NAME",
               .help = "suites, as nice-v1, and specs, of which an entry is made (default: lists the suites)",
               .required = false},
              &SuiteOptions::names)
          .on({"--verify", "",
               "make every instance of these suites, or of all, again and compare digests; exit 1 "
               "and a list if one differs"},
              &SuiteOptions::verify),
      run);
}

}  // namespace hardhead::app
