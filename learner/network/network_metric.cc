#include "learner/network/network_metric.h"

#include <utility>

namespace hardhead::learner {

using namespace attention;

namespace {

// Keeps a factor positive definite, and what it multiplies in bounds: relative to its mean diagonal.
constexpr double ridge = 1e-8;

Matrix with_ridge(Matrix a) {
  a.diagonal().array() += ridge * (a.trace() / static_cast<double>(a.rows()) + 1e-300);
  return a;
}

// B^T B o E[e e^T].
Matrix between_units(const Network& network, const NetworkMoments& moments) {
  const Index d = network.in.cols(), h = network.width();
  return (network.out.transpose() * network.out).cwiseProduct(moments.active.topLeftCorner(h, h)) /
         moments.inputs(d, d);
}

// E[G^T G].
Matrix squared_slopes(const Network& network, const NetworkMoments& moments) {
  const Index d = network.in.cols(), h = network.width();
  Matrix out = network.in.transpose() * between_units(network, moments) * network.in;
  if (network.residual) {
    const Matrix mean =
        network.out * (moments.active.col(h).head(h) / moments.inputs(d, d)).asDiagonal() * network.in;
    out += mean + mean.transpose() + Matrix::Identity(d, d);
  }
  return out;
}

}  // namespace

NetworkMoments::NetworkMoments(Index d, Index m, Index h)
    : units(Matrix::Zero(h + 1, h + 1)),
      active(Matrix::Zero(h + 1, h + 1)),
      inputs(Matrix::Zero(d + 1, d + 1)),
      means(Matrix::Zero(m * d, m * d)) {}

NetworkMoments& NetworkMoments::operator+=(const NetworkMoments& other) {
  units += other.units;
  active += other.active;
  inputs += other.inputs;
  means += other.means;
  return *this;
}

NetworkMetric::Kronecker::Kronecker(Matrix left, Matrix right)
    : left_(with_ridge(std::move(left))),
      right_(with_ridge(std::move(right))),
      left_factor_(left_),
      right_factor_(right_) {}

Matrix NetworkMetric::Kronecker::apply(const Matrix& v) const {
  return left_ * v * right_;
}

Matrix NetworkMetric::Kronecker::solve(const Matrix& v) const {
  return right_factor_.solve(left_factor_.solve(v).transpose()).transpose();
}

NetworkMetric::NetworkMetric(const Network& network, const NetworkMoments& moments, double unit, Vector theta)
    : d_(network.in.cols()),
      shape_{network.width(), network.residual},
      theta_(std::move(theta)),
      out_(moments.units / unit, Matrix::Identity(d_, d_)),
      in_(between_units(network, moments), moments.inputs / unit),
      w_(squared_slopes(network, moments), moments.means / unit) {}

Stacked NetworkMetric::apply(const Stacked& v) const {
  return mapped(v, &Kronecker::apply, theta_);
}

Stacked NetworkMetric::solve(const Stacked& v) const {
  return mapped(v, &Kronecker::solve, theta_.cwiseInverse());
}

Stacked NetworkMetric::mapped(const Stacked& v, Map map, const Vector& of_theta) const {
  const Index m = theta_.size(), h = shape_.units;
  Stacked out = v;  // what fills the last row of a stays as it is
  Matrix heads(d_, m * d_);
  for (Index i = 0; i < m; ++i) {
    out.middleRows(i * d_, d_) *= of_theta(i);
    heads.middleCols(i * d_, d_) = v.middleRows((m + i) * d_, d_);
  }
  heads = (w_.*map)(heads);
  for (Index i = 0; i < m; ++i) out.middleRows((m + i) * d_, d_) = heads.middleCols(i * d_, d_);

  const auto network = v.bottomRows(v.rows() - 2 * m * d_);
  auto to = out.bottomRows(v.rows() - 2 * m * d_);
  to.middleRows(shape_.first_out(), h + 1) = (out_.*map)(network.middleRows(shape_.first_out(), h + 1));
  Matrix in(h, d_ + 1);
  in << network.topRows(h), shape_.in_bias(network);
  in = (in_.*map)(in);
  to.topRows(h) = in.leftCols(d_);
  shape_.add_in_bias(in.col(d_) - shape_.in_bias(network), to.topRows(to.rows()));
  return out;
}

double NetworkMetric::moments_bytes(const PassShape& pass, const NetworkShape& shape) {
  const auto square = [](Index n) { return 8 * static_cast<double>(n * n); };
  return 2 * square(shape.units + 1) + square(pass.d + 1) + square(pass.m * pass.d);
}

}  // namespace hardhead::learner
