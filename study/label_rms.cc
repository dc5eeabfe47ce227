#include "study/label_rms.h"

#include <cmath>

#include "attention/reduce_blocks.h"

namespace hardhead::study {

double label_rms(const attention::SampleSource& source, std::int64_t count, const RunControl& control) {
  const double sum = attention::reduce_blocks(
      source, 0, count, 0.0, control, "labels",
      [](double& partial, std::int64_t, const attention::Block& block) { partial += block.y.squaredNorm(); },
      [](double& left, double right) { left += right; });
  return std::sqrt(sum / static_cast<double>(count * source.k() * source.d()));
}

}  // namespace hardhead::study
