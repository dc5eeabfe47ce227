#include "learner/harvest.h"

#include <algorithm>
#include <cmath>

#include "attention/reduce_blocks.h"
#include "attention/token_products.h"
#include "learner/blocks.h"

namespace hardhead::learner {

using namespace attention;

namespace {

// An example whose images W_sum^T (x_a - x_b) are nearly dependent tells no pattern.
constexpr double least_pivot_ratio = 0.1;

// Calls visit(example in block, row, score, p) for every eligible row of the block.
template <class Visit>
void certify(const RowMatrix& w_t, double attention_floor, const Block& block, const Visit& visit) {
  const Index k = block.k, count = block.count, last = k - 1;
  RowMatrix image(block.d(), k * count), vv(k, k * count), yv(k, k * count);  // image: v_a = W_sum^T x_a
  image.noalias() = w_t * block.x;
  token_products(image, image, k, count, vv);
  token_products(block.y, image, k, count, yv);
  const RowMatrix yy = block.y.array().square().colwise().sum();

  Matrix gram(last, last);
  Vector right(last), p(k);
  Eigen::LLT<Matrix> factor(last);
  for (Index n = 0; n < count; ++n) {
    // Gram matrix of v_a - v_last: the same for every row of the example.
    const auto inner = [&](Index a, Index b) { return vv(b, block.column(a, n)); };
    const double v_last = inner(last, last);
    for (Index a = 0; a < last; ++a)
      for (Index b = 0; b < last; ++b) gram(a, b) = inner(a, b) - inner(a, last) - inner(b, last) + v_last;
    factor.compute(gram);
    if (factor.info() != Eigen::Success) continue;
    const auto pivots = factor.matrixLLT().diagonal().array();
    const double smallest = pivots.minCoeff();
    if (!(smallest > least_pivot_ratio * pivots.maxCoeff())) continue;
    for (Index r = 0; r < k; ++r) {
      const double y_last = yv(last, block.column(r, n));
      for (Index a = 0; a < last; ++a)
        right(a) = (yv(a, block.column(r, n)) - y_last) - (inner(a, last) - v_last);
      p.head(last) = factor.solve(right);
      p(last) = 1 - p.head(last).sum();
      const double least = p.minCoeff();
      if (!(least >= attention_floor)) continue;
      const double target2 = yy(0, block.column(r, n)) - 2 * y_last + v_last;
      const double residual2 = std::max(0.0, target2 - right.dot(p.head(last)));
      visit(n, r, std::sqrt(residual2) / (smallest * least), p);
    }
  }
}

}  // namespace

Harvest harvest(const SampleSource& source, std::int64_t first, std::int64_t count, const Matrix& w_sum,
                const HarvestOptions& options, const RunControl& control, std::string_view phase) {
  const RowMatrix w_t = w_sum.transpose();
  TopRows top = reduce_blocks(
      source, first, count, TopRows(options.keep), control, phase,
      [&](TopRows& part, std::int64_t at, const Block& block) {
        certify(w_t, options.attention_floor, block,
                [&](Index n, Index r, double score, const Vector&) { part.push({score, at + n, r}); });
      },
      [](TopRows& left, const TopRows& right) { left.merge(right); });

  Harvest out;
  out.rows = top.sorted();
  out.rows_seen = count * source.k();
  out.rows_eligible = top.seen();
  std::vector<std::int64_t> indices;
  for (const ScoredRow& row : out.rows) indices.push_back(row.example);
  out.examples = gather(source, indices);
  out.patterns.resize(source.k(), static_cast<Index>(indices.size()));
  certify(w_t, options.attention_floor, out.examples, [&](Index n, Index r, double, const Vector& p) {
    if (r == out.rows[static_cast<std::size_t>(n)].row) out.patterns.col(n) = p;
  });
  return out;
}

}  // namespace hardhead::learner
