#pragma once
#include <array>
#include <initializer_list>
#include <string>

#include "base/statistics/binomial_interval.h"
#include "base/text/enum_names.h"

namespace hardhead::report {

/// What became of a claim.
enum class Verdict { holds, does_not_hold, inconclusive };

constexpr auto enum_names(Verdict) {
  return std::to_array<EnumName<Verdict>>({{Verdict::holds, "holds"},
                                           {Verdict::does_not_hold, "does_not_hold"},
                                           {Verdict::inconclusive, "inconclusive"}});
}

/// "holds", "does_not_hold", "inconclusive".
inline std::string to_string(Verdict verdict) {
  return name_of(verdict);
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

}  // namespace hardhead::report
