#include "learner/least_squares.h"

#include <algorithm>

#include "attention/token_products.h"
#include "base/parallel.h"

namespace hardhead::learner {

using namespace attention;

Stacked stack(const Layer& layer) {
  const Index d = layer.d, m = layer.m();
  Stacked out(2 * m * d, d);
  for (Index i = 0; i < m; ++i) {
    out.middleRows(i * d, d) = layer.heads[static_cast<std::size_t>(i)].theta.transpose();
    out.middleRows((m + i) * d, d) = layer.heads[static_cast<std::size_t>(i)].w;
  }
  return out;
}

Layer unstack(const Stacked& stacked) {
  Layer layer;
  layer.d = stacked.cols();
  const Index m = stacked.rows() / (2 * layer.d);
  for (Index i = 0; i < m; ++i)
    layer.heads.push_back({stacked.middleRows(i * layer.d, layer.d).transpose(),
                           stacked.middleRows((m + i) * layer.d, layer.d)});
  return layer;
}

namespace {

// J^T u for one block, added to `sum`; u is d x (k count).
void add_adjoint(const Block& block, const Forward::Workspace& at, const RowMatrix& w, const RowMatrix& u,
                 Stacked& sum) {
  const Index d = block.d(), k = block.k, md = w.rows(), m = md / d;
  RowMatrix g(md, k * block.count), logits(k, k * block.count);
  g.noalias() = w * u;
  for (Index i = 0; i < m; ++i) {
    token_products(g.middleRows(i * d, d), block.x, k, block.count, logits);
    softmax_jacobian(at.p.middleRows(i * k, k), logits);
    token_mixtures(logits, block.x, k, block.count, g.middleRows(i * d, d));
  }
  sum.topRows(md).noalias() += g * block.x.transpose();
  sum.bottomRows(md).noalias() += at.z * u.transpose();
}

constexpr std::int64_t blocks_a_run = 4;

}  // namespace

Linearisation::Linearisation(const std::vector<Block>& blocks, const Layer& layer)
    : blocks_(blocks), d_(layer.d), m_(layer.m()), attended_(blocks.size()) {
  const Stacked parameters = stack(layer);
  w_ = parameters.bottomRows(m_ * d_);
  w_t_ = w_.transpose();
  const Forward forward(layer);
  struct Sums {
    Stacked gradient;
    double error = 0, total = 0;
  };
  const Sums sums = deterministic_reduce(
      static_cast<std::int64_t>(blocks.size()), blocks_a_run,
      Sums{Stacked::Zero(parameters.rows(), parameters.cols())},
      [&](Sums& part, std::int64_t b) {
        const Block& block = blocks_[static_cast<std::size_t>(b)];
        Forward::Workspace& at = attended_[static_cast<std::size_t>(b)];
        forward.attend(block, at);
        at.q.resize(0, 0);
        RowMatrix u = -block.y;
        part.total += u.squaredNorm();
        u.noalias() += w_t_ * at.z;
        part.error += u.squaredNorm();
        add_adjoint(block, at, w_, u, part.gradient);
      },
      [](Sums& left, const Sums& right) {
        left.gradient += right.gradient;
        left.error += right.error;
        left.total += right.total;
      });
  error_ = sums.error;
  total_ = std::max(sums.total, 1e-300);
  gradient_ = sums.gradient / total_;
}

Stacked Linearisation::normal_product(const Stacked& v) const {
  const Index md = m_ * d_;
  const RowMatrix theta_t = v.topRows(md), w_t = v.bottomRows(md).transpose();
  Stacked sum = deterministic_reduce(
      static_cast<std::int64_t>(blocks_.size()), blocks_a_run, Stacked(Stacked::Zero(v.rows(), v.cols())),
      [&](Stacked& part, std::int64_t b) {
        const Block& block = blocks_[static_cast<std::size_t>(b)];
        const Forward::Workspace& at = attended_[static_cast<std::size_t>(b)];
        const Index k = block.k;
        RowMatrix z(md, k * block.count), logits(k, k * block.count), u(d_, k * block.count);
        z.noalias() = theta_t * block.x;
        for (Index i = 0; i < m_; ++i) {
          token_products(z.middleRows(i * d_, d_), block.x, k, block.count, logits);
          softmax_jacobian(at.p.middleRows(i * k, k), logits);
          token_mixtures(logits, block.x, k, block.count, z.middleRows(i * d_, d_));
        }
        u.noalias() = w_t_ * z;
        u.noalias() += w_t * at.z;
        add_adjoint(block, at, w_, u, part);
      },
      [](Stacked& left, const Stacked& right) { left += right; });
  return sum / total_;
}

Linearisation::Preconditioner Linearisation::preconditioner() const {
  constexpr std::size_t most_blocks = 8;
  const std::size_t used = std::min(blocks_.size(), most_blocks);
  Preconditioner out;
  out.theta_.assign(static_cast<std::size_t>(m_), Matrix::Zero(d_, d_));
  parallel_for_each_index(m_, [&](std::int64_t i) {
    Matrix& sum = out.theta_[static_cast<std::size_t>(i)];
    for (std::size_t b = 0; b < used; ++b) {
      const Block& block = blocks_[b];
      const Index k = block.k, columns = k * block.count;
      // C_r W_i = sum_j p_j (x_j - z)(W_i^T (x_j - z))^T, a d x d matrix of rank k - 1 for each row r.
      const RowMatrix image = w_t_.middleCols(i * d_, d_) * block.x;
      Matrix centred(d_, k), projected(d_, k);
      for (Index c = 0; c < columns; ++c) {
        const Index n = c % block.count;
        const auto z = attended_[b].z.col(c).segment(i * d_, d_);
        const auto wz = w_t_.middleCols(i * d_, d_) * z;
        for (Index j = 0; j < k; ++j) {
          const double weight = std::sqrt(attended_[b].p(i * k + j, c));
          centred.col(j) = weight * (block.x.col(block.column(j, n)) - z);
          projected.col(j) = weight * image.col(block.column(j, n)) - weight * wz;
        }
        sum.noalias() += centred * (projected.transpose() * projected) * centred.transpose();
      }
    }
  });
  double rows = 0, sampled = 0;
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const double count = static_cast<double>(blocks_[b].x.cols());
    rows += count;
    if (b < used) sampled += count;
  }
  const double scale = rows / sampled / total_;
  for (Matrix& theta : out.theta_) {
    theta *= scale;
    theta += 1e-8 * (theta.trace() / static_cast<double>(d_) + 1e-300) * Matrix::Identity(d_, d_);
    out.theta_factor_.emplace_back(theta);
  }
  out.w_ = deterministic_reduce(
      static_cast<std::int64_t>(blocks_.size()), blocks_a_run, Matrix(Matrix::Zero(m_ * d_, m_ * d_)),
      [&](Matrix& part, std::int64_t b) {
        const RowMatrix& z = attended_[static_cast<std::size_t>(b)].z;
        part.noalias() += z * z.transpose();
      },
      [](Matrix& left, const Matrix& right) { left += right; });
  out.w_ /= total_;
  out.w_ += 1e-8 * out.w_.trace() / static_cast<double>(m_ * d_) * Matrix::Identity(m_ * d_, m_ * d_);
  out.w_factor_.compute(out.w_);
  return out;
}

// Rows of the stack are Theta_i^T: row b of Theta_i^T multiplies x_r, and mixes with other rows b by the
// covariance factor.
Stacked Linearisation::Preconditioner::apply(const Stacked& v) const {
  Stacked out(v.rows(), v.cols());
  const Index d = v.cols(), m = static_cast<Index>(theta_.size());
  for (Index i = 0; i < m; ++i)
    out.middleRows(i * d, d).noalias() = theta_[static_cast<std::size_t>(i)] * v.middleRows(i * d, d);
  out.bottomRows(m * d).noalias() = w_ * v.bottomRows(m * d);
  return out;
}

Stacked Linearisation::Preconditioner::solve(const Stacked& v) const {
  Stacked out(v.rows(), v.cols());
  const Index d = v.cols(), m = static_cast<Index>(theta_.size());
  for (Index i = 0; i < m; ++i)
    out.middleRows(i * d, d) = theta_factor_[static_cast<std::size_t>(i)].solve(v.middleRows(i * d, d));
  out.bottomRows(m * d) = w_factor_.solve(v.bottomRows(m * d));
  return out;
}

}  // namespace hardhead::learner
