#include "attention/samples/inputs.h"

#include <cmath>

namespace hardhead::attention {

void draw_tokens(Inputs inputs, const Stream& stream, std::uint64_t first, Block& block) {
  const Index d = block.d(), k = block.k;
  std::vector<double> numbers(static_cast<std::size_t>(k * d));
  for (Index n = 0; n < block.count; ++n) {
    const std::uint64_t example = first + static_cast<std::uint64_t>(n);
    if (inputs == Inputs::boolean)
      stream.signs(example, numbers);
    else
      stream.normals(example, numbers);
    for (Index a = 0; a < k; ++a) {
      const double* token = numbers.data() + a * d;
      double scale = 1;
      if (inputs == Inputs::sphere) {
        double norm2 = 0;
        for (Index f = 0; f < d; ++f) norm2 += token[f] * token[f];
        scale = std::sqrt(static_cast<double>(d) / norm2);
      }
      for (Index f = 0; f < d; ++f) block.x(f, block.column(a, n)) = scale * token[f];
    }
  }
}

}  // namespace hardhead::attention
