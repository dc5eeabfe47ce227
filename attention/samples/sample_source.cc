#include "attention/samples/sample_source.h"

#include <fmt/format.h>

#include "base/error.h"

namespace hardhead::attention {

void LayerTeacher::label(Block& block) const {
  // Vectorized products and exponentials round the columns left over at the end differently from the rest, so
  // a label would depend on the block its example is read in. With whole tiles of columns there are none left
  // over: 24 is a multiple of the tile height of Eigen's matrix product with 4 (AVX2) and 8 (AVX-512) lanes.
  constexpr Index tile = 24;
  const Index count = block.count, padded_count = (count + tile - 1) / tile * tile;
  auto& [workspace, padded] = scratch_.local();
  if (count == padded_count) return forward_.apply(block, workspace);
  padded.resize(block.d(), block.k, padded_count);
  padded.x.setOnes();  // signs stay signs
  for (Index a = 0; a < block.k; ++a) padded.x.middleCols(a * padded_count, count) = block.token(a);
  forward_.apply(padded, workspace);
  for (Index a = 0; a < block.k; ++a)
    block.y.middleCols(a * count, count) = padded.y.middleCols(a * padded_count, count);
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
    throw InputError(fmt::format("{} examples from {} on are not all there: the source has {}", count, first,
                                 source.size()));
}

void SourceRange::read(std::int64_t first, Block& block) const {
  if (first < 0 || first > count_ - block.count)
    throw InputError(
        fmt::format("{} examples from {} on are not all in a range of {}", block.count, first, count_));
  source_->read(first_ + first, block);
}

}  // namespace hardhead::attention
