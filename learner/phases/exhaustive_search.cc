#include "learner/phases/exhaustive_search.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "attention/forward/forward.h"
#include "base/run/parallel.h"
#include "learner/objective/cholesky.h"
#include "learner/objective/linear_w.h"

namespace hardhead::learner {
namespace {

// Sums over the rows of some blocks: z_a z_b^T for points a >= b, z_a y^T for all points, |y|^2.
struct Products {
  std::size_t points = 0;
  std::vector<Matrix> pairs;  // a (a + 1) / 2 + b
  std::vector<Matrix> labels;
  double yy = 0;

  const Matrix& pair(std::size_t a, std::size_t b) const { return pairs[a * (a + 1) / 2 + b]; }
};

Products products(const std::vector<Matrix>& thetas, std::span<const Block> blocks,
                  const RunContext& context) {
  const Index d = thetas.front().rows();
  Index rows = 0;
  for (const Block& block : blocks) rows += block.y.cols();
  Products out;
  out.points = thetas.size();
  RowMatrix y(d, rows);
  for (Index at = 0; const Block& block : blocks) {
    y.middleCols(at, block.y.cols()) = block.y;
    at += block.y.cols();
  }
  out.yy = y.squaredNorm();
  std::vector<RowMatrix> z(out.points);
  out.labels.resize(out.points);
  parallel_for_each_index(static_cast<std::int64_t>(out.points), [&](std::int64_t a) {
    context.stop.check();
    RowMatrix& mine = z[static_cast<std::size_t>(a)];
    mine.resize(d, rows);
    Forward::Workspace ws;
    for (Index at = 0; const Block& block : blocks) {
      attend_one(thetas[static_cast<std::size_t>(a)], block, ws);
      mine.middleCols(at, ws.z.cols()) = ws.z;
      at += ws.z.cols();
    }
    out.labels[static_cast<std::size_t>(a)] = mine * y.transpose();
  });
  out.pairs.resize(out.points * (out.points + 1) / 2);
  parallel_for_each_index(static_cast<std::int64_t>(out.points), [&](std::int64_t row) {
    context.stop.check();
    const auto a = static_cast<std::size_t>(row);
    for (std::size_t b = 0; b <= a; ++b) out.pairs[a * (a + 1) / 2 + b] = z[a] * z[b].transpose();
  });
  return out;
}

// Gram matrix (lower triangle) and right sides of a tuple, whose points descend.
void assemble(const Products& from, std::span<const std::size_t> tuple, Matrix& gram, Matrix& right) {
  const Index d = from.labels.front().rows(), m = static_cast<Index>(tuple.size());
  for (Index i = 0; i < m; ++i) {
    const std::size_t a = tuple[static_cast<std::size_t>(i)];
    right.middleRows(i * d, d) = from.labels[a];
    for (Index j = i; j < m; ++j)
      gram.block(j * d, i * d, d, d) = from.pair(a, tuple[static_cast<std::size_t>(j)]).transpose();
  }
}

// Relative error on the validation rows with the projections fitted on the training rows.
class TupleFit {
 public:
  TupleFit(const Products& training, const Products& validation, Index m)
      : training_(training), validation_(validation) {
    const Index d = training.labels.front().rows();
    gram_.resize(m * d, m * d);
    right_.resize(m * d, d);
  }
  double error(std::span<const std::size_t> tuple) {
    assemble(training_, tuple, gram_, right_);
    gram_.diagonal().array() += 1e-12 * gram_.trace() / static_cast<double>(gram_.rows());
    w_ = Cholesky(gram_).solve(right_);
    assemble(validation_, tuple, gram_, right_);
    image_.noalias() = gram_.selfadjointView<Eigen::Lower>() * w_;
    return 1 + w_.cwiseProduct(image_ - 2 * right_).sum() / validation_.yy;
  }

