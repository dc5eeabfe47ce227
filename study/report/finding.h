#pragma once
#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "base/statistics/binomial_interval.h"
#include "base/text/enum_names.h"
#include "study/report/json.h"

namespace hardhead::report {

/// What became of a claim.
enum class Verdict { holds, does_not_hold, inconclusive };

constexpr auto enum_names(Verdict) {
  return std::to_array<EnumName<Verdict>>({{Verdict::holds, "holds"},
                                           {Verdict::does_not_hold, "does_not_hold"},
                                           {Verdict::inconclusive, "inconclusive"}});
}

/// Verdicts on a quantity of which an interval is known. They keep to the interval: "holds" where all of it
/// meets the criterion, "does not hold" where none of it does, "inconclusive" between the two and where an
/// end is not a number. So 3 successes of 3, with the exact interval 0.29 .. 1, do not show 90%.
///
/// The quantity is at least `least`.
Verdict at_least(const statistics::Interval& interval, double least);
/// The quantity is at most `most`.
Verdict at_most(const statistics::Interval& interval, double most);
/// The quantity lies in low .. high.
Verdict within(const statistics::Interval& interval, double low, double high);
/// What was decided without an interval: holds or does not hold.
Verdict decided(bool holds);

/// The verdict on several criteria that are all to hold: "does not hold" if one of them does not, else
/// "inconclusive" if one of them is. The verdict on none is "holds".
Verdict all_of(std::initializer_list<Verdict> verdicts);

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
  visit("schema", [](const Finding&) { return schema("finding"); });
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
Json to_json(const Finding& finding);

/// Reads `folder`/verdicts.json; unknown keys are passed over. A finding of before there was a key `seed` is
/// of seed 1; one without `fits` has none. Throws InputError: there is no such file; it is no array of
/// findings; a key, which it names, is missing or of the wrong type; an id has no number or comes twice; a
/// verdict or setting is none of the above; a figure or table is not in the folder (a link out of it is not,
/// either), or its path is absolute or leads upwards.
std::vector<Finding> read_verdicts(const std::string& folder);

/// Writes `folder`/verdicts.json: an array sorted by the ids' numbers (R2 before R10). Throws InputError if
/// it cannot be written.
void write_verdicts(std::vector<Finding> findings, const std::string& folder);

}  // namespace hardhead::report
