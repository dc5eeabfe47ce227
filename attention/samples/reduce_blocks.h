#pragma once
#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string_view>

#include "attention/forward/memory.h"
#include "attention/samples/sample_source.h"
#include "base/run/shared_reduce.h"

namespace hardhead::attention {

/// Examples first .. first + count - 1 of a source, for one call: the source must outlive it.
struct ExampleRange {
  const SampleSource& source;  ///< of the examples
  std::int64_t first = 0;      ///< index of the first
  std::int64_t count = 0;      ///< how many
};

/// Blocks that reduce_blocks() starts from one copy of the identity: it may be large.
inline constexpr std::int64_t blocks_read_a_run = 32;

/// Joins what reduction.accumulate(partial, first_example, examples) makes of the blocks of a range
/// (`block_size` examples, the last block fewer), in parallel; it reads them itself. Neither it nor the
/// source may start parallel loops, in which the thread could begin another block. The result does not depend
/// on the number of threads. Polls the run context (throws Stopped) and reports progress as `phase`.
///
/// With a serializer the blocks are shared among the ranks of context.communicator.
template <class Value, class Accumulate, class Join>
Value reduce_ranges(const ExampleRange& range, const Reduction<Value, Accumulate, Join>& reduction,
                    const RunContext& context, std::string_view phase) {
  constexpr double seconds_between_reports = 0.05;
  const std::int64_t blocks = blocks_of(range.count);
  std::atomic<std::int64_t> done = 0;
  const Stopwatch watch;
  std::atomic<double> reported = -seconds_between_reports;  // the first block reports
  const auto add = [&](Value& partial, std::int64_t b) {
    context.stop.check();
    const std::int64_t offset = b * block_size;
    reduction.accumulate(partial, range.first + offset,
                         std::min<std::int64_t>(block_size, range.count - offset));
    const std::int64_t finished = ++done;
    const double now = watch.seconds();
    double before = reported;
    if (now > before + seconds_between_reports && reported.compare_exchange_strong(before, now))
      context.progress.report(phase, static_cast<double>(finished) / static_cast<double>(blocks));
  };
  return shared_reduce(blocks, blocks_read_a_run,
                       Reduction{reduction.identity, add, reduction.join, reduction.serializer}, context);
}

/// Reads a range of examples block by block and joins what reduction.accumulate(partial,
/// first_example_of_block, block) makes of them, as reduce_ranges() does. The block is scratch of the thread:
/// accumulate may write to it.
template <class Value, class Accumulate, class Join>
Value reduce_blocks(const ExampleRange& range, const Reduction<Value, Accumulate, Join>& reduction,
                    const RunContext& context, std::string_view phase) {
  // Kept from block to block: allocating them costs as much as filling them.
  tbb::enumerable_thread_specific<Block> scratch;
  const auto add = [&](Value& partial, std::int64_t first, std::int64_t count) {
    Block& block = scratch.local();
    block.resize(range.source.d(), range.source.k(), count);
    range.source.read(first, block);
    reduction.accumulate(partial, first, block);
  };
  return reduce_ranges(range, Reduction{reduction.identity, add, reduction.join, reduction.serializer},
                       context, phase);
}

/// Bytes that reduce_blocks() takes at most for partial results of `value_bytes`, where accumulate() takes
/// `scratch_bytes` in each thread: besides them each thread has a block. What the source takes to read is not
/// counted.
inline double reduce_blocks_bytes(Index d, Index k, std::int64_t examples, double value_bytes,
                                  double scratch_bytes) {
  constexpr std::int64_t copies = 2;  // of the identity, in the reductions that are handed on
  return value_bytes *
             static_cast<double>(copies + most_partial_results(blocks_of(examples), blocks_read_a_run)) +
         threads() * (example_bytes(d, k, block_size) + scratch_bytes);
}

}  // namespace hardhead::attention
