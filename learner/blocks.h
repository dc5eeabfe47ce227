#pragma once
#include <atomic>
#include <cstdint>
#include <string_view>
#include <vector>

#include "attention/sample_source.h"
#include "base/parallel.h"
#include "base/run_control.h"

namespace hardhead::learner {

/// Reads examples first .. first + count - 1 of a source block by block, in parallel, and joins what
/// `accumulate(partial, first_example_of_block, block)` makes of them; the result does not depend on the
/// number of threads. Polls the run control and reports progress under `phase`.
template <class Value, class Accumulate, class Join>
Value reduce_blocks(const attention::SampleSource& source, std::int64_t first, std::int64_t count,
                    const Value& identity, const RunControl& control, std::string_view phase,
                    const Accumulate& accumulate, const Join& join) {
  constexpr std::int64_t size = attention::block_size, blocks_a_run = 64;
  const std::int64_t blocks = (count + size - 1) / size;
  std::atomic<std::int64_t> done = 0;
  return deterministic_reduce(
      blocks, blocks_a_run, identity,
      [&](Value& partial, std::int64_t b) {
        control.check();
        const std::int64_t offset = b * size;
        attention::Block block(source.d(), source.k(), std::min(size, count - offset));
        source.read(first + offset, block);
        accumulate(partial, first + offset, block);
        const std::int64_t now = ++done;
        if (now % 128 == 0) control.progress(phase, static_cast<double>(now) / static_cast<double>(blocks));
      },
      join);
}

/// Examples first .. first + count - 1 of a source, held in memory as blocks.
std::vector<attention::Block> read_blocks(const attention::SampleSource& source, std::int64_t first,
                                          std::int64_t count, const RunControl& control);

/// The examples with the given indices, in that order, in one block.
attention::Block gather(const attention::SampleSource& source, const std::vector<std::int64_t>& examples);

}  // namespace hardhead::learner
