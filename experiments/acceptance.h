#pragma once
#include <cstdint>
#include <vector>

#include "attention/layer/layer.h"
#include "base/run/run_context.h"

namespace hardhead::experiments {

/// The `keep` smallest scores of phase 2's certificate (learner/certificate/harvest.h) under the true W_sum,
/// ascending, over all k rows of each of `examples` Boolean examples of k tokens, which `seed` draws. Their
/// law P(score <= eps) ~ eps^b near 0 decides how many examples it takes to find a row (tail_exponent() in
/// base/statistics/growth.h).
std::vector<double> certificate_scores(const attention::Layer& layer, attention::Index k,
                                       std::int64_t examples, std::int64_t keep, std::uint64_t seed,
                                       const RunContext& context);

/// The layer with entries of Theta_i replaced by +-s, their signs kept, s = ||Theta_i|| / d. Logits are then
/// sums of signs, and a positive share of rows has heads that agree exactly.
attention::Layer arithmetic(attention::Layer layer);

/// The share of rows, of `examples` Boolean examples, on which all heads agree exactly: a score below 1e-9.
double exact_agreement(const attention::Layer& layer, attention::Index k, std::int64_t examples,
                       std::uint64_t seed, const RunContext& context);

}  // namespace hardhead::experiments
