#include "learner/certificate/row_content.h"

#include <algorithm>
#include <bit>

namespace hardhead::learner {
namespace {

std::uint64_t mix(std::uint64_t z) {  // splitmix64's finaliser, a permutation
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// A random number for every place and word.
std::uint64_t place(Index at, std::uint64_t word) {
  return mix(static_cast<std::uint64_t>(at + 1) * 0x9e3779b97f4a7c15 ^ word);
}

// A token times +1 or -1.
std::uint64_t content_of_token(const Block& block, Index column, double sign) {
  std::uint64_t content = 0;
  for (Index f = 0; f < block.d(); ++f)  // plus zero, so that -0 is 0
    content += place(f, std::bit_cast<std::uint64_t>(sign * block.x(f, column) + 0.0));
  return content;
}

}  // namespace

std::uint64_t row_content(const Block& block, Index row, Index example) {
  const Index query = block.column(row, example);
  Index first = 0;
  while (first + 1 < block.d() && block.x(first, query) == 0) ++first;
  const double sign = block.x(first, query) < 0 ? -1 : 1;
  std::uint64_t content = 0;
  for (Index a = 0; a < block.k; ++a) {
    const std::uint64_t token = content_of_token(block, block.column(a, example), sign);
    content += place(0, token);
    if (a == row) content += place(1, token);
  }
  return std::max<std::uint64_t>(content, 1);
}

}  // namespace hardhead::learner
