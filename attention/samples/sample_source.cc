#include "attention/samples/sample_source.h"

#include <fmt/format.h>
#include <tbb/enumerable_thread_specific.h>

#include <mutex>

#include "attention/forward/forward.h"
#include "attention/forward/single_forward.h"
#include "base/error.h"

namespace hardhead::attention {

// The forward pass in double, and in single precision, which is made when it is first needed. Blocks are
// labelled by the thousand: what each would allocate is of a size that the system's allocator gives back at
// once.
struct LayerTeacher::Passes {
  struct Scratch {
    Forward::Workspace workspace{};
    Block padded{};
    Floats single{};
  };

  explicit Passes(const Layer& given) : layer(given), forward(given) {}

  Layer layer;
  Forward forward;
  std::once_flag single_made{};
  std::optional<SingleForward> single_forward{};
  tbb::enumerable_thread_specific<Scratch> scratch{};
};

LayerTeacher::LayerTeacher(const Layer& layer) : passes_(std::make_unique<Passes>(layer)) {}

LayerTeacher::~LayerTeacher() = default;

void LayerTeacher::label(Block& block) const {
  // Vectorized products and exponentials round the columns left over at the end differently from the rest, so
  // a label would depend on the block its example is read in. With whole tiles of columns there are none left
  // over: 24 is a multiple of the tile height of Eigen's matrix product with 4 (AVX2) and 8 (AVX-512) lanes.
  constexpr Index tile = 24;
  const Index count = block.count, padded_count = (count + tile - 1) / tile * tile;
  auto& [workspace, padded, single] = passes_->scratch.local();
  if (count == padded_count) return passes_->forward.apply(block, workspace);
  padded.resize(block.d(), block.k, padded_count);
  padded.x.setOnes();  // signs stay signs
  for (Index a = 0; a < block.k; ++a) padded.x.middleCols(a * padded_count, count) = block.token(a);
  passes_->forward.apply(padded, workspace);
  for (Index a = 0; a < block.k; ++a)
    block.y.middleCols(a * count, count) = padded.y.middleCols(a * padded_count, count);
}

bool LayerTeacher::label_single(SingleBlock& block) const {
  if (passes_->layer.network || !SingleForward::takes(block.k)) return false;
  std::call_once(passes_->single_made, [&] { passes_->single_forward.emplace(passes_->layer); });
  passes_->single_forward->apply(block, passes_->scratch.local().single);
  return true;
}

void SampleSource::pick(std::span<const std::int64_t> examples, Block& block) const {
  Block one(d(), k(), 1);
  for (Index n = 0; n < block.count; ++n) {
    read(examples[static_cast<std::size_t>(n)], one);
    for (Index a = 0; a < block.k; ++a) {
      block.x.col(block.column(a, n)) = one.x.col(a);
      block.y.col(block.column(a, n)) = one.y.col(a);
    }
  }
}

SimulatedSource::SimulatedSource(std::shared_ptr<const Teacher> teacher, Index d, Index k, Inputs inputs,
                                 Stream stream)
    : teacher_(std::move(teacher)), d_(d), k_(k), inputs_(inputs), stream_(stream) {}

void SimulatedSource::read(std::int64_t first, Block& block) const {
  draw_tokens(inputs_, stream_, first, block);
  teacher_->label(block);
}

void SimulatedSource::pick(std::span<const std::int64_t> examples, Block& block) const {
  draw_tokens(inputs_, stream_, examples, block);
  teacher_->label(block);
}

bool SimulatedSource::read_single(const Examples& examples, SingleBlock& block) const {
  if (!are_signs(inputs_)) return false;
  draw_tokens(inputs_, stream_, examples, block);
  return teacher_->label_single(block);
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

void SourceRange::check(std::int64_t first, std::int64_t count) const {
  if (first < 0 || first > count_ - count)
    throw InputError(
        fmt::format("{} examples from {} on are not all in a range of {}", count, first, count_));
}

void SourceRange::read(std::int64_t first, Block& block) const {
  check(first, block.count);
  source_->read(first_ + first, block);
}

std::vector<std::int64_t> SourceRange::of_source(std::span<const std::int64_t> examples) const {
  std::vector<std::int64_t> indices;
  for (const std::int64_t example : examples) {
    check(example, 1);
    indices.push_back(first_ + example);
  }
  return indices;
}

void SourceRange::pick(std::span<const std::int64_t> examples, Block& block) const {
  source_->pick(of_source(examples), block);
}

bool SourceRange::read_single(const Examples& examples, SingleBlock& block) const {
  if (!examples.listed().empty()) return source_->read_single(of_source(examples.listed()), block);
  check(examples[0], block.count);
  return source_->read_single(first_ + examples[0], block);
}

}  // namespace hardhead::attention
