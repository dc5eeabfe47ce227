#include "learner/gradient/float_block.h"

#include <algorithm>

namespace hardhead::learner {

using namespace attention;

void FloatBlock::take(const Block& block) {
  const Index features = block.d();
  count = block.count;
  k = block.k;
  columns = (count + lane - 1) / lane * lane;
  x.setZero(features, k * columns);
  y.setZero(features, k * columns);
  differences.setZero(features, (k - 1) * columns);
  for (Index a = 0; a < k; ++a) {
    x.middleCols(a * columns, count) = block.token(a).cast<float>();
    y.middleCols(a * columns, count) = block.label(a).cast<float>();
  }
  for (Index a = 1; a < k; ++a)
    differences.middleCols((a - 1) * columns, columns) =
        x.middleCols(a * columns, columns) - x.leftCols(columns);
}

Index float_block_size(Index k) {
  return std::max<Index>(lane, 128 / k / lane * lane);
}

double float_block_bytes(Index d, Index k, Index columns) {
  return 4 * static_cast<double>(3 * d * k * columns);
}

}  // namespace hardhead::learner
