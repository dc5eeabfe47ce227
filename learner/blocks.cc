#include "learner/blocks.h"

#include <algorithm>

#include "base/parallel.h"

namespace hardhead::learner {

using namespace attention;

std::vector<Block> read_blocks(const SampleSource& source, std::int64_t first, std::int64_t count,
                               const RunControl& control) {
  const std::int64_t total = (count + block_size - 1) / block_size;
  std::vector<Block> blocks(static_cast<std::size_t>(total));
  parallel_for_each_index(total, [&](std::int64_t b) {
    control.check();
    Block& block = blocks[static_cast<std::size_t>(b)];
    block.resize(source.d(), source.k(), std::min<std::int64_t>(block_size, count - b * block_size));
    source.read(first + b * block_size, block);
  });
  return blocks;
}

Block gather(const SampleSource& source, const std::vector<std::int64_t>& examples) {
  const Index count = static_cast<Index>(examples.size());
  Block all(source.d(), source.k(), count);
  parallel_for_each_index(count, [&](std::int64_t n) {
    Block one(source.d(), source.k(), 1);
    source.read(examples[static_cast<std::size_t>(n)], one);
    for (Index a = 0; a < all.k; ++a) {
      all.x.col(all.column(a, n)) = one.x.col(a);
      all.y.col(all.column(a, n)) = one.y.col(a);
    }
  });
  return all;
}

}  // namespace hardhead::learner
