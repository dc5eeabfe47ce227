#include "study/suite.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/output.h"
#include "study/json.h"

namespace hardhead::app {
namespace {

using Json = nlohmann::ordered_json;

Answer list(const Settings& settings, const RunControl&) {
  Json json = study::report_json();
  std::vector<std::vector<std::string>> rows = {{"suite", "instances", "what it is for"}};
  for (const study::Suite& suite : study::suites()) {
    rows.push_back({suite.name, std::to_string(suite.entries.size()), suite.purpose});
    json["suites"].push_back(
        {{"name", suite.name}, {"instances", suite.entries.size()}, {"purpose", suite.purpose}});
  }
  return {ExitCode::answered, settings.json ? text_of(json) : table(rows)};
}

Answer entries(const Settings& settings, Json json, std::span<const study::SuiteEntry> entries) {
  std::string lines;
  for (const study::SuiteEntry& entry : entries) {
    lines += fmt::format("{} {}\n", entry.spec, entry.digest);
    json["instances"].push_back({{"spec", entry.spec}, {"digest", entry.digest}});
  }
  return {ExitCode::answered, settings.json ? text_of(json) : lines};
}

Answer show(const Settings& settings, const RunControl&) {
  const study::Suite& suite = study::find_suite(settings.source);
  Json json = study::report_json();
  json.update({{"name", suite.name}, {"purpose", suite.purpose}});
  return entries(settings, std::move(json), suite.entries);
}

Answer digest(const Settings& settings, const RunControl& control) {
  std::vector<study::SuiteEntry> made;
  for (const std::string& spec : settings.sources) {
    control.check();
    made.push_back(study::make_entry(spec));
  }
  return entries(settings, study::report_json(), made);
}

Answer verify(const Settings& settings, const RunControl& control) {
  std::vector<const study::Suite*> chosen;
  for (const std::string& name : settings.sources) chosen.push_back(&study::find_suite(name));
  if (chosen.empty())
    for (const study::Suite& suite : study::suites()) chosen.push_back(&suite);

  Answer answer;
  Json json = study::report_json();
  std::size_t mismatches = 0;
  for (const study::Suite* suite : chosen) {
    const auto wrong = study::verify(*suite, control);
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
  if (settings.json) answer.text = text_of(json);
  if (mismatches > 0) {
    answer.code = ExitCode::our_bug;
    answer.note =
        fmt::format("{} are not made as they were published: results of this program are about other layers",
                    counted(static_cast<std::int64_t>(mismatches), "instance"));
  }
  return answer;
}

}  // namespace

Command suite_list_command() {
  return {"suite list", "the suites, and what each is for", {}, {}, {}, {"hardhead suite list"}, list};
}

Command suite_show_command() {
  return {"suite show",
          "a suite's instances: spec and digest, one a line",
          {"NAME", "as in nice-v1"},
          {},
          {},
          {"hardhead suite show parity-v1"},
          show};
}

Command suite_verify_command() {
  return {"suite verify",
          "makes every instance again and compares digests; exit 1 and a list if one differs",
          {"NAME", "suites (default: all)", true, false},
          {},
          {},
          {"hardhead suite verify nice-v1"},
          verify};
}

Command suite_digest_command() {
  return {"suite digest",
          "canonical spec and digest of instances, one a line: what a suite's file is made of",
          {"SPEC", "instances", true},
          {},
          {},
          {"hardhead suite digest nice:d=8 parity:d=6,m=2"},
          digest};
}

}  // namespace hardhead::app
