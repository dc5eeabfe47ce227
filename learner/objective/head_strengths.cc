#include "learner/objective/head_strengths.h"

#include <tbb/enumerable_thread_specific.h>

#include <algorithm>

#include "attention/forward/token_products.h"
#include "base/run/parallel.h"
#include "learner/objective/blocks.h"
#include "learner/objective/orthonormal.h"
#include "learner/objective/ridge_solve.h"

namespace hardhead::learner {

using namespace attention;

namespace {

constexpr int rounds = 3;  // singular values above the noise are then right to a few percent
// Noise alone seldom has neighbouring singular values of a larger ratio (d = 6 .. 32, from 8 times the
// pattern bound of examples on).
constexpr double outstanding_ratio = 1.2;
constexpr double vanishing = 1e-9;  // relative
constexpr double least_strength = 1e-300;

// x_r and the mean of an example's tokens on top of each other: (2 d) x (k count).
void affine_features(const Block& block, RowMatrix& out) {
  const Index d = block.d(), k = block.k, count = block.count;
  out.resize(2 * d, k * count);
  out.topRows(d) = block.x;
  auto means = out.bottomRows(d);
  means.leftCols(count) = block.token(0);
  for (Index j = 1; j < k; ++j) means.leftCols(count) += block.token(j);
  means.leftCols(count) /= static_cast<double>(k);
  for (Index j = 1; j < k; ++j) means.middleCols(j * count, count) = means.leftCols(count);
}

// d x d matrices on top of each other as columns of d^2 entries, and back.
Matrix as_columns(const Matrix& stacked) {
  const Index d = stacked.cols(), count = stacked.rows() / d;
  Matrix out(d * d, count);
  for (Index i = 0; i < count; ++i) out.col(i) = stacked.middleRows(i * d, d).reshaped();
  return out;
}

Matrix as_stack(const Matrix& columns, Index d) {
  Matrix out(columns.cols() * d, d);
  for (Index i = 0; i < columns.cols(); ++i) out.middleRows(i * d, d) = columns.col(i).reshaped(d, d);
  return out;
}

// Entries (a, b) with b <= a of symmetric d x d matrices.
Index triangle(Index d) {
  return d * (d + 1) / 2;
}

// Whether the d^2 x d^2 matrix of A takes fewer multiplications than passes over the examples.
bool as_matrix(Index d, Index k, Index count) {
  return triangle(d) <= (2 * rounds + 1) * 2 * k * count;
}

// The map A and its adjoint on d x d matrices, columns of d^2 entries: Theta^T to A(Theta).
class FirstOrder {
 public:
  // For so many matrices at once.
  FirstOrder(const std::vector<Block>& blocks, Index count, const StopToken& stop)
      : blocks_(blocks), stop_(stop) {
    const Index d = blocks.front().d();
    struct Normal {
      Matrix gram, right;
      double rows = 0;
    };
    const Normal sum = reduce(
        Normal{Matrix::Zero(2 * d, 2 * d), Matrix::Zero(2 * d, d)},
        [&](Normal& part, const Block& block, Scratch& scratch) {
          affine_features(block, scratch.features);
          part.gram.noalias() += scratch.features * scratch.features.transpose();
          part.right.noalias() += scratch.features * block.y.transpose();
          part.rows += static_cast<double>(block.x.cols());
        },
        [](Normal& left, const Normal& right) {
          left.gram += right.gram;
          left.right += right.right;
          left.rows += right.rows;
        });
    affine_ = ridge_solve(sum.gram, sum.right, stop);
    rows_ = sum.rows;
    if (as_matrix(d, blocks.front().k, count)) make_matrix();
  }

  Matrix image(const Matrix& columns) const {
    if (matrix_.size() > 0) return matrix_ * columns;
    const Matrix forms = as_stack(columns, affine_.cols());
    return as_columns(summed(Matrix::Zero(forms.rows(), forms.cols()),
                             [&](Matrix& part, const Block& block, Scratch& scratch) {
                               scratch.heads.noalias() = forms * block.x;
                               replace_by_mixtures(block, scratch.heads, scratch);
                               part.noalias() += scratch.heads * scratch.residual.transpose();
                             }));
  }

