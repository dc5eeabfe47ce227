#include "study/report/finding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/files/paths.h"
#include "base/files/read_file.h"
#include "base/text/parameters.h"
#include "base/text/quoted.h"
#include "base/text/record_json.h"

namespace hardhead::report {
namespace {

/// {"R", 10} of "R10"; a number of at most 9 digits.
std::pair<std::string, int> name_and_number(const std::string& id) {
  const std::size_t digits = std::min(id.find_first_of("0123456789"), id.size());
  const auto all = [](std::string_view text, int (*is)(int)) {
    return !text.empty() &&
           std::ranges::all_of(text, [is](char c) { return is(static_cast<unsigned char>(c)) != 0; });
  };
  const std::string name = id.substr(0, digits), number = id.substr(digits);
  if (!all(name, std::isalpha) || !all(number, std::isdigit) || number.size() > 9)
    throw InputError(fmt::format("id '{}': letters and then a number are expected, as in R1", id));
  return {name, std::stoi(number)};
}

void check_path(const std::string& key, const std::string& path) {
  if (!is_inside(path))
    throw InputError(fmt::format("'{}' is {}: a path inside the folder is expected", key, in_quotes(path)));
}

Json read_array(const std::string& path) {
  constexpr int max_depth = 3;  // the findings, a finding, its figures
  const std::string text = read_file(path);
  const std::string expected = fmt::format("'{}': a JSON array of findings is expected", path);
  Json document = at_place(expected, [&] { return parse_json<Json>(text, max_depth); });
  if (!document.is_array()) throw InputError(expected);
  return document;
}

/// Throws InputError beginning with `place` and naming the key.
Finding finding_from_json(const Json& document, const std::string& place) {
  const JsonObject json(document, place);
  Finding finding;
  read_record(json, finding);
  json.checked([&] {
    name_and_number(finding.id);
    find_name("setting", finding.setting, std::array<std::string, 2>{"quick", "full"});
    for (const std::string& figure : finding.figures) check_path("figures", figure);
    if (!finding.table.empty()) check_path("table", finding.table);
    if (!finding.fits.empty()) check_path("fits", finding.fits);
  });
  return finding;
}

}  // namespace

Verdict at_least(const statistics::Interval& interval, double least) {
  if (interval.low >= least) return Verdict::holds;
  return interval.high < least ? Verdict::does_not_hold : Verdict::inconclusive;
}

Verdict at_most(const statistics::Interval& interval, double most) {
  if (interval.high <= most) return Verdict::holds;
  return interval.low > most ? Verdict::does_not_hold : Verdict::inconclusive;
}

Verdict within(const statistics::Interval& interval, double low, double high) {
  return all_of({at_least(interval, low), at_most(interval, high)});
}

Verdict decided(bool holds) {
  return holds ? Verdict::holds : Verdict::does_not_hold;
}

Verdict all_of(std::initializer_list<Verdict> verdicts) {
  const auto has = [&](Verdict verdict) { return std::ranges::find(verdicts, verdict) != verdicts.end(); };
  if (has(Verdict::does_not_hold)) return Verdict::does_not_hold;
  return has(Verdict::inconclusive) ? Verdict::inconclusive : Verdict::holds;
}

Json to_json(const Finding& finding) {
  return record_to_json(finding);
}

std::vector<Finding> read_verdicts(const std::string& folder) {
  const std::string path = folder + "/verdicts.json";
  const Json document = read_array(path);
  std::vector<Finding> findings;
  std::set<std::string> ids;
  for (const Json& entry : document) {
    const std::string place = fmt::format("'{}', entry {}", path, findings.size() + 1);
    const Finding& finding = findings.emplace_back(finding_from_json(entry, place));
    if (!ids.insert(finding.id).second)
      throw InputError(fmt::format("{}: id '{}' comes twice", place, finding.id));
    at_place(place, [&] {
      for (const std::string& figure : finding.figures)
        for (const char* ending : {".svg", ".pdf"}) file_in_folder(folder, figure + ending);
      for (const std::string& table : {finding.table, finding.fits})
        if (!table.empty()) file_in_folder(folder, table);
    });
  }
  return findings;
}

void write_verdicts(std::vector<Finding> findings, const std::string& folder) {
  std::ranges::sort(findings, {}, [](const Finding& finding) { return name_and_number(finding.id); });
  Json document = Json::array();
  for (const Finding& finding : findings) document.push_back(to_json(finding));
  write_text(folder + "/verdicts.json", document.dump(2) + "\n");
}

}  // namespace hardhead::report
