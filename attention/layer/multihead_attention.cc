#include "attention/layer/multihead_attention.h"

#include <fmt/format.h>

#include <cmath>

#include "base/error.h"

namespace hardhead::attention {
namespace {

void check_shape(const char* name, const Matrix& matrix, Index rows, Index columns) {
  if (matrix.rows() != rows || matrix.cols() != columns)
    throw InputError(fmt::format("the {} weights are {} x {}, but {} x {} is expected", name, matrix.rows(),
                                 matrix.cols(), rows, columns));
}

void check_size(const char* name, const Vector& vector, Index size) {
  if (vector.size() != 0 && vector.size() != size)
    throw InputError(fmt::format("{}: {} numbers, but {} are expected", name, vector.size(), size));
}

void check(const AttentionWeights& w) {
  const Index d = w.query.cols();
  if (d < 1 || w.heads < 1 || w.query.rows() < 1 || w.query.rows() % w.heads != 0)
    throw InputError(fmt::format("the query weights are {} x {}: {} heads do not divide the rows",
                                 w.query.rows(), d, w.heads));
  const Index l = w.head_size(), groups = w.key.rows() / l;
  if (w.key.rows() < 1 || w.key.rows() % l != 0 || w.heads % groups != 0)
    throw InputError(
        fmt::format("the key weights have {} rows: heads of size {} whose number divides {} are "
                    "expected",
                    w.key.rows(), l, w.heads));
  check_shape("key", w.key, groups * l, d);
  check_shape("value", w.value, groups * l, d);
  check_shape("output", w.output, d, w.heads * l);
  check_size("query bias", w.query_bias, w.heads * l);
  check_size("value bias", w.value_bias, groups * l);
  check_size("output bias", w.output_bias, d);
  if (w.rotation.size() != 0) check_shape("rotation", w.rotation, l, l);
}

/// sum_h O_h b_g + c: what the biases of values and of the output add to every label.
Vector constant_label(const AttentionWeights& w) {
  const Index l = w.head_size(), sharing = w.heads / w.key_value_heads();
  Vector out = w.output_bias.size() != 0 ? w.output_bias : Vector(Vector::Zero(w.output.rows()));
  if (w.value_bias.size() == 0) return out;
  for (Index i = 0; i < w.heads; ++i)
    out += w.output.middleCols(i * l, l) * w.value_bias.segment(i / sharing * l, l);
  return out;
}

}  // namespace

AttentionWeights with_norm_folded(const AttentionWeights& weights, const Vector& gain, const Vector& shift) {
  check(weights);
  const Index d = weights.query.cols();
  if (gain.size() != d)
    throw InputError(fmt::format("gain: {} numbers, but {} are expected", gain.size(), d));
  check_size("shift", shift, d);
  AttentionWeights out = weights;
  if (shift.size() != 0) {
    const auto add = [&](const Matrix& map, Vector& bias) {
      if (bias.size() == 0) bias = Vector::Zero(map.rows());
      bias += map * shift;
    };
    add(weights.query, out.query_bias);
    add(weights.value, out.value_bias);
  }
  for (Matrix* map : {&out.query, &out.key, &out.value}) *map *= gain.asDiagonal();
  return out;
}

Layer layer_of(const AttentionWeights& w) {
  check(w);
  const Index d = w.query.cols(), l = w.head_size(), sharing = w.heads / w.key_value_heads();
  const Index features = d + (w.has_bias() ? 1 : 0);
  const double scale = w.logit_factor / std::sqrt(static_cast<double>(l));
  const Vector constant = constant_label(w) / static_cast<double>(w.heads);
  Layer layer{features, {}};
  for (Index i = 0; i < w.heads; ++i) {
    const auto q = w.query.middleRows(i * l, l);
    const auto v = w.value.middleRows(i / sharing * l, l);
    const auto o = w.output.middleCols(i * l, l);
    Matrix k = scale * w.key.middleRows(i / sharing * l, l);
    if (w.rotation.size() != 0) k = w.rotation * k;
    Head head{Matrix::Zero(features, features), Matrix::Zero(features, features)};
    head.theta.topLeftCorner(d, d).noalias() = q.transpose() * k;
    head.w.topLeftCorner(d, d).noalias() = v.transpose() * o.transpose();
    if (w.query_bias.size() != 0) head.theta.row(d).head(d) = w.query_bias.segment(i * l, l).transpose() * k;
    if (w.has_bias()) head.w.row(d).head(d) = constant.transpose();
    layer.heads.push_back(std::move(head));
  }
  layer.validate();
  return layer;
}

Layer from_multihead_attention(const Eigen::Ref<const Matrix>& in_proj_weight,
                               const Eigen::Ref<const Matrix>& out_proj_weight, Index heads,
                               const Vector& in_proj_bias, const Vector& out_proj_bias) {
  const Index d = in_proj_weight.cols();
  if (d < 1 || in_proj_weight.rows() != 3 * d)
    throw InputError(
        fmt::format("in_proj_weight is {} x {}, but 3d x d is expected", in_proj_weight.rows(), d));
  if (out_proj_weight.rows() != d || out_proj_weight.cols() != d)
    throw InputError(
        fmt::format("out_proj_weight is {} x {}, but d x d is expected, and in_proj_weight has d = {}",
                    out_proj_weight.rows(), out_proj_weight.cols(), d));
  if (heads < 1 || d % heads != 0)
    throw InputError(fmt::format("{} heads: a positive divisor of d = {} is expected", heads, d));
  check_size("in_proj_bias", in_proj_bias, 3 * d);
  check_size("out_proj_bias", out_proj_bias, d);
  AttentionWeights out{.heads = heads,
                       .query = in_proj_weight.topRows(d),
                       .key = in_proj_weight.middleRows(d, d),
                       .value = in_proj_weight.bottomRows(d),
                       .output = out_proj_weight,
                       .output_bias = out_proj_bias};
  if (in_proj_bias.size() != 0) {
    out.query_bias = in_proj_bias.head(d);
    out.value_bias = in_proj_bias.tail(d);
  }
  return layer_of(out);
}

}  // namespace hardhead::attention