  Matrix adjoint(const Matrix& columns) const {
    if (matrix_.size() > 0) return matrix_.transpose() * columns;
    const Matrix projections = as_stack(columns, affine_.cols());
    return as_columns(summed(Matrix::Zero(projections.rows(), projections.cols()),
                             [&](Matrix& part, const Block& block, Scratch& scratch) {
                               scratch.heads.noalias() = projections * scratch.residual;
                               replace_by_mixtures(block, scratch.heads, scratch);
                               part.noalias() += scratch.heads * block.x.transpose();
                             }));
  }

 private:
  struct Scratch {
    RowMatrix features, residual, heads, uniform, logits, spreads, sums;
  };

  // A(Theta)_af = sum_bc C_ab Theta_cb S_cf, summed over the examples, with S = sum_r x_r u_r^T: the entries
  // are those of one product of all C and all S.
  void make_matrix() {
    const Index d = affine_.cols();
    const Matrix moments =
        summed(Matrix::Zero(triangle(d), d * d), [](Matrix& part, const Block& block, Scratch& scratch) {
          take_spreads(block, scratch);
          take_sums(block, scratch);
          part.noalias() += scratch.spreads * scratch.sums.transpose();
        });
    matrix_.resize(d * d, d * d);
    for (Index a = 0; a < d; ++a)
      for (Index b = 0; b < d; ++b)
        for (Index f = 0; f < d; ++f)
          for (Index c = 0; c < d; ++c)
            matrix_(a + d * f, b + d * c) = moments(triangle(std::max(a, b)) + std::min(a, b), c * d + f);
  }

  // C(X) of each example, a column each.
  static void take_spreads(const Block& block, Scratch& scratch) {
    const Index d = block.d(), count = block.count;
    const auto means = scratch.features.bottomLeftCorner(d, count);
    scratch.spreads.resize(triangle(d), count);
    for (Index a = 0; a < d; ++a)
      for (Index b = 0; b <= a; ++b) {
        auto row = scratch.spreads.row(triangle(a) + b).array();
        row = -means.row(a).array() * means.row(b).array();
        for (Index j = 0; j < block.k; ++j)
          row += block.token(j).row(a).array() * block.token(j).row(b).array() / static_cast<double>(block.k);
      }
  }

  // S of each example, a column each.
  static void take_sums(const Block& block, Scratch& scratch) {
    const Index d = block.d(), count = block.count;
    scratch.sums.setZero(d * d, count);
    for (Index c = 0; c < d; ++c)
      for (Index f = 0; f < d; ++f)
        for (Index r = 0; r < block.k; ++r)
          scratch.sums.row(c * d + f).array() +=
              block.token(r).row(c).array() * scratch.residual.row(f).segment(r * count, count).array();
  }

  template <class Value, class Add, class Join>
  Value reduce(const Value& zero, const Add& add, const Join& join) const {
    return deterministic_reduce(
        static_cast<std::int64_t>(blocks_.size()), blocks_a_run, zero,
        [&](Value& part, std::int64_t b) {
          stop_.check();
          add(part, blocks_[static_cast<std::size_t>(b)], scratch_.local());
        },
        join);
  }

  template <class Add>
  Matrix summed(const Matrix& zero, const Add& add) const {
    return reduce(
               zero,
               [&](Matrix& part, const Block& block, Scratch& scratch) {
                 affine_features(block, scratch.features);
                 scratch.residual = block.y;
                 scratch.residual.noalias() -= affine_.transpose() * scratch.features;
                 add(part, block, scratch);
               },
               [](Matrix& left, const Matrix& right) { left += right; }) /
           rows_;
  }

