#include "attention/samples/inputs.h"

#include <cmath>

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

}  // namespace hardhead::attention
