#include "attention/label_noise.h"

#include <utility>

namespace hardhead::attention {

WrongLabelSource::WrongLabelSource(std::shared_ptr<const SampleSource> source,
                                   std::shared_ptr<const LabelNoise> law, Stream noise)
    : source_(std::move(source)), law_(std::move(law)), noise_(noise) {}

void WrongLabelSource::read(std::int64_t first, Block& block) const {
  source_->read(first, block);
  law_->apply(first, noise_, block);
}

}  // namespace hardhead::attention
