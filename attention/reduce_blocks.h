#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string_view>

#include "attention/sample_source.h"
#include "base/parallel.h"
#include "base/run_control.h"

namespace hardhead::attention {

/// Reads examples first .. first + count - 1 of a source block by block (`block_size` examples, the last one
/// fewer), in parallel, and joins what `accumulate(partial, first_example_of_block, block)` makes of them by
/// `join(left, right)`. The block is scratch: accumulate may write to it. The result does not depend on the
/// number of threads. Polls the run control (throws Stopped) and reports progress as `phase`.
///
/// `blocks_a_run` blocks start from one copy of `identity`: many for partial results that are large.
template <class Value, class Accumulate, class Join>
Value reduce_blocks(const SampleSource& source, std::int64_t first, std::int64_t count, const Value& identity,
                    const RunControl& control, std::string_view phase, const Accumulate& accumulate,
                    const Join& join, std::int64_t blocks_a_run = 32) {
  const std::int64_t blocks = (count + block_size - 1) / block_size;
  std::atomic<std::int64_t> done = 0;
  return deterministic_reduce(
      blocks, blocks_a_run, identity,
      [&](Value& partial, std::int64_t b) {
        control.check();
        const std::int64_t offset = b * block_size;
        Block block(source.d(), source.k(), std::min<std::int64_t>(block_size, count - offset));
        source.read(first + offset, block);
        accumulate(partial, first + offset, block);
        const std::int64_t now = ++done;
        if (now % 128 == 0) control.progress(phase, static_cast<double>(now) / static_cast<double>(blocks));
      },
      join);
}

}  // namespace hardhead::attention
