#include "learner/gradient/student.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace hardhead::learner {
namespace {

// Rows of each attention form in every part of the matrix that has some.
Index rows_of_theta(const StudentShape& shape) {
  switch (shape.theta) {
    case ThetaShape::full:
      return shape.d;
    case ThetaShape::diagonal:
      return 1;
    default:
      return shape.rank;
  }
}

// Heads that are merged.
struct Group {
  Matrix weighted_theta;  // sum_i ||W_i|| Theta_i
  double weight;          // sum_i ||W_i||
  Matrix w;               // sum_i W_i

  Matrix theta() const { return weighted_theta / weight; }
};

}  // namespace

Index StudentShape::theta_rows() const {
  return heads * rows_of_theta(*this) * (theta == ThetaShape::low_rank ? 2 : 1);
}

FloatMatrix random_student(const StudentShape& shape, const Stream& stream, const StudentStart& start) {
  std::vector<double> numbers(static_cast<std::size_t>(shape.rows() * shape.d));
  stream.normals(0, numbers);
  FloatMatrix parameters = Eigen::Map<const RowMatrix>(numbers.data(), shape.rows(), shape.d).cast<float>();
  const Index theta = rows_of_theta(shape), factors = shape.theta_rows() / theta;
  // The product of two factors of norm s has norm s^2 / sqrt(rank), in the mean square.
  const double theta_norm = shape.theta == ThetaShape::low_rank
                                ? std::sqrt(start.theta_norm * std::sqrt(static_cast<double>(shape.rank)))
                                : start.theta_norm;
  const auto scale = [](auto&& rows, double to) { rows *= static_cast<float>(to) / rows.norm(); };
  for (Index i = 0; i < factors; ++i) {
    auto rows = parameters.middleRows(i * theta, theta);
    if (shape.theta == ThetaShape::full) {
      const Eigen::VectorXf diagonal = rows.diagonal();
      rows *= static_cast<float>(start.off_diagonal);
      rows.diagonal() = diagonal;
    }
    scale(rows, theta_norm);
  }
  for (Index i = 0; i < shape.heads; ++i)
    scale(parameters.middleRows(shape.theta_rows() + i * shape.d, shape.d), start.w_norm);
  if (!shape.network.empty()) {
    auto rows = parameters.bottomRows(shape.network.rows(shape.d));
    rows.topRows(shape.network.units).rowwise().normalize();
    scale(rows.middleRows(shape.network.first_out(), shape.network.units), start.out_norm);
    rows.row(shape.network.out_bias()).setZero();
  }
  return parameters;
}

void shrink_off_diagonal(const StudentShape& shape, double by, FloatMatrix& parameters) {
  if (shape.theta != ThetaShape::full) return;
  const auto most = static_cast<float>(by);
  for (Index i = 0; i < shape.heads; ++i) {
    auto theta = parameters.middleRows(i * shape.d, shape.d);
    const Eigen::VectorXf diagonal = theta.diagonal();
    theta -= theta.cwiseMin(most).cwiseMax(-most);
    theta.diagonal() = diagonal;
  }
}

Layer to_layer(const StudentShape& shape, const FloatMatrix& parameters) {
  const Index d = shape.d, theta = rows_of_theta(shape);
  const auto rows = [&](Index first, Index count) -> Matrix {
    return parameters.middleRows(first, count).cast<double>();
  };
  Layer layer{d, {}};
  for (Index i = 0; i < shape.heads; ++i) {
    Head head;
    switch (shape.theta) {
      case ThetaShape::full:
        head.theta = rows(i * d, d);
        break;
      case ThetaShape::diagonal:
        head.theta = rows(i, 1).row(0).asDiagonal();
        break;
      case ThetaShape::low_rank:
        head.theta = rows(i * theta, theta).transpose() * rows((shape.heads + i) * theta, theta);
        break;
    }
    head.w = rows(shape.theta_rows() + i * d, d).transpose();
    layer.heads.push_back(std::move(head));
  }
  if (!shape.network.empty())
    layer.network =
        to_network(shape.network, rows(shape.theta_rows() + shape.heads * d, shape.network.rows(d)));
  return layer;
}

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
