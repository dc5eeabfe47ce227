#pragma once
#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string_view>

#include "attention/sample_source.h"
#include "base/shared_reduce.h"

namespace hardhead::attention {

/// Reads examples first .. first + count - 1 of a source block by block (`block_size` examples, the last one
/// fewer), in parallel, and joins what `accumulate(partial, first_example_of_block, block)` makes of them by
/// `join(left, right)`. The block is scratch of
/// the thread: accumulate may write to it, and neither it nor the source may start parallel loops, in which the thread could
/// begin another block. The result does not depend on the
/// number of threads. Polls the run control (throws Stopped) and reports progress as `phase`.
///
/// With a `wire` the blocks are shared among the ranks of control.team().
template <class Value, class Accumulate, class Join>
Value reduce_blocks(const SampleSource& source, std::int64_t first, std::int64_t count, const Value& identity,
                    const RunControl& control, std::string_view phase, const Accumulate& accumulate,
                    const Join& join, const Wire<Value>* wire = nullptr) {
  constexpr std::int64_t blocks_a_run = 32;  // that start from one copy of `identity`: it may be large
  const std::int64_t blocks = (count + block_size - 1) / block_size;
  std::atomic<std::int64_t> done = 0;
  // Kept from block to block: allocating them costs as much as filling them.
  tbb::enumerable_thread_specific<Block> scratch;
  const auto add = [&](Value& partial, std::int64_t b) {
    control.check();
    const std::int64_t offset = b * block_size;
    Block& block = scratch.local();
    block.resize(source.d(), source.k(), std::min<std::int64_t>(block_size, count - offset));
    source.read(first + offset, block);
    accumulate(partial, first + offset, block);
    const std::int64_t now = ++done;
    if (now % 128 == 0) control.progress(phase, static_cast<double>(now) / static_cast<double>(blocks));
  };
  if (wire != nullptr) return shared_reduce(blocks, blocks_a_run, identity, add, join, *wire, control);
  return deterministic_reduce(blocks, blocks_a_run, identity, add, join);
}

}  // namespace hardhead::attention
