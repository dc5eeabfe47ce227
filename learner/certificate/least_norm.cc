#include "learner/certificate/least_norm.h"

#include <algorithm>

#include "base/numeric/decompositions.h"

namespace hardhead::learner {
namespace {

// A simplex spanned by some of the points, and the convex weights of its point of least norm.
class Corral {
 public:
  explicit Corral(const Vector& start) : members_{start}, weights_(Vector::Ones(1)) {}

  Vector point() const {
    Vector x = Vector::Zero(members_[0].size());
    for (std::size_t i = 0; i < members_.size(); ++i) x += weights_(static_cast<Index>(i)) * members_[i];
    return x;
  }

  // Wolfe's minor cycles: towards the point of least norm of the affine hull, dropping members whose weight
  // would turn negative on the way.
  void add(const Vector& member) {
    constexpr double negligible = 1e-12;
    members_.push_back(member);
    weights_.conservativeResize(weights_.size() + 1);
    weights_.tail(1).setZero();
    while (true) {
      const Vector target = affine_weights();
      double step = 1;
      for (Index i = 0; i < target.size(); ++i)
        if (target(i) <= negligible) step = std::min(step, weights_(i) / (weights_(i) - target(i)));
      weights_ += step * (target - weights_);
      if (step == 1) return;
      drop(negligible);
    }
  }

 private:
  Vector affine_weights() const {
    const auto others = static_cast<Index>(members_.size()) - 1;
    if (others == 0) return Vector::Ones(1);
    Matrix edges(members_[0].size(), others);
    for (Index i = 0; i < others; ++i) edges.col(i) = members_[static_cast<std::size_t>(i) + 1] - members_[0];
    Vector weights(others + 1);
    weights.tail(others) = least_squares(edges, Vector(-members_[0]));
    weights(0) = 1 - weights.tail(others).sum();
    return weights;
  }

  void drop(double negligible) {
    std::vector<Vector> members;
    std::vector<double> weights;
    for (std::size_t i = 0; i < members_.size(); ++i)
      if (const double weight = weights_(static_cast<Index>(i)); weight > negligible) {
        members.push_back(members_[i]);
        weights.push_back(weight);
      }
    members_ = std::move(members);
    weights_ = Eigen::Map<Vector>(weights.data(), static_cast<Index>(weights.size()));
    weights_ /= weights_.sum();
  }

  std::vector<Vector> members_;
  Vector weights_;
};

}  // namespace

LeastNormPoint least_norm_point(std::vector<Vector> known, const std::function<Vector(const Vector&)>& least,
                                double tolerance, int most_queries) {
  const auto norm = [](const Vector& v) { return v.squaredNorm(); };
  Corral corral(*std::ranges::min_element(known, {}, norm));
  LeastNormPoint out;
  const double origin = 1e-24 * corral.point().squaredNorm();
  while (true) {
    out.point = corral.point();
    if (out.point.squaredNorm() <= origin) return out;
    const auto gap = [&](const Vector& v) { return 1 - out.point.dot(v) / out.point.squaredNorm(); };
    const auto along = [&](const Vector& v) { return out.point.dot(v); };
    const Vector& best = *std::ranges::min_element(known, {}, along);
    if (gap(best) > tolerance / 10) {
      corral.add(best);
      continue;
    }
    if (out.queries == most_queries) return out;
    known.push_back(least(out.point));
    ++out.queries;
    out.gap = gap(known.back());
    if (out.gap <= tolerance) return out;
  }
}

}  // namespace hardhead::learner
