#include "study/report/verdict.h"

#include <algorithm>

namespace hardhead::report {

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

}  // namespace hardhead::report
