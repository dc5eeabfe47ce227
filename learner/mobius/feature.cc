#include "learner/mobius/feature.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <vector>

#include "base/numeric/decompositions.h"
#include "learner/mobius/odds.h"
#include "learner/mobius/stoppable.h"
#include "learner/recorder.h"

namespace hardhead::learner::mobius {
namespace {

/// V - its mean, in coordinates of its m directions, each of variance 1.
struct Directions {
  Eigen::RowVectorXd mean;  // 1 x d
  Matrix to_white;          // d x m

  Matrix white(const Matrix& v) const { return (v.rowwise() - mean) * to_white; }
};

Directions directions_of(const Matrix& v, Index m) {
  Directions out{v.colwise().mean(), {}};
  const SingularValues svd = singular_values(v.rowwise() - out.mean, SingularVectors::right);
  const Vector scale = std::sqrt(static_cast<double>(v.rows())) * svd.values.head(m).cwiseInverse();
  out.to_white = svd.v.leftCols(m) * scale.asDiagonal();
  return out;
}

/// How many directions V varies in: its heads, as long as their rows of W_i are independent.
Index varying_directions(const Matrix& v, double noise) {
  const Eigen::RowVectorXd mean = v.colwise().mean();
  const Vector sizes = singular_values(v.rowwise() - mean, SingularVectors::none).values;
  const double points = static_cast<double>(v.rows()), features = static_cast<double>(v.cols());
  const double floor = std::max(1e-10 * v.norm(), 4 * noise * (std::sqrt(points) + std::sqrt(features)));
  return (sizes.array() > floor).count();
}

/// The pairs of points whose odds differ by a constant for each head, and all points behind them.
struct Relations {
  Points points;
  Matrix v, v_shifted;  // 2 pairs x d
};

/// The heads' weights at pairs of rows of V, and the coordinates that they are in.
struct WhiteWeights {
  Directions directions;
  Weights weights;
};

WhiteWeights white_weights(const Matrix& v, const Relations& relations, Index m, double noise,
                           const Stream& combinations) {
  const Directions white = directions_of(v, m);
  return {white, weights_by_odds(white.white(relations.v), white.white(relations.v_shifted),
                                 noise * white.to_white.norm(), combinations)};
}

/// varying_directions(), of matrices of any size.
Index heads_shown(const Matrix& v, double noise, const StopToken& stop) {
  const auto count = [&] {
    return std::vector<Matrix>{Matrix::Constant(1, 1, static_cast<double>(varying_directions(v, noise)))};
  };
  return static_cast<Index>(stoppable(jacobi_operations(v.rows(), v.cols()), stop, count).front()(0, 0));
}

/// The same of white_weights().
WhiteWeights stoppable_weights(const StopToken& stop, const Relations& relations, Index m,
                               const std::function<WhiteWeights()>& compute) {
  const double operations = jacobi_operations(relations.v.rows(), relation_columns(m)) +
                            jacobi_operations(relations.points.v.rows(), relations.points.v.cols());
  const auto all = stoppable(operations, stop, [&]() -> std::vector<Matrix> {
    const auto [directions, weights] = compute();
    return {directions.mean, directions.to_white, weights.w, weights.beta,
            Matrix::Constant(1, 1, weights.least_change)};
  });
  return {{all[0], all[1]}, {all[2], all[3], all[4](0, 0)}};
}

/// A quarter of the features other than j.
std::vector<Index> draw_block(Index d, Index j, const Stream& stream) {
  std::vector<Index> out = draw_subset(stream, d - 1, std::max<Index>(1, d / 4));
  for (Index& f : out) f += f >= j ? 1 : 0;
  return out;
}

/// Least squares of log(q / (1-q)) = -2 z^T theta, weighted by what an error in q makes of it.
Matrix theta_of(const Matrix& z, const Matrix& q, const StopToken& stop) {
  Matrix theta(z.cols(), q.cols());
  for (Index i = 0; i < q.cols(); ++i) {
    stop.check();
    Vector weight(q.rows()), target(q.rows());
    for (Index n = 0; n < q.rows(); ++n) {
      const double share = q(n, i);
      const bool usable = share > 0 && share < 1;
      weight(n) = usable ? share * (1 - share) : 0;
      target(n) = usable ? weight(n) * std::log(share / (1 - share)) : 0;
    }
    const std::optional<Vector> column = unique_least_squares(-2 * (weight.asDiagonal() * z), target);
    if (!column)
      throw Failed{
          fmt::format("the odds of a head are positive and finite at too few points for its {} logits: "
                      "answers are too far off",
                      z.cols())};
    theta.col(i) = *column;
  }
  return theta;
}

/// Least squares of V = constant + q c.
void fit_rows(const Points& points, FeatureHeads& heads) {
  const Index m = heads.m();
  Matrix design(points.z.rows(), m + 1);
  design << heads.attention(points.z), Vector::Ones(points.z.rows());
  const Matrix rows = least_squares(design, points.v);
  heads.c = rows.topRows(m);
  heads.constant = rows.row(m).transpose();
}

/// Rows of signs, and the same with the signs of a block turned, which are alike in all rows.
struct TurnedSigns {
  Matrix before, after;  // pairs x d
};

/// Draws them such that, with the z that were asked already, they show the logits of every feature: what is
/// to be asked costs nothing until it is asked.
TurnedSigns draw_turned(const std::function<Stream(const std::string&)>& stream, Index pairs, Index j,
                        const Matrix& z) {
  constexpr int most_draws = 50;
  const Index d = z.cols();
  const std::vector<Index> only_j = {j};
  TurnedSigns out;
  for (int draw = 0; draw < most_draws; ++draw) {
    out.before = draw_signs(stream(fmt::format("signs {}", draw)), 0, pairs, d, only_j);
    const std::vector<Index> block = draw_block(d, j, stream(fmt::format("block {}", draw)));
    for (const Index f : block) out.before.col(f).setConstant(out.before(0, f));
    out.after = out.before;
    for (const Index f : block) out.after.col(f) *= -1;
    Matrix all(z.rows() + 2 * pairs, d);
    all << z, out.before, out.after;
    if (numerical_rank(all) == d) break;
  }
  return out;
}

/// Asks for both.
Relations ask_relations(const std::function<Points(const Matrix&)>& ask, const TurnedSigns& x) {
  const Index pairs = x.before.rows();
  const Points before = ask(x.before);
  const Points after = ask(x.after);
  // Row 2 of a query has the block's signs turned, so there `after` comes before `before`.
  Relations out{before.joined(after), Matrix(2 * pairs, before.v.cols()), Matrix(2 * pairs, before.v.cols())};
  out.v << before.v.topRows(pairs), after.v.bottomRows(pairs);
  out.v_shifted << after.v.topRows(pairs), before.v.bottomRows(pairs);
  return out;
}

}  // namespace

Matrix FeatureHeads::attention(const Matrix& z) const {
  return (1 + (2 * z * theta).array().exp()).inverse();
}

Matrix FeatureHeads::values(const Matrix& z) const {
  return (attention(z) * c).rowwise() + constant.transpose();
}

Feature find_feature(ValueOracle& oracle, const Matrix& w_sum, Index j, const FeatureTask& task) {
  const Index d = oracle.d();
  const std::vector<Index> only_j = {j};
  const auto ask = [&](const Matrix& x) { return ask_flips(oracle, w_sum, only_j, x); };
  const auto stream = [&](const std::string& what) {
    return Stream(Domain::learner, task.seed, fmt::format("mobius {} {}", what, j));
  };
  const double noise = oracle.tau() / 2;

  Points points = ask(draw_signs(stream("scout"), 0, scout_queries(d), d, only_j));
  const Index m = task.heads ? *task.heads : heads_shown(points.v, noise, task.stop);
  if (m < 1 || m > d)
    throw Failed{fmt::format(
        "feature {}: its values vary in {} directions, but between 1 and d = {} heads can be told "
        "apart",
        j, m, d)};
  if (const Index missing = fill_queries(d, m, task.oversample); missing > 0)
    points = points.joined(ask(draw_signs(stream("fill"), 0, missing, d, only_j)));

  constexpr Index most_blocks = 3;
  constexpr double enough_change = 0.02;
  const Index pairs = relation_queries(m, task.oversample) / 2;
  WhiteWeights best;
  Index blocks = 0;
  while (best.weights.least_change < enough_change && blocks < most_blocks) {
    const auto here = [&](const std::string& what) { return stream(fmt::format("{} {}", what, blocks)); };
    const Relations relations = ask_relations(ask, draw_turned(here, pairs, j, points.z));
    const Stream combinations = here("combinations");
    ++blocks;
    points = points.joined(relations.points);
    try {
      WhiteWeights found = stoppable_weights(task.stop, relations, m, [&] {
        return white_weights(points.v, relations, m, noise, combinations);
      });
      if (found.weights.least_change > best.weights.least_change) best = std::move(found);
    } catch (const Failed&) {
      if (best.weights.least_change == 0 && blocks == most_blocks) throw;
    }
  }
  Feature out{std::move(points), {}, blocks - 1};
  out.heads.theta = theta_of(out.points.z, best.weights.at(best.directions.white(out.points.v)), task.stop);
  fit_rows(out.points, out.heads);
  return out;
}

namespace {

// Variable projection in Kaufman's form: c and the constant are eliminated by projecting on the complement P
// of the span of the attention weights and 1. The Jacobian with respect to theta_i is then P D_i Z (x) c_i,
// D_i = diag(-2 q (1-q)), and its normal matrix is, block by block, c_i.c_l times (P D_i Z)^T (P D_l Z).
FeatureHeads polished(const Points& points, FeatureHeads heads) {
  constexpr int most_steps = 30;
  const Matrix& z = points.z;
  const Index d = z.cols(), m = heads.m(), count = z.rows();
  double error = (points.v - heads.values(z)).squaredNorm();
  for (int step = 0; step < most_steps; ++step) {
    const Matrix q = heads.attention(z);
    Matrix linear(count, m + 1);
    linear << q, Vector::Ones(count);
    const Matrix span = orthonormal(linear);
    Matrix jacobian(count, m * d);
    for (Index i = 0; i < m; ++i)
      jacobian.middleCols(i * d, d) =
          (-2 * q.col(i).array() * (1 - q.col(i).array())).matrix().asDiagonal() * z;
    jacobian -= span * (span.transpose() * jacobian);
    Matrix normal = jacobian.transpose() * jacobian;
    const Matrix gram = heads.c * heads.c.transpose();
    const Matrix residual = points.v - heads.values(z);
    Vector gradient(m * d);
    for (Index i = 0; i < m; ++i) {
      for (Index l = 0; l < m; ++l) normal.block(i * d, l * d, d, d) *= gram(i, l);
      gradient.segment(i * d, d) =
          jacobian.middleCols(i * d, d).transpose() * (residual * heads.c.row(i).transpose());
    }
    const Vector move = ldlt_solve(normal, gradient);
    FeatureHeads next = heads;
    double next_error = error;
    for (double length = 1; length > 1e-2 && !(next_error < error); length /= 2) {
      next.theta = heads.theta + length * Eigen::Map<const Matrix>(move.data(), d, m);
      fit_rows(points, next);
      next_error = (points.v - next.values(z)).squaredNorm();
    }
    if (!(next_error < error)) return heads;
    heads = std::move(next);
    const bool settled = next_error > 0.99 * error;
    error = next_error;
    if (settled) return heads;
  }
  return heads;
}

}  // namespace

void polish(Feature& feature, const StopToken& stop) {
  constexpr double steps = 30;
  const auto rows = static_cast<double>(feature.points.z.rows()),
             columns = static_cast<double>(feature.heads.theta.size());
  const auto found =
      stoppable(steps * columns * columns * (rows + columns), stop, [&]() -> std::vector<Matrix> {
        const FeatureHeads heads = polished(feature.points, feature.heads);
        return {heads.theta, heads.c, heads.constant};
      });
  feature.heads = {found[0], found[1], found[2]};
}

}  // namespace hardhead::learner::mobius
