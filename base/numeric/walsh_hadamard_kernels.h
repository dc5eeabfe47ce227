#pragma once
#include <cstddef>
#include <cstdint>

namespace hardhead {

/// What walsh_hadamard.h computes, in plain pointers, since it is compiled with settings of its own, for
/// which other headers must not be compiled. Sums wrap.

/// Bits of the largest array that transform_block() takes: it stays in a second-level cache.
inline constexpr int walsh_hadamard_block_bits = 14;
/// Transforms 2^n entries in place; n <= walsh_hadamard_block_bits.
void transform_block(std::uint64_t* x, int n);

/// Transforms each of `width` columns of 2^bits rows, which lie `step` apart, in place; 1 <= bits <= 4.
void transform_rows(std::uint64_t* x, int bits, std::size_t step, std::size_t width);

}  // namespace hardhead
