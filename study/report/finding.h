#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "study/report/json.h"
#include "study/report/verdict.h"

namespace hardhead::report {

/// What became of one claim: the experiment, what decides, what was measured, and where that is shown.
struct Finding {
  std::string id;                           ///< "R1": a letter or more, then a number
  std::string title;                        ///< one line
  std::string claim;                        ///< what is said
  std::string source;                       ///< where it is said
  std::string method;                       ///< what was done here
  std::string criterion;                    ///< when the claim holds
  Verdict verdict = Verdict::inconclusive;  ///< by the criterion
  std::string reason;                       ///< the numbers behind the verdict
  std::vector<std::string> figures;  ///< "R1/error": R1/error.svg and R1/error.pdf in the folder (figure.h)
  std::string table;                 ///< "R1/results.csv" in the folder (table.h); empty for none
  std::string fits{};                ///< "R6/fits.csv", laws fitted to what was measured; empty for none
  std::string setting;               ///< "quick" or "full"
  std::uint64_t seed = 1;            ///< of the experiment's first layers and examples
  std::string command;               ///< prints this again
  double seconds = 0;                ///< the experiment took
  std::string version;               ///< of the program that found it
};

/// An entry of verdicts.json.
template <class Visit>
void describe(Visit& visit, const Finding*) {
  visit("schema", [](const Finding&) { return schema(Document::finding); });
  visit("id", &Finding::id);
  visit("title", &Finding::title);
  visit("claim", &Finding::claim);
  visit("source", &Finding::source);
  visit("method", &Finding::method);
  visit("criterion", &Finding::criterion);
  visit("verdict", &Finding::verdict);
  visit("reason", &Finding::reason);
  visit("figures", &Finding::figures);
  visit("table", &Finding::table);
  visit.later("fits", &Finding::fits);
  visit("setting", &Finding::setting);
  visit.later("seed", &Finding::seed);
  visit("command", &Finding::command);
  visit("seconds", &Finding::seconds);
  visit("version", &Finding::version);
}

/// The entry.
nlohmann::ordered_json to_json(const Finding& finding);

/// Reads what to_json() wrote; other keys are passed over. Throws InputError beginning with `place` and
/// naming the key: one that is missing or of the wrong type, an id without a number, a verdict or setting
/// that is none of the above, a path that is absolute or leads upwards. A finding of before there was a key
/// `seed` is of seed 1; one without `fits` has none.
Finding finding_from_json(const nlohmann::ordered_json& document, const std::string& place);

/// Reads `folder`/verdicts.json. Throws InputError: there is no such file, it is no array of findings, an id
/// comes twice, a figure or table that a finding names is not in the folder (a link out of it is not,
/// either).
std::vector<Finding> read_verdicts(const std::string& folder);

/// Writes `folder`/verdicts.json: an array sorted by the ids' numbers (R2 before R10). Throws InputError if
/// it cannot be written.
void write_verdicts(std::vector<Finding> findings, const std::string& folder);

}  // namespace hardhead::report
