#include "attention/samples/inputs.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

#include "attention/forward/single_block.h"

namespace hardhead::attention {

void draw_tokens(Inputs inputs, const Stream& stream, std::uint64_t first, Block& block) {
  const bool constant = has_constant_feature(inputs);
  const bool on_sphere = inputs == Inputs::sphere || inputs == Inputs::sphere_and_one;
  const Index d = block.d() - (constant ? 1 : 0), k = block.k;  // features that are drawn
  std::vector<double> numbers(static_cast<std::size_t>(k * d));
  if (constant) block.x.row(d).setOnes();
  for (Index n = 0; n < block.count; ++n) {
    const std::uint64_t example = first + static_cast<std::uint64_t>(n);
    if (are_signs(inputs))
      stream.signs(example, numbers);
    else
      stream.normals(example, numbers);
    for (Index a = 0; a < k; ++a) {
      const double* token = numbers.data() + a * d;
      double scale = 1;
      if (on_sphere) {
        double norm2 = 0;
        for (Index f = 0; f < d; ++f) norm2 += token[f] * token[f];
        scale = std::sqrt(static_cast<double>(d) / norm2);
      }
      for (Index f = 0; f < d; ++f) block.x(f, block.column(a, n)) = scale * token[f];
    }
  }
}

namespace {

// The n-th example of the block is item example(n) of the stream.
template <class ExampleOf>
void draw_signs(Inputs inputs, const Stream& stream, const ExampleOf& example, SingleBlock& block) {
  assert(are_signs(inputs));
  const Index d = block.d() - (has_constant_feature(inputs) ? 1 : 0), k = block.k, drawn = k * d;
  // Word w of all examples, then word w + 1: a group's bits are then at one place of all that are at hand.
  constexpr auto places = static_cast<std::size_t>(block_size);
  const auto count = static_cast<std::size_t>(block.count);
  std::vector<std::uint64_t> words(static_cast<std::size_t>((drawn + 255) / 256 * 4) * places);
  for (Index b = 0; 256 * b < drawn; ++b)
    for (std::size_t n = 0; n < count; ++n) {
      const auto four = stream.bits(example(n), static_cast<std::uint64_t>(b));
      for (std::size_t w = 0; w < 4; ++w) words[(4 * static_cast<std::size_t>(b) + w) * places + n] = four[w];
    }
  std::size_t at = 0;
  for (Index a = 0; a < k; ++a)
    for (Index f = 0; f < d; f += 4) {
      const std::size_t bits = std::min<std::size_t>(4, static_cast<std::size_t>(d - f)), shift = at % 64;
      const std::uint64_t mask = (1U << bits) - 1;
      const std::uint64_t* const from = words.data() + at / 64 * places;
      std::uint8_t* const to = block.group(f / 4, a);
      if (shift + bits <= 64)
        for (std::size_t n = 0; n < count; ++n) to[n] = static_cast<std::uint8_t>(from[n] >> shift & mask);
      else  // some of the bits are in the next word
        for (std::size_t n = 0; n < count; ++n)
          to[n] = static_cast<std::uint8_t>((from[n] >> shift | from[places + n] << (64 - shift)) & mask);
      at += bits;
    }
}

}  // namespace

void draw_tokens(Inputs inputs, const Stream& stream, std::uint64_t first, SingleBlock& block) {
  draw_signs(inputs, stream, [&](std::size_t n) { return first + n; }, block);
}

void draw_tokens(Inputs inputs, const Stream& stream, std::span<const std::int64_t> examples,
                 SingleBlock& block) {
  assert(static_cast<std::size_t>(block.count) == examples.size());
  draw_signs(inputs, stream, [&](std::size_t n) { return static_cast<std::uint64_t>(examples[n]); }, block);
}

}  // namespace hardhead::attention
