#include "attention/forward/signs.h"

#include <algorithm>
#include <bit>

#include "attention/forward/four.h"

namespace hardhead::attention {
namespace {

constexpr Index panel = 8, patterns = 16, table = patterns * panel;

inline void load_rows(const double* from, Index stride, Index rows, Four* to) {
  if (rows > 0) to[0] = load(from);
  if (rows > 1) to[1] = load(from + stride);
  if (rows > 2) to[2] = load(from + 2 * stride);
  if (rows > 3) to[3] = load(from + 3 * stride);
}

// The sixteen sums +-four[0] .. +-four[3], a row of eight apart.
inline void partial_sums(const Four* four, double* to) {
  const Four first[4] = {four[0] + four[1], four[1] - four[0], four[0] - four[1], -four[0] - four[1]},
             second[4] = {four[2] + four[3], four[3] - four[2], four[2] - four[3], -four[2] - four[3]};
  unrolled<patterns>([&](auto p) { store(to + p * panel, first[p % 4] + second[p / 4]); });
}

// The table of four tokens: columns of up to eight rows.
inline void quad_table(const double* from, Index stride, Index rows, double* to) {
  Four low[4] = {}, high[4] = {};
  load_rows(from, stride, rows, low);
  load_rows(from + 4 * stride, stride, rows - 4, high);
  transpose(low[0], low[1], low[2], low[3]);
  transpose(high[0], high[1], high[2], high[3]);
  partial_sums(low, to);
  partial_sums(high, to + 4);
}

inline void store_rows(double* to, Index stride, Index rows, const Four* from) {
  store(to, from[0]);
  if (rows > 1) store(to + stride, from[1]);
  if (rows > 2) store(to + 2 * stride, from[2]);
  if (rows > 3) store(to + 3 * stride, from[3]);
}

}  // namespace

bool Signs::take(const RowMatrix& x) {
  constexpr std::uint64_t sign = std::uint64_t{1} << 63, one = std::bit_cast<std::uint64_t>(1.0);
  d_ = x.rows(), columns_ = 0;
  const Index columns = x.cols();
  patterns_.resize(static_cast<std::size_t>(groups() * columns));
  for (Index g = 0; g < groups(); ++g) {
    std::uint8_t* const to = patterns_.data() + g * columns;
    const Index first = 4 * g, rows = std::min<Index>(4, d_ - first);
    std::uint64_t wrong = 0;
    for (Index t = 0; t < rows; ++t) {
      const double* const from = x.row(first + t).data();
      for (Index c = 0; c < columns; ++c) {
        const auto bits = std::bit_cast<std::uint64_t>(from[c]);
        wrong |= (bits & ~sign) ^ one;
        const auto bit = static_cast<std::uint8_t>((bits >> 63) << (3 + t));
        to[c] = static_cast<std::uint8_t>(t == 0 ? bit : to[c] | bit);
      }
      if (wrong != 0) return false;
    }
  }
  columns_ = columns;
  return true;
}

void Signs::take_transposed(const Signs& signs) {
  d_ = signs.columns(), columns_ = signs.d();
  patterns_.assign(static_cast<std::size_t>(groups() * columns_), 0);
  for (Index f = 0; f < columns_; ++f) {
    const std::uint8_t* const from = signs.group(f / 4);
    const int bit = 3 + static_cast<int>(f % 4);
    for (Index c = 0; c < d_; ++c)
      patterns_[static_cast<std::size_t>(c / 4 * columns_ + f)] |=
          static_cast<std::uint8_t>((from[c] >> bit & 1) << (3 + c % 4));
  }
}

SignTables::SignTables(const Eigen::Ref<const RowMatrix>& matrix)
    : rows_(matrix.rows()), groups_((matrix.cols() + 3) / 4) {
  const Index panels = (rows_ + panel - 1) / panel;
  sums_.assign(static_cast<std::size_t>(panels * groups_ * table), 0.0);
  for (Index row = 0; row < rows_; ++row)
    for (Index g = 0; g < groups_; ++g) {
      double entry[4] = {};
      for (Index t = 0; t < 4 && 4 * g + t < matrix.cols(); ++t) entry[t] = matrix(row, 4 * g + t);
      double* const to = sums_.data() + (row / panel * groups_ + g) * table + row % panel;
      for (Index p = 0; p < patterns; ++p)
        to[p * panel] = ((p & 1 ? -entry[0] : entry[0]) + (p & 2 ? -entry[1] : entry[1])) +
                        ((p & 4 ? -entry[2] : entry[2]) + (p & 8 ? -entry[3] : entry[3]));
    }
}

void SignTables::apply(const Signs& signs, Eigen::Ref<RowMatrix> out) const {
  const Index columns = signs.columns(), stride = out.outerStride();
  for (Index first = 0; first < rows_; first += panel) {
    const double* const sums = sums_.data() + first / panel * groups_ * table;
    const Index rows = std::min(panel, rows_ - first);
    double* const to = out.data() + first * stride;
    Index c = 0;
    for (; c + 4 <= columns; c += 4) {
      Four low[4] = {}, high[4] = {};
      const double* partial = sums;
      const std::uint8_t* at = signs.group(0) + c;
      for (Index g = 0; g < groups_; ++g, partial += table, at += columns)
        for (int t = 0; t < 4; ++t) {
          const double* const row = partial + at[t];
          low[t] += load(row);
          high[t] += load(row + 4);
        }
      transpose(low[0], low[1], low[2], low[3]);
      transpose(high[0], high[1], high[2], high[3]);
      store_rows(to + c, stride, std::min<Index>(rows, 4), low);
      if (rows > 4) store_rows(to + 4 * stride + c, stride, rows - 4, high);
    }
    for (; c < columns; ++c) {
      double sum[panel] = {};
      for (Index g = 0; g < groups_; ++g)
        for (Index row = 0; row < panel; ++row) sum[row] += sums[g * table + signs.group(g)[c] + row];
      for (Index row = 0; row < rows; ++row) to[row * stride + c] = sum[row];
    }
  }
}

// Four tokens (columns of `left`) have sixteen sums, of which a feature takes the one of its four signs.
void add_sign_outer(const Eigen::Ref<const RowMatrix>& left, const Signs& transposed,
                    Eigen::Ref<Matrix> sum) {
  const Index columns = transposed.d(), quads = transposed.groups(), stride = left.outerStride(),
              d = transposed.columns();
  constexpr Index strip = 16;
  alignas(64) double tables[strip * table];
  for (Index first = 0; first < left.rows(); first += panel) {
    const Index rows = std::min(panel, left.rows() - first);
    const double* const from = left.data() + first * stride;
    for (Index q = 0; q < quads; q += strip) {
      const Index count = std::min(strip, quads - q);
      for (Index s = 0; s < std::min(count, columns / 4 - q); ++s)
        quad_table(from + 4 * (q + s), stride, rows, tables + s * table);
      if (4 * (q + count) > columns) {
        double padded[panel * 4] = {};
        for (Index row = 0; row < rows; ++row)
          std::copy(from + row * stride + 4 * (q + count - 1), from + row * stride + columns,
                    padded + 4 * row);
        quad_table(padded, 4, rows, tables + (count - 1) * table);
      }
      for (Index f = 0; f < d; f += 4) {
        // Past the last feature the last again; its sums are not stored.
        const Index second = std::min(f + 1, d - 1) - f, third = std::min(f + 2, d - 1) - f,
                    fourth = std::min(f + 3, d - 1) - f;
        Four low[4] = {}, high[4] = {};
        const double* partial = tables;
        const std::uint8_t* at = transposed.group(q) + f;
        for (Index s = 0; s < count; ++s, partial += table, at += d) {
          const double* const rows_at[4] = {partial + at[0], partial + at[second], partial + at[third],
                                            partial + at[fourth]};
          unrolled<4>([&](auto t) {
            low[t] += load(rows_at[t]);
            high[t] += load(rows_at[t] + 4);
          });
        }
        for (Index t = 0; t < 4 && f + t < d; ++t) {
          double* const to = &sum(first, f + t);
          if (rows == panel) {
            store(to, load(to) + low[t]);
            store(to + 4, load(to + 4) + high[t]);
          } else {
            for (Index row = 0; row < rows; ++row) to[row] += row < 4 ? low[t][row] : high[t][row - 4];
          }
        }
      }
    }
  }
}

}  // namespace hardhead::attention
