#include "learner/objective/single_products.h"

#include <tbb/enumerable_thread_specific.h>

#include <algorithm>

#include "learner/objective/blocks.h"
#include "learner/objective/lanes.h"
#include "learner/objective/single_product_kernels.h"

namespace hardhead::learner {
namespace {

static_assert(block_size % 48 == 0, "strips of examples fill a block on each target");

std::size_t size(Index number) {
  return static_cast<std::size_t>(number);
}

// Columns of a gradient.
Index filled_up(Index features) {
  const auto whole = static_cast<Index>(single_columns);
  return (features + whole - 1) / whole * whole;
}

// Floats of a d x d matrix's tables.
Index table_floats(const SingleBlock& tokens) {
  return tokens.rows() * tokens.groups() * 16;
}

// x_r of all tokens r, or D_j of all but the last.
Floats by_feature(const Block& block, Index rows, Index tokens, const RowMatrix* less) {
  Floats out(size(tokens * rows * block_size));
  for (Index a = 0; a < tokens; ++a)
    for (Index f = 0; f < block.d(); ++f)
      for (Index n = 0; n < block.count; ++n)
        out[size((a * rows + f) * block_size + n)] =
            static_cast<float>(block.x(f, block.column(a, n)) - (less ? (*less)(f, n) : 0));
  return out;
}

// D_j, then x_k, place by place.
Floats by_place(const Floats& token, const Floats& difference, Index k, Index rows) {
  const Index columns = filled_up(rows);
  Floats out(size(k * block_size * columns));
  for (Index a = 0; a < k; ++a) {
    const float* const from = (a + 1 < k ? difference : token).data() + a * rows * block_size;
    for (Index f = 0; f < rows; ++f)
      for (Index n = 0; n < block_size; ++n)
        out[size((a * block_size + n) * columns + f)] = from[f * block_size + n];
  }
  return out;
}

}  // namespace

SingleProducts::SingleProducts(const std::vector<Block>& blocks, Index m) : m_(m) {
  if (blocks.empty() || blocks.front().k < 2) return;
  blocks_.resize(blocks.size());
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    Kept& kept = blocks_[b];
    if (!kept.tokens.take(blocks[b])) {
      blocks_.clear();
      return;
    }
    kept.tokens.y = {};
    const Index k = kept.tokens.k, rows = kept.tokens.rows();
    const RowMatrix last = blocks[b].token(k - 1);
    kept.token = by_feature(blocks[b], rows, k, nullptr);
    kept.difference = by_feature(blocks[b], rows, k - 1, &last);
    kept.transposed = by_place(kept.token, kept.difference, k, rows);
  }
}

void SingleProducts::attend(std::size_t block, const Forward::Workspace& attended) {
  Kept& kept = blocks_[block];
  const Index k = kept.tokens.k, d = kept.tokens.d(), count = kept.tokens.count, last = k - 1,
              rows = kept.tokens.rows();
  kept.pattern.resize(size(m_ * k * last * block_size));
  kept.value.resize(size(m_ * last * rows * block_size));
  for (Index i = 0; i < m_; ++i) {
    for (Index r = 0; r < k; ++r)
      for (Index j = 0; j < last; ++j) {
        const double* const shares = &attended.p(i * k + j, r * count);
        std::transform(shares, shares + count, &kept.pattern[size(((i * k + r) * last + j) * block_size)],
                       [](double share) { return static_cast<float>(without_denormals(share)); });
      }
    for (Index j = 0; j < last; ++j)
      for (Index f = 0; f < d; ++f) {
        const double* const row = &attended.v(i * d + f, 0);
        std::transform(
            row + j * count, row + (j + 1) * count, row + last * count,
            &kept.value[size(((i * last + j) * rows + f) * block_size)],
            [](double of_token, double of_last) { return static_cast<float>(of_token - of_last); });
      }
  }
}

// The tables of a direction.
struct SingleProducts::Direction {
  Floats tables, w_sum;

