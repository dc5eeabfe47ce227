#pragma once
#include <torch/torch.h>

#include <string>

#include "bench/bench_data.h"

/// Multi-head attention as one writes it for speed in LibTorch, float64: the peers that our forward pass and
/// learners are timed against.
namespace hardhead::bench {

enum class Formulation {
  batch_last,  ///< x: d x (k n), examples fastest, as in attention/forward/block.h; products entry by entry
  batched      ///< x: n x k x d; heads stacked in one product, then torch.bmm for patterns and mixtures
};

inline std::string to_string(Formulation formulation) {
  return formulation == Formulation::batch_last ? "batch_last" : "bmm";
}

/// All heads stacked, as the formulation wants them: Theta_i^T on top of each other (m d x d) and W_i^T side
/// by side (d x m d) for batch_last, their transposes for bmm.
struct TorchLayer {
  torch::Tensor theta, w;
};

/// F(X), in x's layout.
inline torch::Tensor torch_forward(Formulation formulation, const torch::Tensor& x, const TorchLayer& layer,
                                   Index d, Index k, Index m) {
  if (formulation == Formulation::batched) {
    const auto n = x.size(0);
    const auto q = torch::matmul(x.view({n * k, d}), layer.theta).view({n, k * m, d});
    const auto p = torch::softmax(torch::bmm(q, x.transpose(1, 2)), -1);
    return torch::matmul(torch::bmm(p, x).view({n * k, m * d}), layer.w).view({n, k, d});
  }
  const auto n = x.size(1) / k;
  const auto q = torch::matmul(layer.theta, x).view({m, d, k, n});
  const auto tokens = x.view({d, k, n});
  std::vector<torch::Tensor> logits;
  for (Index j = 0; j < k; ++j) logits.push_back((q * tokens.select(1, j).unsqueeze(1)).sum(1));
  const auto p = torch::softmax(torch::stack(logits, 1), 1);  // m x k (j) x k (r) x n
  torch::Tensor z;
  for (Index j = 0; j < k; ++j) {
    const auto term = p.select(1, j).unsqueeze(1) * tokens.select(1, j).unsqueeze(1);
    z = z.defined() ? z + term : term;
  }
  return torch::matmul(layer.w, z.reshape({m * d, k * n}));
}

/// A column-major or row-major matrix of Eigen's as a tensor of the same shape.
template <class Derived>
torch::Tensor to_tensor(const Eigen::MatrixBase<Derived>& matrix) {
  const attention::RowMatrix rows = matrix;
  return torch::from_blob(const_cast<double*>(rows.data()), {rows.rows(), rows.cols()}, torch::kDouble)
      .clone();
}

inline TorchLayer torch_layer(Formulation formulation, const Layer& layer) {
  std::vector<torch::Tensor> theta, w;
  for (const auto& head : layer.heads) {
    theta.push_back(to_tensor(head.theta.transpose()));
    w.push_back(to_tensor(head.w.transpose()));
  }
  const TorchLayer stacked{torch::cat(theta, 0).contiguous(), torch::cat(w, 1).contiguous()};
  if (formulation == Formulation::batch_last) return stacked;
  return {stacked.theta.t().contiguous(), stacked.w.t().contiguous()};
}

/// x or y of a block (d x (k n)) in the formulation's layout.
inline torch::Tensor torch_tokens(Formulation formulation, const attention::RowMatrix& block, Index k) {
  const auto columns = to_tensor(block);
  if (formulation == Formulation::batch_last) return columns;
  return columns.view({block.rows(), k, -1}).permute({2, 1, 0}).contiguous();
}

}  // namespace hardhead::bench