 private:
  const Products &training_, &validation_;
  Matrix gram_, right_, w_, image_;
};

struct BestTuple {
  double error = INFINITY;
  std::vector<std::size_t> tuple;
};

// All tuples whose largest point is `largest`, in lexicographic order.
BestTuple best_below(std::size_t largest, std::size_t heads, TupleFit& fit, const RunContext& context) {
  BestTuple best;
  std::vector<std::size_t> tuple(heads);  // descending
  tuple[0] = largest;
  for (std::size_t i = 1; i < heads; ++i) tuple[i] = heads - 1 - i;
  for (std::int64_t count = 0; true; ++count) {
    if (count % 64 == 0) context.stop.check();
    if (const double error = fit.error(tuple); error < best.error) best = {error, tuple};
    std::size_t i = heads;  // the last entry that can grow
    while (--i > 0 && tuple[i] + 1 == tuple[i - 1]) {
    }
    if (i == 0) return best;
    ++tuple[i];
    for (std::size_t j = i + 1; j < heads; ++j) tuple[j] = heads - 1 - j;
  }
}

}  // namespace

double tuple_count(std::int64_t points, Index heads) {
  double count = 1;
  for (Index i = 0; i < heads; ++i) count *= static_cast<double>(points - i) / static_cast<double>(i + 1);
  return std::max(0.0, count);
}

double predicted_search_seconds(Index d, Index heads, std::int64_t points) {
  constexpr double operations_a_second = 3e9;
  const auto size = static_cast<double>(heads * d);
  return tuple_count(points, heads) * (size * size * size / 3 + 4 * size * size * static_cast<double>(d)) /
         operations_a_second;
}

double exhaustive_search_bytes(const PassShape& shape, std::int64_t examples, std::int64_t points) {
  const Index d = shape.d;
  const auto count = static_cast<double>(points), size = static_cast<double>(shape.m * d);
  // Products of pairs and with labels, on both sets of examples; heads; in a header of 32 bytes each.
  const double products = (8 * static_cast<double>(d * d) + 32) * count * (count + 4);
  const double mean_tokens = count * example_bytes(d, shape.k, examples) / 2;
  const double trial = 8 * size * (3 * size + 3 * static_cast<double>(d)) +
                       workspace_bytes({d, shape.k, 1, shape.signs}).attend;
  return products + std::max(mean_tokens + threads() * trial, fit_w_bytes(shape, examples)) +
         layer_bytes(d, 4 * shape.m);
}

NetResult exhaustive_search(const std::vector<Block>& blocks, const SearchSpace& space, std::int64_t points,
                            const RunContext& context) {
  const std::vector<Vector> net = net_points(space.dimension(), space.radius, points);
  const Index heads = space.heads;
  const auto m = static_cast<std::size_t>(heads);
  // One point on the subspace, or fewer than heads: the heads coincide.
  std::vector<Matrix> thetas;
  for (const Vector& point : net) thetas.push_back(space.flat.point(point));
  while (thetas.size() < m) thetas.push_back(thetas.back());

  const std::size_t training_blocks = std::max<std::size_t>(1, blocks.size() * 3 / 4);
  const std::span<const Block> all(blocks);
  const Products training = products(thetas, all.first(training_blocks), context);
  const Products validation =
      blocks.size() > training_blocks ? products(thetas, all.subspan(training_blocks), context) : training;

  std::vector<BestTuple> best(thetas.size());
  std::atomic<double> done = 0;
  const double total = tuple_count(static_cast<std::int64_t>(thetas.size()), heads);
  parallel_for_each_index(static_cast<std::int64_t>(thetas.size() - m + 1), [&](std::int64_t c) {
    // Large points first: they have the most tuples below them.
    const std::size_t largest = thetas.size() - 1 - static_cast<std::size_t>(c);
    TupleFit fit(training, validation, heads);
    best[largest] = best_below(largest, m, fit, context);
    context.progress.report("net",
                            (done += tuple_count(static_cast<std::int64_t>(largest), heads - 1)) / total);
  });
  const auto least = std::ranges::min_element(best, {}, &BestTuple::error);
  NetResult out;
  out.points = static_cast<std::int64_t>(thetas.size());
  out.tuples = static_cast<std::int64_t>(total);
  out.starts = 1;
  out.net_error = least->error;
  out.error = least->error;
  std::vector<Matrix> chosen;
  for (const std::size_t point : least->tuple) chosen.push_back(thetas[point]);
  out.layer = fit_w(blocks, chosen, context.stop);
  return out;
}

}  // namespace hardhead::learner
