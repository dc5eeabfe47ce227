#include "learner/objective/blocks.h"

#include <algorithm>

namespace hardhead::learner {

std::int64_t examples_in(const std::vector<Block>& blocks) {
  std::int64_t out = 0;
  for (const Block& block : blocks) out += block.count;
  return out;
}

std::vector<Block> read_blocks(const SampleSource& source, std::int64_t first, std::int64_t count,
                               const RunContext& context) {
  const std::int64_t total = blocks_of(count);
  std::vector<Block> blocks(static_cast<std::size_t>(total));
  parallel_for_each_index(total, [&](std::int64_t b) {
    context.stop.check();
    Block& block = blocks[static_cast<std::size_t>(b)];
    block.resize(source.d(), source.k(), std::min<std::int64_t>(block_size, count - b * block_size));
    source.read(first + b * block_size, block);
  });
  return blocks;
}

Block gather(const SampleSource& source, const std::vector<std::int64_t>& examples, const RunContext& context,
             const std::function<void(Index, const Block&)>& look) {
  const Index count = static_cast<Index>(examples.size()), d = source.d(), k = source.k();
  Block all(d, k, count);
  parallel_for_each_index((count + block_size - 1) / block_size, [&](std::int64_t b) {
    context.stop.check();
    const Index first = b * block_size, here = std::min(block_size, count - first);
    Block some(d, k, here);
    source.pick({examples.data() + first, static_cast<std::size_t>(here)}, some);
    for (Index a = 0; a < k; ++a) {
      all.x.middleCols(all.column(a, first), here) = some.x.middleCols(some.column(a, 0), here);
      all.y.middleCols(all.column(a, first), here) = some.y.middleCols(some.column(a, 0), here);
    }
    if (look) look(first, some);
  });
  return all;
}

}  // namespace hardhead::learner
