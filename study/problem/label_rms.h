#pragma once
#include "attention/samples/sample_source.h"
#include "base/run/run_context.h"

namespace hardhead::study {

/// Root mean square of the entries of Y over examples 0 .. count - 1 of `source`. Throws Stopped.
double label_rms(const attention::SampleSource& source, std::int64_t count, const RunContext& context = {});

/// Largest |entry| of Y over the same examples. Throws Stopped.
double largest_label(const attention::SampleSource& source, std::int64_t count,
                     const RunContext& context = {});

}  // namespace hardhead::study
