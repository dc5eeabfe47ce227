#include "attention/samples/label_noise.h"

#include <utility>
#include <vector>

namespace hardhead::attention {

void GaussianNoise::apply(std::int64_t first, const Stream& noise, Block& block) const {
  const Index d = block.d();
  std::vector<double> normals(static_cast<std::size_t>(block.k * d));
  for (Index n = 0; n < block.count; ++n) {
    noise.normals(static_cast<std::uint64_t>(first + n), normals);
    for (Index a = 0; a < block.k; ++a)
      for (Index f = 0; f < d; ++f)
        block.y(f, block.column(a, n)) += sigma_ * normals[static_cast<std::size_t>(a * d + f)];
  }
}

NoisySource::NoisySource(std::shared_ptr<const SampleSource> source, std::shared_ptr<const LabelNoise> law,
                         Stream noise)
    : source_(std::move(source)), law_(std::move(law)), noise_(noise) {}

void NoisySource::read(std::int64_t first, Block& block) const {
  source_->read(first, block);
  law_->apply(first, noise_, block);
}

}  // namespace hardhead::attention
