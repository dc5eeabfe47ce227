#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "attention/samples/reduce_blocks.h"
#include "base/run/run_context.h"

namespace hardhead::learner {

/// Blocks in memory that sums over all of them start from one copy of zero, which may be large.
inline constexpr std::int64_t blocks_a_run = 4;

/// Examples first .. first + count - 1 of a source, held in memory as blocks.
std::vector<attention::Block> read_blocks(const attention::SampleSource& source, std::int64_t first,
                                          std::int64_t count, const RunContext& context);

/// The examples with the given indices, in that order, in one block. They are read in parallel, block_size at
/// a time; `look(first, some)`, if there is one, is called with each such part, examples first .. first +
/// some.count - 1 of the block, by several threads at a time. Throws Stopped.
attention::Block gather(
    const attention::SampleSource& source, const std::vector<std::int64_t>& examples,
    const RunContext& context,
    const std::function<void(attention::Index first, const attention::Block& some)>& look = {});

}  // namespace hardhead::learner
