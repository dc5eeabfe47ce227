#include <optional>
#include <utility>
#include <vector>

#include "base/numeric/decompositions.h"
#include "learner/mobius/logit_systems.h"
#include "learner/mobius/mobius.h"

namespace hardhead::learner::mobius {
namespace {

// A feature on its way.
struct Polished {
  Feature* feature;
  Matrix logits;  // Z theta
  RowFit fit;
  Matrix slopes{}, span{}, gram{};  // D; an orthonormal basis of what P takes out; c c^T
  std::optional<HeadInverses> inverses{};

  Polished(Feature& given, const Matrix& of_theta)
      : feature(&given), logits(of_theta), fit(of_theta, given.y) {}

  void linearise() {
    Matrix linear(logits.rows(), logits.cols() + 1);
    linear << fit.q, Vector::Ones(logits.rows());
    span = orthonormal(linear);
    slopes = -2 * fit.q.array() * (1 - fit.q.array());
    gram = fit.c * fit.c.transpose();
  }
  // What is to gain in less than `least_gain` of the error is not worth a step.
  LogitSystem system(double least_gain) const {
    return {.feature = feature->j,
            .blocks = feature->blocks,
            .middle = [this](const Matrix& t) { return middle(t); },
            .right = {},
            .inverses = &*inverses,
            .slow = {},
            .negligible = least_gain * fit.error()};
  }
  // D_i s_a, 2 N x (m (m + 1)).
  Matrix sloped_span() const {
    const Index m = logits.cols(), each = m + 1;
    Matrix out(logits.rows(), m * each);
    for (Index i = 0; i < m; ++i) out.middleCols(i * each, each) = slopes.col(i).asDiagonal() * span;
    return out;
  }
  // The directions u_i that make D_i Z u_i nearest to s_a, from Z^T D_i s_a.
  Matrix nearest(const Matrix& of_span) const {
    const Index m = logits.cols(), each = m + 1;
    Matrix out(of_span.rows(), of_span.cols());
    for (Index i = 0; i < m; ++i)
      out.middleCols(i * each, each) = gram(i, i) * inverses->of_head(i, of_span.middleCols(i * each, each));
    return out;
  }
  // These, whose Z u are `images`, with the inverse of what a step is solved by among them.
  SlowDirections slow(const Matrix& directions, const Matrix& images) const {
    constexpr double rounding = 1e-13;
    const Index m = logits.cols(), each = m + 1;
    Matrix sloped = images;
    for (Index i = 0; i < m; ++i)
      sloped.middleCols(i * each, each) = slopes.col(i).asDiagonal() * images.middleCols(i * each, each);
    sloped -= span * (span.transpose() * sloped);
    Matrix normal = sloped.transpose() * sloped;
    for (Index i = 0; i < m; ++i)
      for (Index l = 0; l < m; ++l) normal.block(i * each, l * each, each, each) *= gram(i, l);
    const Vector scale = normal.diagonal().cwiseSqrt().cwiseInverse();
    const Eigenpairs pairs = symmetric_eigen(scale.asDiagonal() * normal * scale.asDiagonal());
    const Vector inverse = pairs.values.cwiseMax(rounding * pairs.values.maxCoeff()).cwiseInverse();
    const Matrix vectors = scale.asDiagonal() * pairs.vectors;
    return {directions, vectors * inverse.asDiagonal() * vectors.transpose()};
  }
  Matrix middle(const Matrix& t) const {
    Matrix sloped = slopes.cwiseProduct(t);
    sloped -= span * (span.transpose() * sloped);
    return slopes.cwiseProduct(sloped * gram);
  }
  // What Z^T makes the right side of. The residual is within the complement of `span` but for rounding, which
  // in the end is as large as the rest of it.
  Matrix pull() const {
    Matrix residual = fit.residual;
    residual -= span * (span.transpose() * residual);
    return slopes.cwiseProduct(residual * fit.c.transpose());
  }

