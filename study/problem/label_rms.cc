#include "study/problem/label_rms.h"

#include <algorithm>
#include <cmath>

#include "attention/samples/reduce_blocks.h"

namespace hardhead::study {

double label_rms(const attention::SampleSource& source, std::int64_t count, const RunContext& context) {
  const double sum =
      attention::reduce_blocks({source, 0, count},
                               Reduction{0.0,
                                         [](double& partial, std::int64_t, const attention::Block& block) {
                                           partial += block.y.squaredNorm();
                                         },
                                         [](double& left, double right) { left += right; }},
                               context, "labels");
  return std::sqrt(sum / static_cast<double>(count * source.k() * source.d()));
}

double largest_label(const attention::SampleSource& source, std::int64_t count, const RunContext& context) {
  return attention::reduce_blocks({source, 0, count},
                                  Reduction{0.0,
                                            [](double& partial, std::int64_t, const attention::Block& block) {
                                              partial = std::max(partial, block.y.cwiseAbs().maxCoeff());
                                            },
                                            [](double& left, double right) { left = std::max(left, right); }},
                                  context, "labels");
}

}  // namespace hardhead::study
