#include "attention/layer/multihead_attention.h"

#include <fmt/format.h>

#include <cmath>

#include "base/error.h"

namespace hardhead::attention {

Layer from_multihead_attention(const Eigen::Ref<const Matrix>& in_proj_weight,
                               const Eigen::Ref<const Matrix>& out_proj_weight, Index heads) {
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
  const Index l = d / heads;
  const double scale = 1 / std::sqrt(static_cast<double>(l));
  Layer layer{d, {}};
  for (Index i = 0; i < heads; ++i) {
    const auto q = in_proj_weight.middleRows(i * l, l), k = in_proj_weight.middleRows(d + i * l, l),
               v = in_proj_weight.middleRows(2 * d + i * l, l);
    const auto o = out_proj_weight.middleCols(i * l, l);
    layer.heads.push_back({scale * (q.transpose() * k), v.transpose() * o.transpose()});
  }
  layer.validate();
  return layer;
}

}  // namespace hardhead::attention
