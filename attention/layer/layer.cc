#include "attention/layer/layer.h"

#include <fmt/format.h>

#include "base/error.h"

namespace hardhead::attention {

Matrix Layer::w_sum() const {
  Matrix sum = Matrix::Zero(d, d);
  for (const Head& head : heads) sum += head.w;
  return sum;
}

void Layer::validate() const {
  if (d < 1) throw InputError(fmt::format("a layer needs d >= 1, not d = {}", d));
  if (heads.empty()) throw InputError("a layer needs at least one head, not m = 0");
  const auto check = [&](const auto& matrix, Index rows, Index columns, const std::string& name) {
    if (matrix.rows() != rows || matrix.cols() != columns)
      throw InputError(fmt::format("{} is {} x {}, but the layer has d = {}{}", name, matrix.rows(),
                                   matrix.cols(), d,
                                   network ? fmt::format(" and width {}", network->width()) : ""));
    for (Index a = 0; a < rows; ++a)
      for (Index b = 0; b < columns; ++b)
        if (!std::isfinite(matrix(a, b)))
          throw InputError(fmt::format("{}[{},{}] is {}, but must be finite", name, a, b, matrix(a, b)));
  };
  for (std::size_t i = 0; i < heads.size(); ++i) {
    check(heads[i].theta, d, d, fmt::format("head {}: theta", i));
    check(heads[i].w, d, d, fmt::format("head {}: w", i));
  }
  if (!network) return;
  const Index width = network->width();
  if (width < 1) throw InputError("a network behind a layer needs at least one unit, not width 0");
  check(network->in, width, d, "network: in");
  check(network->in_bias, width, 1, "network: in_bias");
  check(network->out, d, width, "network: out");
  check(network->out_bias, d, 1, "network: out_bias");
}

}  // namespace hardhead::attention