  // Of each d rows t, the columns sum_j dl_rj x_j with l_rj = <t_r, x_j> and dl = uniform attention's change.
  static void replace_by_mixtures(const Block& block, RowMatrix& heads, Scratch& scratch) {
    const Index d = block.d(), k = block.k, columns = k * block.count;
    scratch.uniform.setConstant(k, columns, 1 / static_cast<double>(k));
    scratch.logits.resize(k, columns);
    for (Index row = 0; row < heads.rows(); row += d) {
      token_products(heads.middleRows(row, d), block.x, k, block.count, scratch.logits);
      softmax_jacobian(scratch.uniform, scratch.logits);
      token_mixtures(scratch.logits, block.x, k, block.count, heads.middleRows(row, d));
    }
  }

  const std::vector<Block>& blocks_;
  StopToken stop_;
  Matrix affine_;  // (2 d) x d
  double rows_ = 0;
  Matrix matrix_;  // of A; empty if passes are cheaper
  mutable tbb::enumerable_thread_specific<Scratch> scratch_;
};

}  // namespace

Index outstanding_heads(const Vector& strengths) {
  Index count = 0;
  double largest = outstanding_ratio;
  for (Index i = 1; i < strengths.size(); ++i)
    // Values that are 0 say something of the tokens, as where d is 2, and nothing of noise.
    if (strengths(i) > vanishing * strengths(0) && strengths(i - 1) > largest * strengths(i)) {
      largest = strengths(i - 1) / strengths(i);
      count = i;
    }
  return count;
}

LeadingHeads leading_heads(const std::vector<Block>& blocks, Index most, const Stream& stream,
                           const RunContext& context) {
  const Index d = blocks.front().d(), count = std::min(most, d * d);
  const FirstOrder map(blocks, count, context.stop);
  Matrix basis(d * d, count);
  std::vector<double> numbers(static_cast<std::size_t>(basis.size()));
  stream.normals(0, numbers);
  basis = orthonormal(Eigen::Map<const Matrix>(numbers.data(), d * d, count));
  int products = 0;
  const auto advanced = [&](Matrix product) {
    context.progress.report("first_order", ++products / (2.0 * rounds + 1));
    return product;
  };
  Matrix image = advanced(map.image(basis));
  for (int round = 0; round < rounds; ++round) {
    basis = orthonormal(advanced(map.adjoint(image)));
    image = advanced(map.image(basis));
  }
  const Eigen::SelfAdjointEigenSolver<Matrix> squares(image.transpose() * image);
  const Matrix turn = squares.eigenvectors().rowwise().reverse();
  const Vector strengths = squares.eigenvalues().reverse().cwiseMax(0).cwiseSqrt();
  return {strengths, as_stack(basis * turn, d),
          as_stack(image * turn *
                       strengths.cwiseMax(std::max(vanishing * strengths(0), least_strength))
                           .cwiseInverse()
                           .asDiagonal(),
                   d)};
}

double head_strengths_bytes(const PassShape& shape, std::int64_t examples) {
  const auto [d, k, count, signs] = shape;
  const double square = 8 * static_cast<double>(d * d), all = static_cast<double>(count) * square;
  const double column = 8 * static_cast<double>(k * block_size);
  const double scratch = column * static_cast<double>((count + 3) * d + 2 * k);
  const auto sums = static_cast<double>(most_partial_results(blocks_of(examples), blocks_a_run));
  // The image, the basis, what a factorization has of both, and the answer; normal equations in 2 d unknowns.
  constexpr double copies = 8;
  double matrix = 0;  // with its sums, and what a block adds to them
  if (as_matrix(d, k, count)) {
    const auto pairs = static_cast<double>(triangle(d)), entries = static_cast<double>(d * d);
    matrix = 8 * ((sums + 2) * pairs * entries + entries * entries) +
             threads() * 8 * static_cast<double>(block_size) * (pairs + entries);
  }
  return threads() * scratch + (sums + copies) * (all + 6 * square) + matrix;
}

}  // namespace hardhead::learner
