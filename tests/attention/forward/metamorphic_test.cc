#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "attention/forward/forward.h"
#include "attention/samples/inputs.h"

namespace hardhead::attention {
namespace {

/// Changes of layers and inputs that change F in a known way. All entries are multiples of 2^-12 below 2^6,
/// so that the changes themselves (sums, and products with matrices of entries 0, +-1/2, +-1) are exact in
/// double: what differs is the rounding of the two forward passes alone, and that is bounded below.
constexpr double grid = 0x1p-12;

double on_grid(double x) {
  return std::round(x / grid) * grid;
}

struct Case {
  Index d, k, m;
  Inputs inputs;
  double theta_scale = 0.3;
};

std::string name_of_case(const testing::TestParamInfo<Case>& row) {
  return fmt::format("{}_d{}_k{}_m{}", name_of(row.param.inputs), row.param.d, row.param.k, row.param.m);
}

Head random_head(Index d, double theta_scale, std::uint64_t seed) {
  const Stream stream(Domain::instance, seed);
  Head head{Matrix(d, d), Matrix(d, d)};
  stream.normals(0, {head.theta.data(), static_cast<std::size_t>(d * d)});
  stream.normals(1, {head.w.data(), static_cast<std::size_t>(d * d)});
  head.theta = (theta_scale * head.theta).unaryExpr(&on_grid);
  head.w = head.w.unaryExpr(&on_grid);
  return head;
}

Layer random_layer(const Case& c, std::uint64_t seed = 1) {
  Layer layer{c.d, {}};
  for (Index i = 0; i < c.m; ++i)
    layer.heads.push_back(random_head(c.d, c.theta_scale, 100 * seed + static_cast<std::uint64_t>(i)));
  return layer;
}

Block random_block(const Case& c, Index count = 37) {
  Block block(c.d, c.k, count);
  draw_tokens(c.inputs, Stream(Domain::test, 7), 0, block);
  block.x = block.x.unaryExpr(&on_grid);
  return block;
}

/// F of the block's tokens, by a layer.
RowMatrix outputs(const Layer& layer, Block block) {
  Forward::Workspace workspace;
  Forward(layer).apply(block, workspace);
  return block.y;
}

/// A bound of the rounding error of each entry of outputs(). With u = 2^-53 and A = max_j sum_ab |x_ra
/// Theta_ab x_jb|:
///
///     logits          two sums of d products each          2d u A
///     minus largest   the other logit's error, and one     2d u A + 2 u A   (|difference| <= 2 A)
///     exp             3 u, so that a weight is off by the factor 1 + e, e = (4d + 2) A u + 3 u
///     pattern         e of the weight and of their sum, k sums, an inverse, a product: 2 e + (k + 2) u
///     output          a sum of d products with W, one of k with the pattern, one of m heads, in either
///     order:
///                     (d + k + m) u more (d m + k where the heads' products are one sum)
///
/// of max_j sum_a |x_ja W_ab|, the most that the mean of values can be; 1 % more for products of these
/// errors.
RowMatrix error_bound(const Layer& layer, const Block& block) {
  constexpr double u = std::numeric_limits<double>::epsilon() / 2;
  const Index d = layer.d, k = block.k;
  RowMatrix out = RowMatrix::Zero(d, block.x.cols());
  const RowMatrix size = block.x.cwiseAbs();
  for (const Head& head : layer.heads) {
    const RowMatrix queries = head.theta.cwiseAbs().transpose() * size;  // sum_a |x_ra Theta_ab|
    const RowMatrix values = head.w.cwiseAbs().transpose() * size;
    for (Index n = 0; n < block.count; ++n)
      for (Index r = 0; r < k; ++r) {
        double logit = 0;
        Vector value = Vector::Zero(d);
        for (Index j = 0; j < k; ++j) {
          logit = std::max(logit, queries.col(block.column(r, n)).dot(size.col(block.column(j, n))));
          value = value.cwiseMax(values.col(block.column(j, n)));
        }
        const auto terms = static_cast<double>(d * layer.m() + k + layer.m());
        const double weight = static_cast<double>(4 * d + 2) * logit + 3;
        out.col(block.column(r, n)) += 1.01 * u * (2 * weight + static_cast<double>(k) + 2 + terms) * value;
      }
  }
  return out;
}

void expect_within(const RowMatrix& x, const RowMatrix& y, const RowMatrix& bound) {
  ASSERT_GT(y.cwiseAbs().maxCoeff(), 0);
  ASSERT_LT(bound.maxCoeff(), 1e-8 * y.cwiseAbs().maxCoeff()) << "the bound says nothing";
  EXPECT_LE(((x - y).cwiseAbs() - bound).maxCoeff(), 0)
      << "largest difference " << (x - y).cwiseAbs().maxCoeff() << ", largest bound " << bound.maxCoeff();
}

/// Two layers that are one function.
void expect_same_function(const Layer& one, const Layer& other, const Block& block) {
  expect_within(outputs(one, block), outputs(other, block),
                error_bound(one, block) + error_bound(other, block));
}

std::vector<Index> shuffled(Index count) {
  std::vector<Index> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::rotate(order, order.begin() + count / 2);
  if (count > 2) std::swap(order[0], order[1]);
  return order;
}

/// A signed permutation of the features: tokens of signs stay such.
Matrix signed_permutation(Index d) {
  Matrix q = Matrix::Zero(d, d);
  const auto order = shuffled(d);
  for (Index a = 0; a < d; ++a) q(a, order[static_cast<std::size_t>(a)]) = a % 3 == 1 ? -1 : 1;
  return q;
}

/// A rotation that mixes features by fours, with entries +-1/2: tokens of signs become others.
Matrix mixing(Index d) {
  Matrix q = Matrix::Identity(d, d), four(4, 4);
  four << 1, 1, 1, 1, 1, -1, 1, -1, 1, 1, -1, -1, 1, -1, -1, 1;
  for (Index a = 0; a + 4 <= d; a += 4) q.block(a, a, 4, 4) = four / 2;
  return q * signed_permutation(d);
}

Layer rotated(Layer layer, const Matrix& q) {
  for (Head& head : layer.heads) {
    head.theta = (q.transpose() * head.theta * q).eval();
    head.w = (q.transpose() * head.w * q).eval();
  }
  return layer;
}

/// The tokens X Q; columns of block.x are tokens.
Block rotated(Block block, const Matrix& q) {
  block.x = (q.transpose() * block.x).eval();
  return block;
}

class Metamorphic : public testing::TestWithParam<Case> {};
class MetamorphicOfSigns : public testing::TestWithParam<Case> {};

TEST_P(Metamorphic, PermutedTokensPermuteTheRows) {
  const Layer layer = random_layer(GetParam());
  const Block block = random_block(GetParam());
  const auto order = shuffled(block.k);
  const auto permuted = [&](const RowMatrix& from) {
    RowMatrix to(from.rows(), from.cols());
    for (Index a = 0; a < block.k; ++a)
      to.middleCols(a * block.count, block.count) =
          from.middleCols(order[static_cast<std::size_t>(a)] * block.count, block.count);
    return to;
  };
  Block other = block;
  other.x = permuted(block.x);
  expect_within(outputs(layer, other), permuted(outputs(layer, block)),
                error_bound(layer, other) + permuted(error_bound(layer, block)));
}

TEST_P(Metamorphic, RotatedFeaturesRotateTheOutputs) {
  const Layer layer = random_layer(GetParam());
  const Block block = random_block(GetParam());
  for (const Matrix& q : {signed_permutation(layer.d), mixing(layer.d)}) {
    ASSERT_EQ(q.transpose() * q, Matrix::Identity(layer.d, layer.d));
    const Layer other = rotated(layer, q);
    const Block tokens = rotated(block, q);
    constexpr double u = std::numeric_limits<double>::epsilon() / 2;
    const RowMatrix y = outputs(layer, block), turned = q.transpose() * y;
    const RowMatrix own = q.cwiseAbs().transpose() * error_bound(layer, block);
    // Outputs are on no grid: turning them rounds sums of four.
    const RowMatrix turning = 4 * u * (q.cwiseAbs().transpose() * y.cwiseAbs());
    expect_within(outputs(other, tokens), turned, error_bound(other, tokens) + own + turning);
  }
}

TEST_P(Metamorphic, OutputsAreLinearInW) {
  const Block block = random_block(GetParam());
  const Layer one = random_layer(GetParam(), 1), two = random_layer(GetParam(), 2);
  Layer with_two = one, sum = one;
  for (std::size_t i = 0; i < sum.heads.size(); ++i) {
    with_two.heads[i].w = two.heads[i].w;
    sum.heads[i].w = 3 * one.heads[i].w - two.heads[i].w;
  }
  constexpr double u = std::numeric_limits<double>::epsilon() / 2;
  const RowMatrix y = outputs(one, block), z = outputs(with_two, block);
  const RowMatrix summing = 2 * u * (3 * y.cwiseAbs() + z.cwiseAbs());
  expect_within(
      outputs(sum, block), 3 * y - z,
      error_bound(sum, block) + 3 * error_bound(one, block) + error_bound(with_two, block) + summing);
}

TEST_P(Metamorphic, AHeadSplitInTwoIsTheSameLayer) {
  const Layer layer = random_layer(GetParam());
  Layer split = layer;
  const Matrix part = random_head(layer.d, 1, 9).w;
  split.heads.push_back({layer.heads[0].theta, part});
  split.heads[0].w -= part;
  expect_same_function(layer, split, random_block(GetParam()));
}

TEST_P(Metamorphic, PermutedHeadsAreTheSameLayer) {
  const Layer layer = random_layer(GetParam());
  Layer permuted{layer.d, {}};
  for (const Index i : shuffled(layer.m()))
    permuted.heads.push_back(layer.heads[static_cast<std::size_t>(i)]);
  expect_same_function(layer, permuted, random_block(GetParam()));
}

// With two tokens, attention by -Theta is what attention by Theta leaves: P_{-Theta} = J - P_Theta, J all
// ones, and J X W = P_0 X (2 W).
TEST_P(Metamorphic, OfTwoTokensTheNegativeThetaIsTheComplement) {
  Case c = GetParam();
  c.k = 2;
  Layer pairs{c.d, {}}, others{c.d, {}};
  for (const Head& head : random_layer(c).heads) {
    const Matrix second = random_head(c.d, 1, 9 + static_cast<std::uint64_t>(pairs.m())).w;
    pairs.heads.push_back(head);
    pairs.heads.push_back({-head.theta, second});
    others.heads.push_back({head.theta, head.w - second});
    others.heads.push_back({Matrix::Zero(c.d, c.d), 2 * second});
  }
  expect_same_function(pairs, others, random_block(c));
}

TEST_P(Metamorphic, EqualTokensGiveTheirProductWithWSum) {
  const Layer layer = random_layer(GetParam());
  Block block = random_block(GetParam());
  for (Index a = 1; a < block.k; ++a)
    block.x.middleCols(a * block.count, block.count) = block.token(0).eval();
  const RowMatrix exact = layer.w_sum().transpose() * block.x;
  expect_within(outputs(layer, block), exact, error_bound(layer, block));
}

// Where <v, x_j> is one number for all tokens of an example, u v^T adds one number to all logits of a row.
TEST_P(Metamorphic, LogitsMovedTogetherMoveNothing) {
  const Layer layer = random_layer(GetParam());
  Block block = random_block(GetParam());
  for (Index a = 1; a < block.k; ++a)
    block.x.row(0).segment(a * block.count, block.count) = block.x.row(0).head(block.count).eval();
  Layer moved = layer;
  for (Head& head : moved.heads) head.theta.col(0) += random_head(layer.d, 2, 11).theta.col(0);
  expect_same_function(layer, moved, block);
  const Matrix q = mixing(layer.d);  // v = q^T e_0
  expect_same_function(rotated(layer, q), rotated(moved, q), rotated(block, q));
}

// One token that is not of signs makes the whole block take the kernels of other inputs.
TEST_P(MetamorphicOfSigns, TheKernelsForSignsAndThePlainOnesAgree) {
  const Layer layer = random_layer(GetParam());
  const Block block = random_block(GetParam());
  Block plain(block.d(), block.k, block.count + 1);
  plain.x.setZero();
  for (Index a = 0; a < block.k; ++a) plain.x.middleCols(plain.column(a, 0), block.count) = block.token(a);
  ASSERT_TRUE(Signs().take(block.x));
  ASSERT_FALSE(Signs().take(plain.x));
  const RowMatrix y = outputs(layer, plain);
  RowMatrix of_block(block.d(), block.x.cols());
  for (Index a = 0; a < block.k; ++a)
    of_block.middleCols(a * block.count, block.count) = y.middleCols(plain.column(a, 0), block.count);
  expect_within(outputs(layer, block), of_block, 2 * error_bound(layer, block));
}

const auto sign_cases =
    testing::Values(Case{4, 2, 1, Inputs::boolean}, Case{5, 3, 2, Inputs::boolean},
                    Case{16, 2, 12, Inputs::boolean}, Case{9, 5, 3, Inputs::boolean, 1.0});
const auto other_cases = testing::Values(Case{4, 2, 2, Inputs::gaussian}, Case{7, 4, 3, Inputs::gaussian},
                                         Case{16, 3, 12, Inputs::gaussian, 0.1},
                                         Case{8, 2, 4, Inputs::sphere}, Case{3, 6, 2, Inputs::sphere, 1.0});

INSTANTIATE_TEST_SUITE_P(Signs, Metamorphic, sign_cases, name_of_case);
INSTANTIATE_TEST_SUITE_P(Signs, MetamorphicOfSigns, sign_cases, name_of_case);
INSTANTIATE_TEST_SUITE_P(Others, Metamorphic, other_cases, name_of_case);

}  // namespace
}  // namespace hardhead::attention
