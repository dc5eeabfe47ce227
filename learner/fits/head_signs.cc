#include "learner/fits/head_signs.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/numeric/decompositions.h"
#include "learner/objective/linear_w.h"

namespace hardhead::learner {
namespace {

// A share this large of a W_0 that is fitted beside all other heads at rest, which still make up for most of
// it, is a hint. (Nice layers of d = 16, k = 2, m = 16: 0.3 and more for heads of the wrong sign, 0.06 and
// less for the others.)
constexpr double hint = 0.15;
// Relative error at which the heads of the wrong sign are plain to see.
constexpr double plain = 1e-4;

Layer with_uniform_head(const std::vector<Block>& training, const Layer& layer, const StopToken& stop) {
  std::vector<Matrix> thetas;
  for (const Head& head : layer.heads) thetas.push_back(head.theta);
  thetas.push_back(Matrix::Zero(layer.d, layer.d));
  return fit_w(training, thetas, stop);
}

}  // namespace

Vector turned_shares(const Layer& wide) {
  const Index heads = wide.m() - 1;
  Matrix columns(wide.d * wide.d, heads);
  for (Index i = 0; i < heads; ++i) columns.col(i) = wide.heads[static_cast<std::size_t>(i)].w.reshaped();
  return least_squares(columns, Vector(-wide.heads.back().w.reshaped() / 2));
}

Layer with_heads_turned(const std::vector<Block>& training, const Layer& wide, const Vector& shares,
                        const StopToken& stop) {
  std::vector<Matrix> thetas;
  for (Index i = 0; i < shares.size(); ++i)
    thetas.push_back((shares(i) > 0.5 ? -1 : 1) * wide.heads[static_cast<std::size_t>(i)].theta);
  return fit_w(training, thetas, stop);
}

TurnedHeads turned_heads(const std::vector<Block>& training, const std::vector<Block>& holdout,
                         const Layer& fitted, GaussNewtonOptions options, const RunContext& context) {
  const Layer start = with_uniform_head(training, fitted, context.stop);
  if (!(turned_shares(start).maxCoeff() > hint)) return {};
  options.target = plain;
  const GaussNewtonResult wide = gauss_newton(training, holdout, start, options, context, "signs");
  TurnedHeads out{.start = {}, .iterations = wide.iterations, .inner_steps = wide.inner_steps};
  const Vector shares = turned_shares(wide.layer);
  if (shares.maxCoeff() > 0.5) out.start = with_heads_turned(training, wide.layer, shares, context.stop);
  return out;
}

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
