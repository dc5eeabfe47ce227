#pragma once
#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string_view>

#include "attention/samples/sample_source.h"
#include "base/run/shared_reduce.h"

namespace hardhead::attention {

/// Examples first .. first + count - 1 of a source, for one call: the source must outlive it.
struct ExampleRange {
  const SampleSource& source;  ///< of the examples
  std::int64_t first = 0;      ///< index of the first
  std::int64_t count = 0;      ///< how many
};

/// Reads a range of examples block by block (`block_size` examples, the last block fewer), in parallel, and
/// joins what reduction.accumulate(partial, first_example_of_block, block) makes of them. The block is
/// scratch of the thread: accumulate may write to it. Neither it nor the source may start parallel loops, in
/// which the thread could begin another block. The result does not depend on the number of threads. Polls the
/// run context (throws Stopped) and reports progress as `phase`.
///
/// With a serializer the blocks are shared among the ranks of context.communicator.
template <class Value, class Accumulate, class Join>
Value reduce_blocks(const ExampleRange& range, const Reduction<Value, Accumulate, Join>& reduction,
                    const RunContext& context, std::string_view phase) {
  constexpr std::int64_t blocks_a_run = 32;  // that start from one copy of `identity`: it may be large
  const std::int64_t blocks = (range.count + block_size - 1) / block_size;
  std::atomic<std::int64_t> done = 0;
  // Kept from block to block: allocating them costs as much as filling them.
  tbb::enumerable_thread_specific<Block> scratch;
  const auto add = [&](Value& partial, std::int64_t b) {
    context.stop.check();
    const std::int64_t offset = b * block_size;
    Block& block = scratch.local();
    block.resize(range.source.d(), range.source.k(),
                 std::min<std::int64_t>(block_size, range.count - offset));
    range.source.read(range.first + offset, block);
    reduction.accumulate(partial, range.first + offset, block);
    const std::int64_t now = ++done;
    if (now % 128 == 0)
      context.progress.report(phase, static_cast<double>(now) / static_cast<double>(blocks));
  };
  return shared_reduce(blocks, blocks_a_run,
                       Reduction{reduction.identity, add, reduction.join, reduction.serializer}, context);
}

}  // namespace hardhead::attention
