#include "attention/forward/token_products.h"

#include "attention/kernels/token_kernels.h"

namespace hardhead::attention {
namespace {

std::size_t size(Index number) {
  return static_cast<std::size_t>(number);
}

std::size_t rows_apart(const Eigen::Ref<const RowMatrix>& matrix) {
  return size(matrix.outerStride());
}

// Weights of the pair (a, b) of tokens of example n: data[a of_a + b of_b + n].
struct Weights {
  const double* data;
  std::size_t of_a, of_b;
};

ExampleProducts mixtures(const Weights& weights, const Eigen::Ref<const RowMatrix>& tokens, Index k,
                         Index count, Eigen::Ref<RowMatrix>& out) {
  return {.rows = size(k),
          .columns = size(tokens.rows()),
          .terms = size(k),
          .count = size(count),
          .left = weights.data,
          .left_row = weights.of_a,
          .left_term = weights.of_b,
          .right = tokens.data(),
          .right_column = rows_apart(tokens),
          .right_term = size(count),
          .out = out.data(),
          .out_row = size(count),
          .out_column = size(out.outerStride())};
}

Logits columns_of(Eigen::Ref<RowMatrix>& matrix) {
  return {matrix.data(), size(matrix.outerStride()), size(matrix.rows()), size(matrix.cols())};
}

}  // namespace

void token_products(Eigen::Ref<const RowMatrix> left, Eigen::Ref<const RowMatrix> right, Index k, Index count,
                    Eigen::Ref<RowMatrix> out) {
  example_products({.rows = size(k),
                    .columns = size(k),
                    .terms = size(left.rows()),
                    .count = size(count),
                    .left = left.data(),
                    .left_row = size(count),
                    .left_term = rows_apart(left),
                    .right = right.data(),
                    .right_column = size(count),
                    .right_term = rows_apart(right),
                    .out = out.data(),
                    .out_row = size(count),
                    .out_column = size(out.outerStride())});
}

void token_mixtures(Eigen::Ref<const RowMatrix> weight, Eigen::Ref<const RowMatrix> tokens, Index k,
                    Index count, Eigen::Ref<RowMatrix> out) {
  example_products(mixtures({weight.data(), size(count), rows_apart(weight)}, tokens, k, count, out));
}

void add_token_mixtures(Eigen::Ref<const RowMatrix> weight, Eigen::Ref<const RowMatrix> tokens, Index k,
                        Index count, Eigen::Ref<RowMatrix> out) {
  ExampleProducts products =
      mixtures({weight.data(), size(count), rows_apart(weight)}, tokens, k, count, out);
  products.add = true;
  example_products(products);
}

void token_mixtures_adjoint(Eigen::Ref<const RowMatrix> weight, Eigen::Ref<const RowMatrix> tokens, Index k,
                            Index count, Eigen::Ref<RowMatrix> out) {
  example_products(mixtures({weight.data(), rows_apart(weight), size(count)}, tokens, k, count, out));
}

void softmax(Eigen::Ref<RowMatrix> logits) {
  softmax_columns(columns_of(logits));
}

void softmax_jacobian(Eigen::Ref<const RowMatrix> p, Eigen::Ref<RowMatrix> v) {
  softmax_jacobian_columns(p.data(), rows_apart(p), columns_of(v));
}

}  // namespace hardhead::attention
