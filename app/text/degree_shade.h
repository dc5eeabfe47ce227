#pragma once
#include "app/terminal/terminal.h"
#include "study/run/degree.h"

namespace hardhead::app {

/// The colour of a degree: of a recovered layer good, of one of which nothing was learnt bad.
constexpr Shade shade_of(study::Degree degree) {
  return degree == study::Degree::recovered ? Shade::good
         : degree == study::Degree::nothing ? Shade::bad
                                            : Shade::fair;
}

/// The colour of the degrees of several runs: good or bad where they all are.
inline Shade shade_of(const study::DegreeCounts& counts) {
  return counts.recovered == counts.total()                  ? Shade::good
         : counts.nothing + counts.unknown == counts.total() ? Shade::bad
                                                             : Shade::fair;
}

}  // namespace hardhead::app
