#include "learner/fits/spare_head.h"

#include <algorithm>

#include "learner/fits/fitting.h"
#include "learner/fits/head_signs.h"
#include "learner/objective/linear_w.h"

namespace hardhead::learner {

using namespace attention;

std::optional<Layer> without_a_spare_head(const std::vector<Block>& training, const Layer& layer,
                                          const StopToken& stop) {
  const auto exact = [&](const Layer& fewer) {
    return relative_error(training, fewer, stop) <= exact_prediction;
  };
  for (std::size_t spare = 0; spare < layer.heads.size(); ++spare) {
    std::vector<Matrix> thetas;
    for (std::size_t i = 0; i < layer.heads.size(); ++i)
      if (i != spare) thetas.push_back(layer.heads[i].theta);
    if (Layer fewer = fit_w(training, thetas, stop); exact(fewer)) return fewer;
  }
  Layer wide = layer;
  const auto weakest = std::ranges::min_element(wide.heads, std::less(),
                                                [](const Head& head) { return head.theta.squaredNorm(); });
  std::swap(*weakest, wide.heads.back());
  if (Layer fewer = with_heads_turned(training, wide, turned_shares(wide), stop); exact(fewer)) return fewer;
  return std::nullopt;
}

}  // namespace hardhead::learner