  // Goes along a step, at whose end the logits are these, for as far as it helps. False where there is no
  // more to gain: a whole step that leaves half of the error or more is near the least, or at what rounding
  // leaves.
  bool go(const Matrix& step, const Matrix& end) {
    const double error = fit.error();
    for (double length = 1; length > 1e-2; length /= 2) {
      const Matrix there = length < 1 ? Matrix(logits + length * (end - logits)) : end;
      RowFit next(there, feature->y);
      if (!(next.error() < error)) continue;
      feature->heads.theta += length * step;
      next.put(feature->directions, feature->heads);
      logits = there;
      fit = std::move(next);
      return fit.error() <= (length < 1 ? 0.99 : 0.5) * error;
    }
    return false;
  }
};

// Features and blocks as CommonSigns has them.
struct Listed {
  std::vector<Index> features{}, blocks{};
  explicit Listed(const std::vector<Polished>& all) {
    for (const Polished& one : all) features.push_back(one.feature->j), blocks.push_back(one.feature->blocks);
  }
};

// A step of each; those that are done are taken out, and those that have no inverses.
void step(std::vector<Polished>& all, const CommonSigns& signs, double least_gain, const StopToken& stop) {
  constexpr double accuracy = 1e-6;
  std::erase_if(all, [&](Polished& one) {
    one.linearise();
    // Those of the first step do for the others: a step changes slopes little.
    if (!one.inverses)
      one.inverses = HeadInverses::of(signs, one.feature->j, one.feature->blocks,
                                      one.slopes.cwiseAbs2() * one.gram.diagonal().asDiagonal(), stop);
    return !one.inverses;
  });
  if (all.empty()) return;
  const Listed listed(all);
  std::vector<LogitSystem> systems;
  CommonSigns::Each pulls, of_span;
  for (Polished& one : all) {
    systems.push_back(one.system(least_gain));
    pulls.push_back(one.pull());
    of_span.push_back(one.sloped_span());
  }
  CommonSigns::Each directions = signs.adjoint(listed.features, listed.blocks, of_span);
  for (std::size_t n = 0; n < all.size(); ++n) directions[n] = all[n].nearest(directions[n]);
  const CommonSigns::Each images = signs.times(listed.features, listed.blocks, directions);
  const CommonSigns::Each right = signs.adjoint(listed.features, listed.blocks, pulls);
  for (std::size_t n = 0; n < all.size(); ++n) {
    systems[n].right = right[n];
    systems[n].slow = all[n].slow(directions[n], images[n]);
  }
  CommonSigns::Each theta = solve(signs, systems, accuracy, stop);
  for (std::size_t n = 0; n < all.size(); ++n) theta[n] += all[n].feature->heads.theta;
  const CommonSigns::Each ends = signs.times(listed.features, listed.blocks, theta);
  std::vector<Polished> on;
  for (std::size_t n = 0; n < all.size(); ++n)
    if (all[n].go(theta[n] - all[n].feature->heads.theta, ends[n])) on.push_back(std::move(all[n]));
  all = std::move(on);
}

}  // namespace

void polish(std::span<Feature> features, const CommonSigns& signs, const StopToken& stop) {
  constexpr int most_steps = 30;
  constexpr double least_gain = 1e-3;
  CommonSigns::Each theta;
  std::vector<Index> listed, blocks;
  for (const Feature& feature : features) {
    theta.push_back(feature.heads.theta);
    listed.push_back(feature.j), blocks.push_back(feature.blocks);
  }
  const CommonSigns::Each logits = signs.times(listed, blocks, theta);
  std::vector<Polished> all;
  for (std::size_t n = 0; n < features.size(); ++n) all.emplace_back(features[n], logits[n]);
  // The first step is always worth it: logits may be far off where V hardly shows it.
  for (int taken = 0; taken < most_steps && !all.empty(); ++taken)
    step(all, signs, taken == 0 ? 0 : least_gain, stop);
}

}  // namespace hardhead::learner::mobius
