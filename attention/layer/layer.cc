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
  for (std::size_t i = 0; i < heads.size(); ++i) {
    const auto check = [&](const Matrix& matrix, const char* name) {
      if (matrix.rows() != d || matrix.cols() != d)
        throw InputError(fmt::format("head {}: {} is {} x {}, but the layer has d = {}", i, name,
                                     matrix.rows(), matrix.cols(), d));
      for (Index a = 0; a < d; ++a)
        for (Index b = 0; b < d; ++b)
          if (!std::isfinite(matrix(a, b)))
            throw InputError(
                fmt::format("head {}: {}[{},{}] is {}, but must be finite", i, name, a, b, matrix(a, b)));
    };
    check(heads[i].theta, "theta");
    check(heads[i].w, "w");
  }
}

}  // namespace hardhead::attention
