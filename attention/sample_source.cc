#include "attention/sample_source.h"

#include <fmt/format.h>

#include "base/error.h"

namespace hardhead::attention {

void LayerTeacher::label(Block& block) const {
  Forward::Workspace workspace;
  forward_.apply(block, workspace);
}

SimulatedSource::SimulatedSource(std::shared_ptr<const Teacher> teacher, Index d, Index k, Inputs inputs,
                                 Stream stream)
    : teacher_(std::move(teacher)), d_(d), k_(k), inputs_(inputs), stream_(stream) {}

void SimulatedSource::read(std::int64_t first, Block& block) const {
  draw_tokens(inputs_, stream_, static_cast<std::uint64_t>(first), block);
  teacher_->label(block);
}

EnumerationSource::EnumerationSource(std::shared_ptr<const Teacher> teacher, Index d, Index k)
    : teacher_(std::move(teacher)), d_(d), k_(k) {
  constexpr Index limit = 24;
  if (k * d > limit)
    throw InputError(fmt::format("enumeration of 2^(k*d) inputs needs k*d <= {}, not {}", limit, k * d));
}

void EnumerationSource::read(std::int64_t first, Block& block) const {
  for (Index a = 0; a < k_; ++a)
    for (Index f = 0; f < d_; ++f)
      for (Index n = 0; n < block.count; ++n)
        block.x(f, block.column(a, n)) = ((first + n) >> (a * d_ + f)) & 1 ? -1.0 : 1.0;
  teacher_->label(block);
}

SourceRange::SourceRange(const SampleSource& source, std::int64_t first, std::int64_t count)
    : source_(&source), first_(first), count_(count) {
  if (first < 0 || count < 0 || (source.size() != unlimited && count > source.size() - first))
    throw InputError(fmt::format("examples {} .. {} are not all there: the source has {}", first,
                                 first + count - 1, source.size()));
}

}  // namespace hardhead::attention
