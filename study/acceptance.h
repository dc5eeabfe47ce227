#pragma once
#include <cstdint>
#include <vector>

#include "attention/layer.h"
#include "base/run_control.h"

namespace hardhead::study {

/// The `keep` smallest scores of phase 2's certificate (learner/harvest.h) under the true W_sum, ascending: over `examples`
/// Boolean examples of k tokens, all k rows of each. Their law P(score <= eps) ~ eps^b near 0 is what rows cost
/// (tail_exponent() in tail_exponent.h).
std::vector<double> certificate_scores(const attention::Layer& layer, attention::Index k,
                                       std::int64_t examples, std::int64_t keep, const RunControl& control);

/// The layer with entries of Theta_i replaced by +-s, their signs kept, s = ||Theta_i|| / d: logits are sums of signs, and
/// rows where all heads agree exactly have mass.
attention::Layer arithmetic(attention::Layer layer);

/// The share of rows, of `examples` Boolean examples, on which all heads agree exactly: a score below 1e-9.
double exact_agreement(const attention::Layer& layer, attention::Index k, std::int64_t examples,
                       const RunControl& control);

}  // namespace hardhead::study
