#pragma once
#include "attention/sample_source.h"
#include "base/run_control.h"

namespace hardhead::study {

/// Root mean square of the entries of Y over examples 0 .. count - 1 of `source`. Throws Stopped.
double label_rms(const attention::SampleSource& source, std::int64_t count, const RunControl& control = {});

}  // namespace hardhead::study
