#include "learner/phases/margins.h"

#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "attention/forward/matrix_product.h"
#include "attention/samples/reduce_blocks.h"
#include "learner/certificate/row_content.h"
#include "learner/certificate/top_rows.h"
#include "learner/objective/cholesky.h"

namespace hardhead::learner {
namespace {

constexpr Serializer<TopRows> top_rows_wire{
    [](const TopRows& top, std::string& to) { top.write(to); },
    [](std::string_view& from, const TopRows& identity) { return TopRows::read(from, identity); }};

// Token of largest and of second largest logit of row r of example n.
struct Lead {
  Index token = 0;
  double margin = 0;
};

Lead lead(const RowMatrix& q, const Block& block, Index r, Index n) {
  const auto query = q.col(block.column(r, n));
  Lead out;
  double best = query.dot(block.x.col(block.column(0, n))), second = -INFINITY;
  for (Index a = 1; a < block.k; ++a) {
    const double logit = query.dot(block.x.col(block.column(a, n)));
    if (logit > best) {
      second = best;
      best = logit;
      out.token = a;
    } else {
      second = std::max(second, logit);
    }
  }
  out.margin = best - second;
  return out;
}

// The rows of largest margin in the proxy, in descending order of it.
std::vector<ScoredRow> rows_of_largest_margin(const ExampleRange& examples, const RowMatrix& proxy_t,
                                              std::int64_t wanted, const RunContext& context,
                                              std::string_view phase) {
  tbb::enumerable_thread_specific<RowMatrix> queries;
  TopRows top =
      reduce_blocks(examples,
                    Reduction{TopRows(wanted),
                              [&](TopRows& part, std::int64_t at, const Block& block) {
                                RowMatrix& q = queries.local();
                                set_product(q, proxy_t, block.x);
                                for (Index r = 0; r < block.k; ++r)
                                  for (Index n = 0; n < block.count; ++n) {
                                    const double score = -lead(q, block, r, n).margin;
                                    if (part.wants(score))
                                      part.push({score, at + n, r, row_content(block, r, n)});
                                  }
                              },
                              [](TopRows& left, const TopRows& right) { left.merge(right); }, &top_rows_wire},
                    context, phase);
  return top.sorted();
}

// Of each row the attended token x_{j*} and the label y_r, one row of the regression each.
struct Pairs {
  Matrix x, y;
};

Pairs pairs_of(const SampleSource& source, const std::vector<ScoredRow>& rows, const RowMatrix& proxy_t,
               const RunContext& context) {
  std::vector<std::int64_t> indices;
  for (const ScoredRow& row : rows) indices.push_back(row.example);
  const Block block = gather(source, indices, context);
  const RowMatrix q = proxy_t * block.x;
  Pairs out{Matrix(block.count, block.d()), Matrix(block.count, block.d())};
  for (Index n = 0; n < block.count; ++n) {
    const Index r = rows[static_cast<std::size_t>(n)].row;
    out.x.row(n) = block.x.col(block.column(lead(q, block, r, n).token, n)).transpose();
    out.y.row(n) = block.y.col(block.column(r, n)).transpose();
  }
  return out;
}

// Concentration steps from `start` on, which keep `keep` rows.
MarginWSum trimmed_regression(const Pairs& all, const Matrix& start, Index keep, int rounds,
                              const StopToken& stop) {
  const Index total = all.x.rows(), d = all.x.cols();
  MarginWSum out;
  out.estimate = start;
  std::vector<Index> order(static_cast<std::size_t>(total)), kept;
  std::iota(order.begin(), order.end(), Index{0});
  Vector misfit;
  Matrix x_kept(keep, d), y_kept(keep, d);
  for (int round = 0; round < rounds; ++round) {
    stop.check();
    misfit = (all.y - all.x * out.estimate).rowwise().squaredNorm();
    std::sort(order.begin(), order.end(),
              [&](Index a, Index b) { return misfit(a) != misfit(b) ? misfit(a) < misfit(b) : a < b; });
    const std::vector<Index> before = std::exchange(kept, {order.begin(), order.begin() + keep});
    std::sort(kept.begin(), kept.end());
    if (kept == before) break;
    for (Index e = 0; e < keep; ++e) {
      x_kept.row(e) = all.x.row(kept[static_cast<std::size_t>(e)]);
      y_kept.row(e) = all.y.row(kept[static_cast<std::size_t>(e)]);
    }
    out.estimate = ridge_solve(x_kept.transpose() * x_kept, x_kept.transpose() * y_kept, stop);
  }
  const double kept_sum = (y_kept - x_kept * out.estimate).squaredNorm();
  const double all_sum = (all.y - all.x * out.estimate).squaredNorm();
  out.rows_kept = keep;
  out.residual = std::sqrt(kept_sum / static_cast<double>(keep));
  if (total > keep)
    out.residual_dropped = std::sqrt((all_sum - kept_sum) / static_cast<double>(total - keep));
  return out;
}

// Rows that are looked at.
std::int64_t margin_rows(Index d, Index k, std::int64_t count, const MarginOptions& options) {
  constexpr std::int64_t most = 100'000;
  const std::int64_t share = std::llround(options.share * static_cast<double>(count * k));
  return std::clamp<std::int64_t>(share, 12 * d, std::max<std::int64_t>(12 * d, most));
}

}  // namespace

MarginWSum refine_w_sum(const ExampleRange& examples, const Matrix& proxy, const Matrix& w_sum,
                        const MarginOptions& options, const RunContext& context, std::string_view phase) {
  const Index d = examples.source.d();
  const RowMatrix proxy_t = proxy.transpose();
  const std::int64_t looked_at = margin_rows(d, examples.source.k(), examples.count, options);
  const std::vector<ScoredRow> rows = rows_of_largest_margin(examples, proxy_t, looked_at, context, phase);
  const Pairs pairs = pairs_of(examples.source, rows, proxy_t, context);
  const Index total = pairs.x.rows();
  const Index share = std::llround(options.kept_fraction * static_cast<double>(total));
  MarginWSum out = trimmed_regression(pairs, w_sum, std::min(total, std::max<Index>(3 * d, share)),
                                      options.rounds, context.stop);
  out.least_margin = rows.empty() ? 0 : -rows.back().score;
  return out;
}

double margin_bytes(Index d, Index k, std::int64_t examples, const MarginOptions& options) {
  const std::int64_t wanted = std::min(margin_rows(d, k, examples, options), examples * k);
  const auto rows = static_cast<double>(wanted);
  const double lists = TopRows::bytes(wanted, blocks_of(examples), block_size * k) +
                       reduce_blocks_bytes(d, k, examples, 0, example_bytes(d, k, block_size) / 2);
  // Examples, queries and pairs; or pairs, those kept and residuals.
  const double gathered = 1.5 * example_bytes(d, k, wanted) + example_bytes(d, 1, wanted),
               fitted = 3 * example_bytes(d, 1, wanted);
  return std::max(lists, std::max(gathered, fitted) + 2 * sizeof(ScoredRow) * rows) + 8 * layer_bytes(d, 1);
}

}  // namespace hardhead::learner
