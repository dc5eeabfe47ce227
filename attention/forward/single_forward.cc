#include "attention/forward/single_forward.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "attention/kernels/single_kernels.h"
#include "base/numeric/decompositions.h"

namespace hardhead::attention {
namespace {

// |W|_2, from above.
double spectral_norm(const Matrix& w) {
  const Matrix gram = w.transpose() * w;
  return 1.001 * std::sqrt(std::max(symmetric_eigenvalues(gram).maxCoeff(), 0.0));
}

std::vector<const float*> data_of(const std::vector<SingleTables>& tables) {
  std::vector<const float*> out;
  for (const SingleTables& one : tables) out.push_back(one.data());
  return out;
}

}  // namespace

SingleForward::SingleForward(const Layer& layer)
    : d_(layer.d), w_sum_t_(RowMatrix(layer.w_sum().transpose())) {
  for (const Head& head : layer.heads) {
    theta_t_.emplace_back(RowMatrix(head.theta.transpose()));
    w_t_.emplace_back(RowMatrix(head.w.transpose()));
    largest_value_.push_back(std::sqrt(static_cast<double>(d_)) * spectral_norm(head.w));
  }
}

double SingleForward::error(Index k) const {
  constexpr double u = 0x1p-24;
  const auto groups = static_cast<double>(w_sum_t_.groups()), tiles = static_cast<double>(w_sum_t_.tiles()),
             tokens = static_cast<double>(k), m = static_cast<double>(w_t_.size());
  double sum = 0;
  for (std::size_t i = 0; i < w_t_.size(); ++i) {
    const double pattern = 2 * theta_t_[i].sum() * (groups + 8 + tiles + 2) + 2 * (tokens + 6);
    sum += pattern * largest_value_[i] + (4 * groups + 4 + 3 * m * (tokens - 1)) * w_t_[i].norm();
  }
  return 1.01 * u * sum;
}

void SingleForward::apply(SingleBlock& block, Floats& scratch) const {
  assert(block.d() == d_ && takes(block.k));
  const auto k = static_cast<std::size_t>(block.k), tiles = static_cast<std::size_t>(w_sum_t_.tiles());
  scratch.resize(single_labels_scratch(k, tiles, static_cast<std::size_t>(block_size)));
  const std::vector<const float*> theta = data_of(theta_t_), w = data_of(w_t_);
  single_labels({.k = k,
                 .heads = w.size(),
                 .tiles = tiles,
                 .label_tiles = static_cast<std::size_t>(block.rows() / 8),
                 .groups = static_cast<std::size_t>(w_sum_t_.groups()),
                 .places = static_cast<std::size_t>(block_size),
                 .theta = theta.data(),
                 .w = w.data(),
                 .w_sum = w_sum_t_.data(),
                 .signs = block.signs.data(),
                 .y = block.y.data(),
                 .scratch = scratch.data()});
  block.error = error(block.k);
}

double single_forward_bytes(Index d, Index m) {
  return static_cast<double>(2 * m + 1) * single_tables_bytes(d);
}

double single_forward_scratch_bytes(Index d, Index k) {
  const auto tokens = static_cast<std::size_t>(k), tiles = static_cast<std::size_t>((d + 7) / 8);
  return 4 * static_cast<double>(single_labels_scratch(tokens, tiles, static_cast<std::size_t>(block_size)));
}

}  // namespace hardhead::attention
