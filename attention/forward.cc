#include "attention/forward.h"

namespace hardhead::attention {
namespace detail {

void attend_rows(const Block& block, Eigen::Ref<const RowMatrix> q, Eigen::Ref<RowMatrix> p,
                 Eigen::Ref<RowMatrix> z) {
  const Index d = block.d(), k = block.k, count = block.count;
  // Plain loops over examples: contiguous, no dependence, one fused multiply-add an element.
  for (Index r = 0; r < k; ++r) {
    const Index at = r * count;
    for (Index j = 0; j < k; ++j) {
      double* logit = p.row(j).data() + at;
      std::fill(logit, logit + count, 0.0);
      for (Index f = 0; f < d; ++f) {
        const double* left = q.row(f).data() + at;
        const double* right = block.x.row(f).data() + j * count;
        for (Index n = 0; n < count; ++n) logit[n] += left[n] * right[n];
      }
    }
    auto row = p.middleCols(at, count).array();
    row.rowwise() -= row.colwise().maxCoeff().eval();
    row = row.exp();
    row.rowwise() *= row.colwise().sum().inverse().eval();
    for (Index f = 0; f < d; ++f) {
      double* mean = z.row(f).data() + at;
      std::fill(mean, mean + count, 0.0);
      for (Index j = 0; j < k; ++j) {
        const double* weight = p.row(j).data() + at;
        const double* token = block.x.row(f).data() + j * count;
        for (Index n = 0; n < count; ++n) mean[n] += weight[n] * token[n];
      }
    }
  }
}

}  // namespace detail

Forward::Forward(const Layer& layer) : d_(layer.d), m_(layer.m()), theta_t_(m_ * d_, d_), w_t_(d_, m_ * d_) {
  layer.validate();
  for (Index i = 0; i < m_; ++i) {
    theta_t_.middleRows(i * d_, d_) = layer.heads[static_cast<std::size_t>(i)].theta.transpose();
    w_t_.middleCols(i * d_, d_) = layer.heads[static_cast<std::size_t>(i)].w.transpose();
  }
}

void Forward::attend(const Block& block, Workspace& ws) const {
  const Index columns = block.k * block.count;
  ws.q.resize(m_ * d_, columns);
  ws.z.resize(m_ * d_, columns);
  ws.p.resize(m_ * block.k, columns);
  ws.q.noalias() = theta_t_ * block.x;
  for (Index i = 0; i < m_; ++i)
    detail::attend_rows(block, ws.q.middleRows(i * d_, d_), ws.p.middleRows(i * block.k, block.k),
                        ws.z.middleRows(i * d_, d_));
}

void Forward::apply(Block& block, Workspace& ws) const {
  attend(block, ws);
  block.y.noalias() = w_t_ * ws.z;
}

void attend_one(const Matrix& theta, const Block& block, Forward::Workspace& ws) {
  const Index columns = block.k * block.count;
  ws.q.resize(block.d(), columns);
  ws.z.resize(block.d(), columns);
  ws.p.resize(block.k, columns);
  ws.q.noalias() = theta.transpose() * block.x;
  detail::attend_rows(block, ws.q, ws.p, ws.z);
}

}  // namespace hardhead::attention
