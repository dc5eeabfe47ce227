#include "study/test_error.h"

#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "attention/forward.h"
#include "base/parallel.h"

namespace hardhead::study {
namespace {

using attention::Block;
using attention::block_size;
using attention::Index;

struct Sums {
  double residual = 0, label = 0;
};

struct Scratch {
  Block block;
  attention::RowMatrix truth;
  attention::Forward::Workspace workspace;
};

}  // namespace

double detail::relative(double numerator, double denominator) {
  if (denominator > 0) return numerator / denominator;
  return numerator == 0 ? 0 : std::numeric_limits<double>::infinity();
}

double test_error(const attention::Layer* layer, const attention::SampleSource& source, std::int64_t count) {
  if (layer == nullptr) return 1;
  count = std::min(count, source.size());
  const attention::Forward forward(*layer);
  tbb::enumerable_thread_specific<Scratch> scratch;

  const std::int64_t blocks = (count + block_size - 1) / block_size;
  const Sums sums = deterministic_reduce(
      blocks, 4, Sums{},
      [&](Sums& partial, std::int64_t b) {
        Scratch& local = scratch.local();
        const std::int64_t first = b * block_size;
        local.block.resize(source.d(), source.k(), std::min<Index>(block_size, count - first));
        source.read(first, local.block);
        local.truth = local.block.y;
        forward.apply(local.block, local.workspace);
        partial.residual += (local.truth - local.block.y).squaredNorm();
        partial.label += local.truth.squaredNorm();
      },
      [](Sums& left, const Sums& right) {
        left.residual += right.residual;
        left.label += right.label;
      });
  return detail::relative(sums.residual, sums.label);
}

}  // namespace hardhead::study
