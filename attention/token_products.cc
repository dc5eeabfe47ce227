#include "attention/token_products.h"

#include <algorithm>

namespace hardhead::attention {

// Plain loops over examples: contiguous, independent, one fused multiply-add an element. A strip of examples
// is kept in registers while features (or tokens) run.
namespace {
constexpr Index strip = 16;
}

void token_products(Eigen::Ref<const RowMatrix> left, Eigen::Ref<const RowMatrix> right, Index k, Index count,
                    Eigen::Ref<RowMatrix> out) {
  const Index rows = left.rows(), left_stride = left.outerStride(), right_stride = right.outerStride();
  for (Index r = 0; r < k; ++r)
    for (Index j = 0; j < k; ++j) {
      const double* u = left.data() + r * count;
      const double* v = right.data() + j * count;
      double* sum = out.data() + j * out.outerStride() + r * count;
      Index n = 0;
      for (; n + strip <= count; n += strip) {
        double held[strip] = {};
        for (Index f = 0; f < rows; ++f)
          for (Index t = 0; t < strip; ++t)
            held[t] += u[f * left_stride + n + t] * v[f * right_stride + n + t];
        std::copy(held, held + strip, sum + n);
      }
      for (; n < count; ++n) {
        double held = 0;
        for (Index f = 0; f < rows; ++f) held += u[f * left_stride + n] * v[f * right_stride + n];
        sum[n] = held;
      }
    }
}

void token_mixtures(Eigen::Ref<const RowMatrix> weight, Eigen::Ref<const RowMatrix> tokens, Index k,
                    Index count, Eigen::Ref<RowMatrix> out) {
  const Index rows = tokens.rows(), weight_stride = weight.outerStride();
  for (Index f = 0; f < rows; ++f) {
    const double* x = tokens.data() + f * tokens.outerStride();
    for (Index r = 0; r < k; ++r) {
      const double* p = weight.data() + r * count;
      double* z = out.data() + f * out.outerStride() + r * count;
      Index n = 0;
      for (; n + strip <= count; n += strip) {
        double held[strip] = {};
        for (Index j = 0; j < k; ++j)
          for (Index t = 0; t < strip; ++t) held[t] += p[j * weight_stride + n + t] * x[j * count + n + t];
        std::copy(held, held + strip, z + n);
      }
      for (; n < count; ++n) {
        double held = 0;
        for (Index j = 0; j < k; ++j) held += p[j * weight_stride + n] * x[j * count + n];
        z[n] = held;
      }
    }
  }
}

void softmax_jacobian(Eigen::Ref<const RowMatrix> p, Eigen::Ref<RowMatrix> v) {
  v.array().rowwise() -= (p.array() * v.array()).colwise().sum().eval();
  v.array() *= p.array();
}

}  // namespace hardhead::attention
