#include "experiments/attacks/smoothing_attack.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "base/numeric/decompositions.h"

namespace hardhead::experiments {

using attention::Index;
using attention::Matrix;
using attention::Vector;

SmoothingCorrelations::SmoothingCorrelations(Index d)
    : d_(d),
      squares_(Vector::Zero(d)),
      columns_(static_cast<std::size_t>(d - 1), Matrix::Zero(d, d)),
      products_(static_cast<std::size_t>(d - 1), Matrix::Zero(d, d)),
      heat_(Vector::Zero(d - 1)) {}

void SmoothingCorrelations::add(const attention::Block& block) {
  if (block.count < 8 * d_)
    throw InputError(
        fmt::format("correlations of {} examples with d={}: at least 8 d at a time", block.count, d_));
  const Index n = block.count;
  Matrix x(d_, 2 * n), other(d_, 2 * n), y(d_, 2 * n);
  x << block.token(0), block.token(1);
  other << block.token(1), block.token(0);
  y << block.label(0), block.label(1);
  for (Index c = 0; c < 2 * n; ++c)
    y(0, c) = x(d_ - 1, c) * (y(0, c) - 2 * std::clamp(std::round(y(0, c) / 2), -1.0, 1.0));

  Matrix tokens(2 * d_, 2 * n);
  tokens << x, other;
  const Matrix moment = tokens * tokens.transpose();
  y -= ldlt_solve(moment, Matrix(tokens * y.transpose())).transpose() * tokens;

  const Matrix u = other - x, z = x.cwiseProduct(other);
  squares_ += y.rowwise().squaredNorm();
  for (Index j = 0; j + 1 < d_; ++j) {
    const auto at = static_cast<std::size_t>(j);
    const Eigen::RowVectorXd signs = z.row(j), residual = y.row(0).cwiseProduct(signs);
    columns_[at].noalias() += u * signs.asDiagonal() * y.transpose();
    products_[at].noalias() += x * residual.asDiagonal() * u.transpose();
    heat_[j] += residual.sum();
  }
}

Vector SmoothingCorrelations::scores() const {
  constexpr double mean_square_of_u = 2;
  const auto deviations = [](double sum, double terms) { return (sum - terms) / std::sqrt(2 * terms); };
  const auto others = static_cast<double>(d_ - 1);
  Vector out = Vector::Zero(d_ - 1);
  for (Index j = 0; j < out.size(); ++j) {
    const auto at = static_cast<std::size_t>(j);
    double sum = 0, terms = 0;
    for (Index c = 1; c < d_; ++c) {
      if (squares_[c] == 0) continue;
      const double own = columns_[at](j, c);
      sum += (columns_[at].col(c).squaredNorm() - own * own) / (mean_square_of_u * squares_[c]);
      terms += others;
    }
    if (terms > 0) out[j] += deviations(sum, terms);
    if (squares_[0] == 0) continue;
    const double own = products_[at](j, j),
                 with_j = products_[at].row(j).squaredNorm() + products_[at].col(j).squaredNorm() - own * own;
    out[j] += deviations((products_[at].squaredNorm() - with_j) / (mean_square_of_u * squares_[0]),
                         others * others);
    out[j] += deviations(heat_[j] * heat_[j] / squares_[0], 1);
  }
  return out;
}

std::vector<Index> SmoothingCorrelations::likeliest(Index m) const {
  const Vector score = scores();
  std::vector<Index> order(static_cast<std::size_t>(d_ - 1));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](Index a, Index b) { return score[a] > score[b]; });
  order.resize(static_cast<std::size_t>(std::min(m, d_ - 1)));
  std::ranges::sort(order);
  return order;
}

}  // namespace hardhead::experiments
