#pragma once
#include "experiments/experiment.h"

/// The claims, R1 first. A line is a claim: x(NAME) stands for claims::NAME(), which the claim's own file
/// defines.
// clang-format off
#define HARDHEAD_CLAIMS(x) \
  x(w_sum_error)           /* R1 */  \
  x(softmax_concentration) /* R2 */  \
  x(acceptance)            /* R3 */  \
  x(hull_error)            /* R4 */  \
  x(large_margins)         /* R5 */  \
  x(cost_in_heads)         /* R6 */  \
  x(query_lower_bound)     /* R7 */  \
  x(lwe_family)            /* R8 */  \
  x(path_to_hard)          /* R9 */  \
  x(initialisations)       /* R10 */ \
  x(structured_patterns)   /* R11 */ \
  x(input_distributions)   /* R12 */ \
  x(broken_assumptions)    /* R13 */ \
  x(separation)            /* R14 */ \
  x(information_gap)       /* R15 */ \
  x(noise_against_algebra) /* R16 */ \
  x(leaps)                 /* R17 */ \
  x(smoothing)             /* R18 */ \
  x(composition)           /* R19 */
// clang-format on

namespace hardhead::experiments::claims {

#define HARDHEAD_CLAIM(name) Experiment name();
HARDHEAD_CLAIMS(HARDHEAD_CLAIM)
#undef HARDHEAD_CLAIM

}  // namespace hardhead::experiments::claims
