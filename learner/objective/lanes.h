#pragma once
#include <cstring>

#include "attention/forward/block.h"

/// The sums over features that heads take for every pair of tokens in single precision, `lane` examples at a
/// time. All matrices are rows of `columns` examples, a multiple of `lane`; `stride` is how far a row is from
/// the next one.
namespace hardhead::learner {

/// Examples that are worked on at a time.
inline constexpr attention::Index lane = 16;

/// Rows of examples inside a larger matrix.
struct Rows {
  const float* data;        ///< the first example of the first row
  attention::Index stride;  ///< floats from a row to the next
};

/// The same, to be written.
struct MutableRows {
  float* data;              ///< the first example of the first row
  attention::Index stride;  ///< floats from a row to the next
};

namespace detail {

/// Eight floats at once: a register of AVX2, two of SSE2.
using Eight = float __attribute__((vector_size(32)));

inline Eight load(const float* from) {
  Eight out;
  std::memcpy(&out, from, sizeof out);
  return out;
}

inline void store(float* to, const Eight& eight) {
  std::memcpy(to, &eight, sizeof eight);
}

}  // namespace detail

/// out[n] += sum_f left[f][n] right[f][n].
inline void add_row_products(Rows left, Rows right, attention::Index features, attention::Index columns,
                             float* out) {
  for (attention::Index n = 0; n < columns; n += lane) {
    detail::Eight low = detail::load(out + n), high = detail::load(out + n + 8);
    const float *a = left.data + n, *b = right.data + n;
    for (attention::Index f = 0; f < features; ++f, a += left.stride, b += right.stride) {
      low += detail::load(a) * detail::load(b);
      high += detail::load(a + 8) * detail::load(b + 8);
    }
    detail::store(out + n, low);
    detail::store(out + n + 8, high);
  }
}

/// out[f][n] += weight[n] rows[f][n].
inline void add_weighted_rows(const float* weight, Rows rows, attention::Index features,
                              attention::Index columns, MutableRows out) {
  for (attention::Index n = 0; n < columns; n += lane) {
    const detail::Eight low = detail::load(weight + n), high = detail::load(weight + n + 8);
    const float* a = rows.data + n;
    float* b = out.data + n;
    for (attention::Index f = 0; f < features; ++f, a += rows.stride, b += out.stride) {
      detail::store(b, detail::load(b) + low * detail::load(a));
      detail::store(b + 8, detail::load(b + 8) + high * detail::load(a + 8));
    }
  }
}

/// Examples of a block with those that fill up its last lane.
inline attention::Index whole_lanes(attention::Index count) {
  return (count + lane - 1) / lane * lane;
}

/// A block of tokens, or of what heads make of them (Block), with k `columns` columns in place of k count.
/// What fills up is 0, and stays so where `to` is written again.
inline void take_columns(const attention::RowMatrix& from, attention::Index k, attention::Index count,
                         attention::Index columns, attention::FloatMatrix& to) {
  if (to.size() == 0) to.setZero(from.rows(), k * columns);
  for (attention::Index a = 0; a < k; ++a)
    to.middleCols(a * columns, count) = from.middleCols(a * count, count).cast<float>();
}

/// Token `token` of a matrix from row `first` on.
inline Rows token_rows_of(const attention::FloatMatrix& matrix, attention::Index first,
                          attention::Index token, attention::Index columns) {
  return {matrix.data() + first * matrix.cols() + token * columns, matrix.cols()};
}
/// The same, to be written.
inline MutableRows token_rows_of(attention::FloatMatrix& matrix, attention::Index first,
                                 attention::Index token, attention::Index columns) {
  return {matrix.data() + first * matrix.cols() + token * columns, matrix.cols()};
}

/// body(row, j) for all pairs of an example's tokens.
template <class Body>
void for_token_pairs(attention::Index k, const Body& body) {
  for (attention::Index j = 0; j < k; ++j)
    for (attention::Index row = 0; row < k; ++row) body(row, j);
}

}  // namespace hardhead::learner