  Direction(const Stacked& v, Index m, const SingleBlock& tokens) {
    const Index d = tokens.d();
    const FloatMatrix matrices = v.cast<float>();
    FloatMatrix sum = FloatMatrix::Zero(d, d);
    tables.resize(size(2 * m * table_floats(tokens)));
    w_sum.resize(size(table_floats(tokens)));
    for (Index i = 0; i < 2 * m; ++i) {
      make_single_tables(matrices.row(i * d).data(), size(d), size(d),
                         tables.data() + i * table_floats(tokens));
      if (i >= m) sum += matrices.middleRows(i * d, d);
    }
    make_single_tables(sum.data(), size(d), size(d), w_sum.data());
  }
};

void SingleProducts::add_product(const Kept& kept, const Direction& direction, Floats& scratch,
                                 Stacked& sum) const {
  const Index k = kept.tokens.k, d = kept.tokens.d(), rows = kept.tokens.rows(), columns = filled_up(d);
  const std::size_t y_floats = size(rows * kept.tokens.columns()),
                    gradient_floats = size((2 * m_ + 1) * rows * columns),
                    work = single_adjoint_scratch(size(k), size(rows / 8), size(block_size));
  scratch.resize(y_floats + gradient_floats + work);
  float *const y = scratch.data(), *const gradient = y + y_floats;
  const SingleAttended at{.k = size(k),
                          .heads = size(m_),
                          .tiles = size(rows / 8),
                          .groups = size(kept.tokens.groups()),
                          .places = size(block_size),
                          .signs = kept.tokens.signs.data(),
                          .token = kept.token.data(),
                          .difference = kept.difference.data(),
                          .transposed = kept.transposed.data(),
                          .pattern = kept.pattern.data(),
                          .value = kept.value.data()};
  single_tangent({.at = at,
                  .theta = direction.tables.data(),
                  .w = direction.tables.data() + m_ * table_floats(kept.tokens),
                  .w_sum = direction.w_sum.data(),
                  .y = y,
                  .scratch = gradient + gradient_floats});
  // Places without an example have tokens of +1, whose values would change.
  for (float* row = y; row != y + y_floats; row += block_size)
    std::fill(row + kept.tokens.count, row + block_size, 0.0F);
  single_adjoint({.at = at, .y = y, .gradient = gradient, .scratch = gradient + gradient_floats});
  const auto matrix = [&](Index i) {
    const Eigen::Map<const FloatMatrix> whole(gradient + i * rows * columns, rows, columns);
    return whole.topLeftCorner(d, d).cast<double>();
  };
  const Matrix shared = matrix(2 * m_);
  for (Index i = 0; i < m_; ++i) {
    sum.middleRows(i * d, d) += matrix(i).transpose();
    sum.middleRows((m_ + i) * d, d) += matrix(m_ + i) + shared;
  }
}

Stacked SingleProducts::product(const Stacked& v, const StopToken& stop) const {
  const Direction direction(v, m_, blocks_.front().tokens);
  tbb::enumerable_thread_specific<Floats> scratch;
  return sum_over_blocks<Stacked>(
      blocks_.size(), Stacked::Zero(v.rows(), v.cols()), stop,
      [&](Stacked& part, std::size_t b) { add_product(blocks_[b], direction, scratch.local(), part); });
}

double SingleProducts::bytes(const PassShape& shape, std::int64_t examples) {
  const auto [d, k, m, signs] = shape;
  if (!signs || k < 2) return 0;
  const Index rows = (d + 7) / 8 * 8, last = k - 1;
  const Index floats = block_size * (k * rows + last * rows * (1 + m) + k * filled_up(d) + m * k * last),
              bytes = k * block_size * (d + 3) / 4;
  return static_cast<double>(blocks_of(examples)) * static_cast<double>(4 * floats + bytes);
}

double SingleProducts::product_bytes(const PassShape& shape, std::int64_t examples) {
  const auto [d, k, m, signs] = shape;
  if (!signs || k < 2) return 0;
  const Index rows = (d + 7) / 8 * 8;
  const double tables = single_tables_bytes(d) * static_cast<double>(2 * m + 1) + layer_bytes(d, m),
               scratch = 4.0 * static_cast<double>(block_size * (k * rows + (k - 1) * (k + 2 * rows)) +
                                                   (2 * m + 1) * rows * filled_up(d)),
               sums = static_cast<double>(most_partial_results(blocks_of(examples), blocks_a_run));
  return tables + threads() * scratch + (sums + 1) * layer_bytes(d, m);
}

}  // namespace hardhead::learner
