#include "learner/fits/spare_head.h"

#include <algorithm>
#include <utility>

#include "learner/fits/head_signs.h"
#include "learner/objective/linear_w.h"

namespace hardhead::learner {

using namespace attention;

std::optional<Layer> without_a_spare_head(const std::vector<Block>& training, const Layer& layer,
                                          double most_error, const StopToken& stop) {
  if (layer.m() < 2) return std::nullopt;
  std::optional<Layer> best;
  double least = most_error;
  const auto consider = [&](Layer fewer) {
    const double error = relative_error(training, fewer, stop);
    if (!(error <= least)) return;
    least = error;
    best = std::move(fewer);
  };
  for (std::size_t spare = 0; spare < layer.heads.size(); ++spare) {
    std::vector<Matrix> thetas;
    for (std::size_t i = 0; i < layer.heads.size(); ++i)
      if (i != spare) thetas.push_back(layer.heads[i].theta);
    consider(fit_w(training, thetas, stop));
  }
  Layer wide = layer;
  const auto weakest = std::ranges::min_element(wide.heads, std::less(),
                                                [](const Head& head) { return head.theta.squaredNorm(); });
  std::swap(*weakest, wide.heads.back());
  consider(with_heads_turned(training, wide, turned_shares(wide), stop));
  return best;
}

}  // namespace hardhead::learner
