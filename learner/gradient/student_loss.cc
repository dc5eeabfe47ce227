#include "learner/gradient/student_loss.h"

#include <algorithm>
#include <utility>

#include "attention/forward/matrix_product.h"
#include "learner/objective/lanes.h"

namespace hardhead::learner {

using namespace attention;

namespace {

// Token j (or difference j) of some rows of a matrix whose columns are tokens, each of `columns` examples.
Rows token_rows(const FloatMatrix& matrix, Index first_row, Index token, Index columns) {
  return {matrix.data() + first_row * matrix.cols() + token * columns, matrix.cols()};
}
MutableRows token_rows(FloatMatrix& matrix, Index first_row, Index token, Index columns) {
  return {matrix.data() + first_row * matrix.cols() + token * columns, matrix.cols()};
}

// Where the pair of row r and difference j begins in a row of p.
Index pair_column(const FloatBlock& block, Index r, Index j) {
  return ((block.k - 1) * r + j) * block.columns;
}

// What stays in the second-level cache.
constexpr Index cached_floats = 32 * 1024;

// Heads whose rows of `width` floats, `rows` for each, stay in the second-level cache.
Index heads_at_once(Index heads, Index rows, Index width) {
  return std::clamp<Index>(cached_floats / std::max<Index>(1, rows * width), 1, heads);
}

using FloatArray = Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// p_i[r,.] = softmax(0, l_i[r,1], ..) without the first weight, in place, and without overflow.
void softmax_with_zero(const FloatBlock& block, Eigen::Ref<FloatMatrix> p) {
  const Index n = block.columns, others = block.k - 1;
  FloatArray largest, sum;
  for (Index r = 0; r < block.k; ++r) {
    auto weights = p.middleCols(pair_column(block, r, 0), others * n).array();
    if (others == 1) {
      weights = (1 + (-weights).exp()).inverse();
      continue;
    }
    largest = FloatArray::Zero(p.rows(), n);
    for (Index j = 0; j < others; ++j) largest = largest.max(weights.middleCols(j * n, n));
    sum = (-largest).exp();
    for (Index j = 0; j < others; ++j) {
      auto weight = weights.middleCols(j * n, n);
      weight = (weight - largest).exp();
      sum += weight;
    }
    for (Index j = 0; j < others; ++j) weights.middleCols(j * n, n) /= sum;
  }
}

// dl = p o (dp - <p, dp>), in place; the first token's dp is 0.
void apply_softmax_jacobian(const FloatBlock& block, const FloatMatrix& p, FloatMatrix& dl) {
  const Index n = block.columns, others = block.k - 1;
  FloatArray mean;
  for (Index r = 0; r < block.k; ++r) {
    const Index at = pair_column(block, r, 0);
    const auto weight = [&](Index j) { return p.middleCols(at + j * n, n).array(); };
    const auto change = [&](Index j) { return dl.middleCols(at + j * n, n).array(); };
    mean = weight(0) * change(0);
    for (Index j = 1; j < others; ++j) mean += weight(j) * change(j);
    for (Index j = 0; j < others; ++j) change(j) = weight(j) * (change(j) - mean);
  }
}

// The columns that fill up a block: a network says something of them.
void leave_out_filling(const FloatBlock& block, FloatMatrix& values) {
  for (Index token = 0; token < block.k; ++token)
    values.middleCols(token * block.columns + block.count, block.columns - block.count).setZero();
}

}  // namespace

StudentGradient& StudentGradient::operator+=(const StudentGradient& other) {
  loss += other.loss;
  gradient += other.gradient;
  w_sum += other.w_sum;
  return *this;
}

StudentLoss::StudentLoss(const StudentShape& shape, LossKind kind, const FloatMatrix& parameters)
    : shape_(shape),
      kind_(kind),
      parameters_(parameters),
      network_(shape.network, parameters),
      w_sum_(FloatMatrix::Zero(shape.d, shape.d)) {
  for (Index i = 0; i < shape.heads; ++i) w_sum_ += w_rows(i, 1);
}

double StudentLoss::scratch_bytes(const StudentShape& shape, Index k, Index columns) {
  const Index d = shape.d, m = shape.heads, pairs = k * (k - 1) * columns;
  // Patterns, their changes, pairs of tokens and temporaries of softmaxes; values; residual and its sum; and
  // four matrices of some heads.
  const Index of_pairs = 2 * m + (shape.theta == ThetaShape::diagonal ? d : 0);
  const Index some_heads = 4 * std::max(cached_floats, d * k * columns),
              network = shape.network.empty() ? 0 : (2 * shape.network.units + d) * k * columns;
  return 4 * static_cast<double>(of_pairs * pairs + 3 * m * columns + m * d * (k - 1) * columns +
                                 d * (k + 1) * columns + some_heads + network);
}

double StudentLoss::gradient_bytes(const StudentShape& shape) {
  return 4 * (shape.parameters() + static_cast<double>(shape.d * shape.d));
}

StudentGradient StudentLoss::zero() const {
  return {0, FloatMatrix::Zero(shape_.rows(), shape_.d), FloatMatrix::Zero(shape_.d, shape_.d)};
}

void StudentLoss::add(const FloatBlock& block, Scratch& scratch, StudentGradient& sum) const {
  add_logits(block, scratch);
  softmax_with_zero(block, scratch.p);
  predict(block, scratch);
  if (!shape_.network.empty()) {
    network_.apply(block, scratch.residual, scratch.network);
    scratch.residual -= block.y;
    leave_out_filling(block, scratch.residual);
  }
  if (kind_ == LossKind::squared) {
    sum.loss += static_cast<double>(scratch.residual.squaredNorm());
    scratch.residual *= 2;
  } else {
    sum.loss += static_cast<double>(scratch.residual.lpNorm<1>());
    scratch.residual = scratch.residual.cwiseSign();
  }
  if (!shape_.network.empty()) network_.add_gradient(scratch.residual, scratch.network, sum.gradient);
  add_w_gradient(block, scratch, sum);
  add_theta_gradient(block, scratch, sum.gradient);
}

void StudentLoss::finish(StudentGradient& sum) const {
  for (Index i = 0; i < shape_.heads; ++i)
    sum.gradient.middleRows(shape_.theta_rows() + i * shape_.d, shape_.d) += sum.w_sum;
}

// l into scratch.p.
void StudentLoss::add_logits(const FloatBlock& block, Scratch& scratch) const {
  const Index k = block.k, others = k - 1, n = block.columns, d = shape_.d, m = shape_.heads, r = shape_.rank;
  FloatMatrix& logits = scratch.p;
  if (shape_.theta == ThetaShape::diagonal) {
    scratch.pairs.resize(d, k * (k - 1) * n);
    for (Index row = 0; row < k; ++row)
      for (Index j = 0; j + 1 < k; ++j)
        scratch.pairs.middleCols(pair_column(block, row, j), n) =
            block.x.middleCols(row * n, n).cwiseProduct(block.differences.middleCols(j * n, n));
    logits.resize(m, k * (k - 1) * n);
    set_product(logits, parameters_.topRows(m), scratch.pairs);
    return;
  }
  logits.setZero(m, k * (k - 1) * n);
  const bool full = shape_.theta == ThetaShape::full;
  const Index rows = full ? d : r, at_once = heads_at_once(m, rows, k * n);
  for (Index first = 0; first < m; first += at_once) {
    const Index some = std::min(at_once, m - first);
    if (full) {
      set_product(scratch.right, parameters_.middleRows(first * d, some * d), block.differences);
    } else {
      set_product(scratch.left, parameters_.middleRows(first * r, some * r), block.x);
      set_product(scratch.right, parameters_.middleRows((m + first) * r, some * r), block.differences);
    }
    const auto logit = [&](Index i, Index row, Index j) {
      return logits.data() + (first + i) * logits.cols() + pair_column(block, row, j);
    };
    const auto right = [&](Index i, Index j) {
      return token_rows(std::as_const(scratch.right), i * rows, j, n);
    };
    if (full) {
      add_pair_products(
          k, [&](Index row) { return token_rows(block.x, 0, row, n); }, some * others,
          [&](Index t) { return right(t / others, t % others); }, d, n,
          [&](Index row, Index t) { return logit(t / others, row, t % others); });
    } else {
      for (Index i = 0; i < some; ++i)
        add_pair_products(
            k, [&](Index row) { return token_rows(std::as_const(scratch.left), i * r, row, n); }, others,
            [&](Index j) { return right(i, j); }, r, n, [&](Index row, Index j) { return logit(i, row, j); });
    }
  }
}

// V, and F(X) - Y, or F(X) alone where a network is behind it.
void StudentLoss::predict(const FloatBlock& block, Scratch& scratch) const {
  const Index k = block.k, others = k - 1, n = block.columns, d = shape_.d, m = shape_.heads;
  if (shape_.network.empty())
    scratch.residual = -block.y;
  else
    scratch.residual.setZero(d, k * n);
  set_product(scratch.u_sum, w_sum_, block.x.leftCols(n));
  for (Index row = 0; row < k; ++row) scratch.residual.middleCols(row * n, n) += scratch.u_sum;
  scratch.values.resize(m * d, (k - 1) * n);
  const Index at_once = heads_at_once(m, d, (k - 1) * n);
  for (Index first = 0; first < m; first += at_once) {
    const Index some = std::min(at_once, m - first);
    set_product(scratch.values.middleRows(first * d, some * d), w_rows(first, some), block.differences);
    for (Index row = 0; row < k; ++row)
      set_weighted_sum(
          some * others,
          [&](Index t) {
            return scratch.p.data() + (first + t / others) * scratch.p.cols() +
                   pair_column(block, row, t % others);
          },
          [&](Index t) {
            return token_rows(std::as_const(scratch.values), (first + t / others) * d, t % others, n);
          },
          d, n, token_rows(scratch.residual, 0, row, n), true);
  }
}

// The gradient of the W_i but for what they share, and u_r . V_ij into scratch.logit_change.
void StudentLoss::add_w_gradient(const FloatBlock& block, Scratch& scratch, StudentGradient& sum) const {
  const Index k = block.k, others = k - 1, n = block.columns, d = shape_.d, m = shape_.heads;
  const FloatMatrix& u = scratch.residual;
  scratch.u_sum = u.leftCols(n);
  for (Index row = 1; row < k; ++row) scratch.u_sum += u.middleCols(row * n, n);
  add_product(sum.w_sum, scratch.u_sum, block.x.leftCols(n).transpose());

  scratch.logit_change.setZero(m, k * (k - 1) * n);
  const Index at_once = heads_at_once(m, d, (k - 1) * n);
  for (Index first = 0; first < m; first += at_once) {
    const Index some = std::min(at_once, m - first);
    scratch.right.resize(some * d, others * n);
    const auto pair = [&](Index t, Index row) {
      return (first + t / others) * scratch.p.cols() + pair_column(block, row, t % others);
    };
    const auto residual = [&](Index row) { return token_rows(u, 0, row, n); };
    for (Index t = 0; t < some * others; ++t)
      set_weighted_sum(
          k, [&](Index row) { return scratch.p.data() + pair(t, row); }, residual, d, n,
          token_rows(scratch.right, t / others * d, t % others, n));
    add_pair_products(
        k, residual, some * others,
        [&](Index t) {
          return token_rows(std::as_const(scratch.values), (first + t / others) * d, t % others, n);
        },
        d, n, [&](Index row, Index t) { return scratch.logit_change.data() + pair(t, row); });
    add_product(sum.gradient.middleRows(shape_.theta_rows() + first * d, some * d), scratch.right,
                block.differences.transpose());
  }
}

void StudentLoss::add_theta_gradient(const FloatBlock& block, Scratch& scratch, FloatMatrix& gradient) const {
  apply_softmax_jacobian(block, scratch.p, scratch.logit_change);
  switch (shape_.theta) {
    case ThetaShape::diagonal:
      add_product(gradient.topRows(shape_.heads), scratch.logit_change, scratch.pairs.transpose());
      return;
    case ThetaShape::full:
      return add_full_gradient(block, scratch, gradient);
    case ThetaShape::low_rank:
      return add_factor_gradients(block, scratch, gradient);
  }
}

void StudentLoss::add_full_gradient(const FloatBlock& block, Scratch& scratch, FloatMatrix& gradient) const {
  const Index k = block.k, others = k - 1, n = block.columns, d = shape_.d, m = shape_.heads;
  const FloatMatrix& dl = scratch.logit_change;
  const Index at_once = heads_at_once(m, d, k * n);
  for (Index first = 0; first < m; first += at_once) {
    const Index some = std::min(at_once, m - first);
    scratch.right.resize(some * d, others * n);
    for (Index t = 0; t < some * others; ++t)
      set_weighted_sum(
          k,
          [&](Index row) {
            return dl.data() + (first + t / others) * dl.cols() + pair_column(block, row, t % others);
          },
          [&](Index row) { return token_rows(block.x, 0, row, n); }, d, n,
          token_rows(scratch.right, t / others * d, t % others, n));
    add_product(gradient.middleRows(first * d, some * d), scratch.right, block.differences.transpose());
  }
}

// l = (A^T x_r) . (B^T D_j), so each factor's gradient has the other factor's image of a token.
void StudentLoss::add_factor_gradients(const FloatBlock& block, Scratch& scratch,
                                       FloatMatrix& gradient) const {
  const Index k = block.k, others = k - 1, n = block.columns, m = shape_.heads, r = shape_.rank;
  const FloatMatrix& dl = scratch.logit_change;
  const Index at_once = heads_at_once(m, r, k * n);
  for (Index first = 0; first < m; first += at_once) {
    const Index some = std::min(at_once, m - first);
    set_product(scratch.left, parameters_.middleRows(first * r, some * r), block.x);
    set_product(scratch.right, parameters_.middleRows((m + first) * r, some * r), block.differences);
    scratch.left_change.resize(some * r, k * n);
    scratch.right_change.resize(some * r, others * n);
    for (Index i = 0; i < some; ++i) {
      const auto weight = [&](Index row, Index j) {
        return dl.data() + (first + i) * dl.cols() + pair_column(block, row, j);
      };
      for (Index row = 0; row < k; ++row)
        set_weighted_sum(
            others, [&](Index j) { return weight(row, j); },
            [&](Index j) { return token_rows(std::as_const(scratch.right), i * r, j, n); }, r, n,
            token_rows(scratch.left_change, i * r, row, n));
      for (Index j = 0; j < others; ++j)
        set_weighted_sum(
            k, [&](Index row) { return weight(row, j); },
            [&](Index row) { return token_rows(std::as_const(scratch.left), i * r, row, n); }, r, n,
            token_rows(scratch.right_change, i * r, j, n));
    }
    add_product(gradient.middleRows(first * r, some * r), scratch.left_change, block.x.transpose());
    add_product(gradient.middleRows((m + first) * r, some * r), scratch.right_change,
                block.differences.transpose());
  }
}

}  // namespace hardhead::learner
