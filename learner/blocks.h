#pragma once
#include <cstdint>
#include <vector>

#include "attention/sample_source.h"
#include "base/run_control.h"

namespace hardhead::learner {

/// Examples first .. first + count - 1 of a source, held in memory as blocks.
std::vector<attention::Block> read_blocks(const attention::SampleSource& source, std::int64_t first,
                                          std::int64_t count, const RunControl& control);

/// The examples with the given indices, in that order, in one block.
attention::Block gather(const attention::SampleSource& source, const std::vector<std::int64_t>& examples);

}  // namespace hardhead::learner
