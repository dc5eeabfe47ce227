#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "attention/samples/reduce_blocks.h"
#include "base/run/parallel.h"
#include "base/run/run_context.h"
#include "learner/attention_names.h"

namespace hardhead::learner {

/// Blocks in memory that sums over all of them start from one copy of zero, which may be large.
inline constexpr std::int64_t blocks_a_run = 4;

/// The sum of what add(part, b) adds to parts for b < blocks, each part a copy of `zero`; parts join by +=,
/// or one by one if they are lists. The same for any number of threads. Throws Stopped.
template <class Sum, class Add>
Sum sum_over_blocks(std::size_t blocks, const Sum& zero, const StopToken& stop, const Add& add) {
  return deterministic_reduce(
      static_cast<std::int64_t>(blocks), blocks_a_run, zero,
      [&](Sum& part, std::int64_t b) {
        stop.check();
        add(part, static_cast<std::size_t>(b));
      },
      [](Sum& left, const Sum& right) {
        if constexpr (requires { left += right; })
          left += right;
        else
          for (std::size_t i = 0; i < left.size(); ++i) left[i] += right[i];
      });
}

/// Examples of all blocks.
std::int64_t examples_in(const std::vector<Block>& blocks);

/// Examples first .. first + count - 1 of a source, held in memory as blocks.
std::vector<Block> read_blocks(const SampleSource& source, std::int64_t first, std::int64_t count,
                               const RunContext& context);

/// The examples with the given indices, in that order, in one block. They are read in parallel, block_size at
/// a time; `look(first, some)`, if there is one, is called with each such part, examples first .. first +
/// some.count - 1 of the block, by several threads at a time. Throws Stopped.
Block gather(const SampleSource& source, const std::vector<std::int64_t>& examples, const RunContext& context,
             const std::function<void(Index first, const Block& some)>& look = {});

}  // namespace hardhead::learner
