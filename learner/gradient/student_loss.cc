#include "learner/gradient/student_loss.h"

#include <algorithm>

#include "attention/forward/matrix_product.h"
#include "learner/objective/lanes.h"

namespace hardhead::learner {
namespace {

// Where the pair of row r and difference j begins in a row of p.
Index pair_column(const FloatBlock& block, Index r, Index j) {
  return ((block.k - 1) * r + j) * block.columns;
}

// The numbers of a head, a row and a difference in a matrix laid out as p.
auto* pair_at(auto& matrix, const FloatBlock& block, Index head, Index r, Index j) {
  return matrix.data() + head * matrix.cols() + pair_column(block, r, j);
}

// What stays in the second-level cache.
constexpr Index cached_floats = 32 * 1024;

// body(first, some) for heads whose rows of `width` floats, `rows` for each, stay in the second-level cache.
void for_few_heads(Index heads, Index rows, Index width, const auto& body) {
  const auto at_once = std::clamp<Index>(cached_floats / std::max<Index>(1, rows * width), 1, heads);
  for (Index first = 0; first < heads; first += at_once) body(first, std::min(at_once, heads - first));
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
    : shape_(shape), kind_(kind), parameters_(parameters), w_sum_(FloatMatrix::Zero(shape.d, shape.d)) {
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
    apply_network(block, scratch);
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
  if (!shape_.network.empty()) add_network_gradient(scratch, sum.gradient);
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
  for_few_heads(m, full ? d : r, k * n, [&](Index first, Index some) {
    const auto logit = [&](Index i, Index row, Index j) { return pair_at(logits, block, first + i, row, j); };
    if (full) {
      set_product(scratch.right, parameters_.middleRows(first * d, some * d), block.differences);
      add_pair_products(
          k, tokens_of(block.x, 0, n), some * others,
          [&](Index t) { return token_rows_of(scratch.right, t / others * d, t % others, n); }, d, n,
          [&](Index row, Index t) { return logit(t / others, row, t % others); });
      return;
    }
    set_product(scratch.left, parameters_.middleRows(first * r, some * r), block.x);
    set_product(scratch.right, parameters_.middleRows((m + first) * r, some * r), block.differences);
    for (Index i = 0; i < some; ++i)
      add_pair_products(k, tokens_of(scratch.left, i * r, n), others, tokens_of(scratch.right, i * r, n), r,
                        n, [&](Index row, Index j) { return logit(i, row, j); });
  });
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
  for_few_heads(m, d, (k - 1) * n, [&](Index first, Index some) {
    set_product(scratch.values.middleRows(first * d, some * d), w_rows(first, some), block.differences);
    for (Index row = 0; row < k; ++row)
      set_weighted_sum(
          some * others,
          [&](Index t) { return pair_at(scratch.p, block, first + t / others, row, t % others); },
          [&](Index t) { return token_rows_of(scratch.values, (first + t / others) * d, t % others, n); }, d,
          n, token_rows_of(scratch.residual, 0, row, n), true);
  });
}

// Values of the network in place of those of the heads.
void StudentLoss::apply_network(const FloatBlock& block, Scratch& scratch) const {
  const NetworkShape& shape = shape_.network;
  const auto rows = network_rows();
  scratch.u = scratch.residual;
  if (shape.residual) scratch.u += block.x;
  set_product(scratch.hidden, rows.topRows(shape.units), scratch.u);
  const Eigen::VectorXf in_bias = shape.in_bias(rows);
  scratch.hidden = (scratch.hidden.colwise() + in_bias).cwiseMax(0).eval();
  set_product(scratch.residual, rows.middleRows(shape.first_out(), shape.units).transpose(), scratch.hidden);
  scratch.residual.colwise() += rows.row(shape.out_bias()).transpose();
  if (shape.residual) scratch.residual += scratch.u;
}

// The derivative of the loss by values of the heads in place of that by values of the network; adds that by
// the network's numbers to the last rows of `gradient`.
void StudentLoss::add_network_gradient(Scratch& scratch, FloatMatrix& gradient) const {
  const NetworkShape& shape = shape_.network;
  const auto rows = network_rows();
  FloatMatrix &change = scratch.residual, &inner = scratch.hidden_change;
  auto sum = gradient.bottomRows(rows.rows());
  add_product(sum.middleRows(shape.first_out(), shape.units), scratch.hidden, change.transpose());
  sum.row(shape.out_bias()) += change.rowwise().sum().transpose();
  set_product(inner, rows.middleRows(shape.first_out(), shape.units), change);
  inner = (scratch.hidden.array() > 0).select(inner, 0).eval();
  add_product(sum.topRows(shape.units), inner, scratch.u.transpose());
  shape.add_in_bias(inner.rowwise().sum(), gradient.bottomRows(rows.rows()));
  if (!shape.residual) change.setZero();
  add_product(change, rows.topRows(shape.units).transpose(), inner);
}

// The gradient of the W_i but for what they share, and u_r . V_ij into scratch.logit_change.
void StudentLoss::add_w_gradient(const FloatBlock& block, Scratch& scratch, StudentGradient& sum) const {
  const Index k = block.k, others = k - 1, n = block.columns, d = shape_.d, m = shape_.heads;
  const FloatMatrix& u = scratch.residual;
  scratch.u_sum = u.leftCols(n);
  for (Index row = 1; row < k; ++row) scratch.u_sum += u.middleCols(row * n, n);
  add_product(sum.w_sum, scratch.u_sum, block.x.leftCols(n).transpose());

  scratch.logit_change.setZero(m, k * (k - 1) * n);
  for_few_heads(m, d, (k - 1) * n, [&](Index first, Index some) {
    scratch.right.resize(some * d, others * n);
    const auto pair = [&](auto& matrix, Index t, Index row) {
      return pair_at(matrix, block, first + t / others, row, t % others);
    };
    const auto residual = tokens_of(u, 0, n);
    for (Index t = 0; t < some * others; ++t)
      set_weighted_sum(
          k, [&](Index row) { return pair(scratch.p, t, row); }, residual, d, n,
          token_rows_of(scratch.right, t / others * d, t % others, n));
    add_pair_products(
        k, residual, some * others,
        [&](Index t) { return token_rows_of(scratch.values, (first + t / others) * d, t % others, n); }, d, n,
        [&](Index row, Index t) { return pair(scratch.logit_change, t, row); });
    add_product(sum.gradient.middleRows(shape_.theta_rows() + first * d, some * d), scratch.right,
                block.differences.transpose());
  });
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
  for_few_heads(m, d, k * n, [&](Index first, Index some) {
    scratch.right.resize(some * d, others * n);
    for (Index t = 0; t < some * others; ++t)
      set_weighted_sum(
          k, [&](Index row) { return pair_at(dl, block, first + t / others, row, t % others); },
          tokens_of(block.x, 0, n), d, n, token_rows_of(scratch.right, t / others * d, t % others, n));
    add_product(gradient.middleRows(first * d, some * d), scratch.right, block.differences.transpose());
  });
}

// l = (A^T x_r) . (B^T D_j), so each factor's gradient has the other factor's image of a token.
void StudentLoss::add_factor_gradients(const FloatBlock& block, Scratch& scratch,
                                       FloatMatrix& gradient) const {
  const Index k = block.k, others = k - 1, n = block.columns, m = shape_.heads, r = shape_.rank;
  const FloatMatrix& dl = scratch.logit_change;
  for_few_heads(m, r, k * n, [&](Index first, Index some) {
    set_product(scratch.left, parameters_.middleRows(first * r, some * r), block.x);
    set_product(scratch.right, parameters_.middleRows((m + first) * r, some * r), block.differences);
    scratch.left_change.resize(some * r, k * n);
    scratch.right_change.resize(some * r, others * n);
    for (Index i = 0; i < some; ++i) {
      const auto weight = [&](Index row, Index j) { return pair_at(dl, block, first + i, row, j); };
      for (Index row = 0; row < k; ++row)
        set_weighted_sum(
            others, [&](Index j) { return weight(row, j); }, tokens_of(scratch.right, i * r, n), r, n,
            token_rows_of(scratch.left_change, i * r, row, n));
      for (Index j = 0; j < others; ++j)
        set_weighted_sum(
            k, [&](Index row) { return weight(row, j); }, tokens_of(scratch.left, i * r, n), r, n,
            token_rows_of(scratch.right_change, i * r, j, n));
    }
    add_product(gradient.middleRows(first * r, some * r), scratch.left_change, block.x.transpose());
    add_product(gradient.middleRows((m + first) * r, some * r), scratch.right_change,
                block.differences.transpose());
  });
}

}  // namespace hardhead::learner
