#include "study/run/test_error.h"

#include <algorithm>

#include "attention/forward/forward.h"
#include "attention/samples/reduce_blocks.h"
#include "attention/samples/relative_error.h"

namespace hardhead::study {
namespace {

using attention::Block;

struct Sums {
  double residual = 0, label = 0;
};

}  // namespace

double test_error(const attention::Layer* layer, const attention::SampleSource& source, std::int64_t count) {
  if (layer == nullptr) return 1;
  const attention::Forward forward(*layer);
  const Sums sums = attention::reduce_blocks({source, 0, std::min(count, source.size())},
                                             Reduction{Sums{},
                                                       [&](Sums& partial, std::int64_t, Block& block) {
                                                         const attention::RowMatrix truth = block.y;
                                                         attention::Forward::Workspace workspace;
                                                         forward.apply(block, workspace);
                                                         partial.residual += (truth - block.y).squaredNorm();
                                                         partial.label += truth.squaredNorm();
                                                       },
                                                       [](Sums& left, const Sums& right) {
                                                         left.residual += right.residual;
                                                         left.label += right.label;
                                                       }},
                                             RunContext{}, "test");
  return attention::relative_error(sums.residual, sums.label);
}

}  // namespace hardhead::study
