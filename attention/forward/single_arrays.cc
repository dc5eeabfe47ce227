#include "attention/forward/single_arrays.h"

#include <algorithm>

namespace hardhead::attention {
namespace {

constexpr Index group_width = 4;
using FourSigns = std::array<float, group_width>;

/// The signs of four features, by SingleBlock's pattern of them.
constexpr std::array<FourSigns, 16> signs_of_pattern = [] {
  std::array<FourSigns, 16> out{};
  for (std::size_t p = 0; p < out.size(); ++p)
    for (std::size_t t = 0; t < group_width; ++t) out[p][t] = ((p >> t) & 1) != 0 ? -1.0F : 1.0F;
  return out;
}();

}  // namespace

void write_as_arrays(const SingleBlock& block, float* tokens, float* labels) {
  const Index d = block.d(), whole = d / group_width, columns = block.columns();
  for (Index n = 0; n < block.count; ++n)
    for (Index a = 0; a < block.k; ++a, tokens += d, labels += d) {
      const Index place = a * block_size + n;
      const auto signs = [&](Index g) {
        return signs_of_pattern[block.signs[static_cast<std::size_t>(g * columns + place)]];
      };
      for (Index g = 0; g < whole; ++g) std::ranges::copy(signs(g), tokens + group_width * g);
      if (d % group_width != 0)
        std::copy_n(signs(whole).begin(), d % group_width, tokens + group_width * whole);
      for (Index f = 0; f < d; ++f) labels[f] = block.y[static_cast<std::size_t>(f * columns + place)];
    }
}

}  // namespace hardhead::attention
