#include "learner/gradient/prune.h"

#include <algorithm>
#include <vector>

namespace hardhead::learner {

using namespace attention;

namespace {

struct Group {
  Matrix weighted_theta;  // sum_i ||W_i|| Theta_i
  double weight;          // sum_i ||W_i||
  Matrix w;               // sum_i W_i

  Matrix theta() const { return weighted_theta / weight; }
};

}  // namespace

Layer merge_heads(const Layer& layer, double distance) {
  std::vector<const Head*> heads;
  for (const Head& head : layer.heads) heads.push_back(&head);
  std::ranges::stable_sort(heads, std::greater(), [](const Head* head) { return head->w.norm(); });
  std::vector<Group> groups;
  for (const Head* head : heads) {
    const double weight = head->w.norm();
    if (!(weight > 0)) continue;
    const auto joined = std::ranges::find_if(groups, [&](const Group& group) {
      const Matrix theta = group.theta();
      return (head->theta - theta).norm() <= distance * theta.norm();
    });
    if (joined == groups.end()) {
      groups.push_back({weight * head->theta, weight, head->w});
      continue;
    }
    joined->weighted_theta += weight * head->theta;
    joined->weight += weight;
    joined->w += head->w;
  }
  double largest = 0;
  for (const Group& group : groups) largest = std::max(largest, group.w.norm());
  Layer merged{layer.d, {}, layer.network};
  for (const Group& group : groups)
    if (group.w.norm() >= distance * largest) merged.heads.push_back({group.theta(), group.w});
  return merged;
}

}  // namespace hardhead::learner
