#include "learner/certificate/row_content.h"

#include <algorithm>
#include <bit>
#include <vector>

namespace hardhead::learner {

using namespace attention;

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

}  // namespace

std::uint64_t row_content(const Block& block, Index row, Index example) {
  const Index d = block.d();
  const auto entry = [&](Index f, Index a) { return block.x(f, block.column(a, example)); };
  double sign = 1;
  for (Index f = 0; f < d; ++f)
    if (entry(f, row) != 0) {
      sign = entry(f, row) > 0 ? 1 : -1;
      break;
    }
  std::vector<std::uint64_t> tokens(static_cast<std::size_t>(block.k));
  for (Index a = 0; a < block.k; ++a)
    for (Index f = 0; f < d; ++f)  // plus zero, so that -0 is 0
      tokens[static_cast<std::size_t>(a)] += place(f, std::bit_cast<std::uint64_t>(sign * entry(f, a) + 0.0));
  std::uint64_t content = place(0, tokens[static_cast<std::size_t>(row)]);
  std::sort(tokens.begin(), tokens.end());
  for (Index a = 0; a < block.k; ++a) content += place(a + 1, tokens[static_cast<std::size_t>(a)]);
  return std::max<std::uint64_t>(content, 1);
}

}  // namespace hardhead::learner
