#pragma once
#include <array>
#include <cstring>

#include "attention/forward/block.h"
#include "learner/attention_names.h"

/// The sums over features that heads take for every pair of tokens in single precision, `lane` examples at a
/// time. All matrices are rows of `columns` examples, a multiple of `lane`; `stride` is how far a row is from
/// the next one.
namespace hardhead::learner {

/// Examples that are worked on at a time.
inline constexpr Index lane = 16;

/// Rows of examples inside a larger matrix.
struct Rows {
  const float* data;  ///< the first example of the first row
  Index stride;       ///< floats from a row to the next
};

/// The same, to be written.
struct MutableRows {
  float* data;   ///< the first example of the first row
  Index stride;  ///< floats from a row to the next

  operator Rows() const { return {data, stride}; }  ///< to be read
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

// A lane in two registers.
struct Lane {
  Eight low, high;
};
inline Lane load_lane(const float* from) {
  return {load(from), load(from + 8)};
}
inline void store_lane(float* to, const Lane& from) {
  store(to, from.low), store(to + 8, from.high);
}
inline void add_product(Lane& sum, const Lane& a, const Lane& b) {
  sum.low += a.low * b.low, sum.high += a.high * b.high;
}

// The sums of add_pair_products() for some rows on either side, from left(a) and right(b) on, whose loads
// they share.
template <int some_left, int some_right>
void add_some_pairs(Index a, const auto& left, Index b, const auto& right, Index features, Index columns,
                    const auto& out) {
  std::array<Rows, some_left> lefts;
  std::array<Rows, some_right> rights;
  std::array<std::array<float*, some_right>, some_left> sums;
  for (int s = 0; s < some_left; ++s) lefts[s] = left(a + s);
  for (int t = 0; t < some_right; ++t) rights[t] = right(b + t);
  for (int s = 0; s < some_left; ++s)
    for (int t = 0; t < some_right; ++t) sums[s][t] = out(a + s, b + t);
  for (Index n = 0; n < columns; n += lane) {
    std::array<std::array<Lane, some_right>, some_left> sum;
    for (int s = 0; s < some_left; ++s)
      for (int t = 0; t < some_right; ++t) sum[s][t] = load_lane(sums[s][t] + n);
    for (Index f = 0; f < features; ++f) {
      std::array<Lane, some_right> second;
      for (int t = 0; t < some_right; ++t) second[t] = load_lane(rights[t].data + f * rights[t].stride + n);
      for (int s = 0; s < some_left; ++s) {
        const Lane first = load_lane(lefts[s].data + f * lefts[s].stride + n);
        for (int t = 0; t < some_right; ++t) add_product(sum[s][t], first, second[t]);
      }
    }
    for (int s = 0; s < some_left; ++s)
      for (int t = 0; t < some_right; ++t) store_lane(sums[s][t] + n, sum[s][t]);
  }
}

// The sum of set_weighted_sum() over the terms from `first` on; what `out` held besides where `add`.
template <int some>
void sum_some_terms(bool add, Index first, const auto& weight, const auto& rows, Index features,
                    Index columns, MutableRows out) {
  std::array<const float*, some> weights;
  std::array<Rows, some> terms;
  for (int t = 0; t < some; ++t) weights[t] = weight(first + t), terms[t] = rows(first + t);
  for (Index n = 0; n < columns; n += lane) {
    std::array<Lane, some> factors;
    for (int t = 0; t < some; ++t) factors[t] = load_lane(weights[t] + n);
    for (Index f = 0; f < features; ++f) {
      float* const to = out.data + f * out.stride + n;
      Lane sum = add ? load_lane(to) : Lane{};
      for (int t = 0; t < some; ++t)
        add_product(sum, factors[t], load_lane(terms[t].data + f * terms[t].stride + n));
      store_lane(to, sum);
    }
  }
}

}  // namespace detail

/// out(a, b)[n] += sum_f left(a)[f][n] right(b)[f][n] for a < lefts and b < rights.
void add_pair_products(Index lefts, const auto& left, Index rights, const auto& right, Index features,
                       Index columns, const auto& out) {
  for (Index a = 0; a < lefts; a += 2)
    for (Index b = 0; b < rights; b += 2) {
      const bool two = a + 1 < lefts, by_two = b + 1 < rights;
      if (two && by_two)
        detail::add_some_pairs<2, 2>(a, left, b, right, features, columns, out);
      else if (two)
        detail::add_some_pairs<2, 1>(a, left, b, right, features, columns, out);
      else if (by_two)
        detail::add_some_pairs<1, 2>(a, left, b, right, features, columns, out);
      else
        detail::add_some_pairs<1, 1>(a, left, b, right, features, columns, out);
    }
}

/// out[f][n] = sum_t weight(t)[n] rows(t)[f][n], summed in the order of t < terms; where `add`, to what it
/// held.
void set_weighted_sum(Index terms, const auto& weight, const auto& rows, Index features, Index columns,
                      MutableRows out, bool add = false) {
  Index t = 0;
  for (; t + 4 <= terms; t += 4)
    detail::sum_some_terms<4>(add || t > 0, t, weight, rows, features, columns, out);
  for (; t + 2 <= terms; t += 2)
    detail::sum_some_terms<2>(add || t > 0, t, weight, rows, features, columns, out);
  if (t < terms) detail::sum_some_terms<1>(add || t > 0, t, weight, rows, features, columns, out);
  if (terms == 0 && !add) detail::sum_some_terms<0>(false, 0, weight, rows, features, columns, out);
}

/// Examples of a block with those that fill up its last lane.
inline Index whole_lanes(Index count) {
  return (count + lane - 1) / lane * lane;
}

/// A block of tokens, or of what heads make of them (Block), with k `columns` columns in place of k count.
/// What fills up is 0, and stays so where `to` is written again.
inline void take_columns(const RowMatrix& from, Index k, Index count, Index columns, FloatMatrix& to) {
  if (to.size() == 0) to.setZero(from.rows(), k * columns);
  for (Index a = 0; a < k; ++a)
    to.middleCols(a * columns, count) = from.middleCols(a * count, count).cast<float>();
}

/// A share of attention that is to be taken in single precision. Below 1e-20, which is lost beside the other
/// shares of a row, it becomes 0: products with it would be denormal, which take processors a hundred times
/// as long as other numbers.
inline double without_denormals(double share) {
  return share < 1e-20 ? 0 : share;
}

/// Token `token` of a matrix from row `first` on.
inline Rows token_rows_of(const FloatMatrix& matrix, Index first, Index token, Index columns) {
  return {matrix.data() + first * matrix.cols() + token * columns, matrix.cols()};
}
/// The same, to be written.
inline MutableRows token_rows_of(FloatMatrix& matrix, Index first, Index token, Index columns) {
  return {matrix.data() + first * matrix.cols() + token * columns, matrix.cols()};
}

/// These rows of each token.
auto tokens_of(auto& matrix, Index first, Index columns) {
  return [&, first, columns](Index t) { return token_rows_of(matrix, first, t, columns); };
}

}  // namespace hardhead::learner
