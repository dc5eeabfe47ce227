#pragma once
#include <vector>

#include "learner/mobius/feature.h"

namespace hardhead::learner::mobius {

/// Head i of feature 0 is head partner[i] of another feature, with its sign turned where turned[i].
struct Join {
  std::vector<Index> partner;  ///< a permutation of 0 .. m-1
  std::vector<bool> turned;    ///< whether (theta, c) there is to be read as (-theta, -c)
};

/// Queries that joining two features takes.
constexpr Index join_queries(Index d, Index m) {
  const Index equations = 2 * m < d ? 2 * m : d;  // that a row of an answer gives
  return m == 1 ? 1 : (m * m + equations - 1) / equations + 3;
}

/// Finds which heads of two features are one head, from values of V_{0,j} (mobius.h, step f). Throws Failed
/// where the best join does not meet the values within `tolerance`, relative to their norm, and Stopped.
Join join_features(const FeatureHeads& first, const FeatureHeads& other, const Points& points,
                   double tolerance, const StopToken& stop = {});

/// The heads of `other` in the order and with the signs of the first feature's.
FeatureHeads in_order(const FeatureHeads& other, const Join& join);

}  // namespace hardhead::learner::mobius
