#include "attention/samples/inputs.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <vector>

#include "attention/forward/single_block.h"

namespace hardhead::attention {
namespace {

// The item of the stream that the n-th of these examples has.
std::uint64_t item(const Examples& examples, Index n) {
  return static_cast<std::uint64_t>(examples[n]);
}

// The random bits of some examples: word w of all of them, then word w + 1. A feature's bits are then at one
// place of all that are at hand.
class DrawnBits {
 public:
  // Of `examples` items of the stream, from the one of number `first` among those.
  DrawnBits(const Stream& stream, const Examples& of, Index first, Index examples, Index bits)
      : count_(static_cast<std::size_t>(examples)),
        words_(static_cast<std::size_t>((bits + 255) / 256 * 4) * count_) {
    for (Index b = 0; 256 * b < bits; ++b)
      for (std::size_t n = 0; n < count_; ++n) {
        const auto four = stream.bits(item(of, first + static_cast<Index>(n)), static_cast<std::uint64_t>(b));
        for (std::size_t w = 0; w < 4; ++w)
          words_[(4 * static_cast<std::size_t>(b) + w) * count_ + n] = four[w];
      }
  }

  // to(n, word) for each example: bits at, .. at + number - 1 are the lowest of the word, others above them.
  template <class To>
  void each(Index at, Index number, const To& to) const {
    const Index shift = at % 64;
    const std::uint64_t* const from = words_.data() + static_cast<std::size_t>(at / 64) * count_;
    if (shift + number <= 64)
      for (std::size_t n = 0; n < count_; ++n) to(n, from[n] >> shift);
    else  // some of the bits are in the next word
      for (std::size_t n = 0; n < count_; ++n) to(n, from[n] >> shift | from[count_ + n] << (64 - shift));
  }

 private:
  std::size_t count_;
  std::vector<std::uint64_t> words_;
};

Index drawn_features(Inputs inputs, Index d) {
  return d - (has_constant_feature(inputs) ? 1 : 0);
}

// As many examples at a time as a block usually has: blocks may be large.
void draw_signs(Inputs inputs, const Stream& stream, const Examples& examples, Block& block) {
  const Index d = drawn_features(inputs, block.d());
  for (Index first = 0; first < block.count; first += block_size) {
    const DrawnBits bits(stream, examples, first, std::min(block_size, block.count - first), block.k * d);
    for (Index a = 0; a < block.k; ++a)
      for (Index f = 0; f < d; ++f) {
        double* const to = block.x.row(f).data() + block.column(a, first);
        bits.each(a * d + f, 1, [to](std::size_t n, std::uint64_t word) {  // the bit becomes the sign of 1.0
          to[n] = std::bit_cast<double>(std::bit_cast<std::uint64_t>(1.0) | word << 63);
        });
      }
  }
}

void draw_numbers(Inputs inputs, const Stream& stream, const Examples& examples, Block& block) {
  const bool on_sphere = inputs == Inputs::sphere || inputs == Inputs::sphere_and_one;
  const Index d = drawn_features(inputs, block.d());
  std::vector<double> numbers(static_cast<std::size_t>(block.k * d));
  for (Index n = 0; n < block.count; ++n) {
    stream.normals(item(examples, n), numbers);
    for (Index a = 0; a < block.k; ++a) {
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

}  // namespace

void draw_tokens(Inputs inputs, const Stream& stream, const Examples& examples, Block& block) {
  if (has_constant_feature(inputs)) block.x.row(block.d() - 1).setOnes();
  if (are_signs(inputs))
    draw_signs(inputs, stream, examples, block);
  else
    draw_numbers(inputs, stream, examples, block);
}

void draw_tokens(Inputs inputs, const Stream& stream, const Examples& examples, SingleBlock& block) {
  assert(are_signs(inputs));
  const Index d = drawn_features(inputs, block.d());
  const DrawnBits bits(stream, examples, 0, block.count, block.k * d);
  for (Index a = 0; a < block.k; ++a)
    for (Index f = 0; f < d; f += 4) {
      const Index number = std::min<Index>(4, d - f);
      const std::uint64_t mask = (1U << number) - 1;
      std::uint8_t* const to = block.group(f / 4, a);
      bits.each(a * d + f, number, [to, mask](std::size_t n, std::uint64_t word) {
        to[n] = static_cast<std::uint8_t>(word & mask);
      });
    }
}

}  // namespace hardhead::attention
