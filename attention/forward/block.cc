#include "attention/forward/block.h"

namespace hardhead::attention {

void write_as_array(const RowMatrix& values, Index k, double* array) {
  const Index d = values.rows(), count = values.cols() / k;
  for (Index f = 0; f < d; ++f)
    for (Index a = 0; a < k; ++a) {
      const double* from = values.row(f).data() + a * count;
      for (Index n = 0; n < count; ++n) array[(n * k + a) * d + f] = from[n];
    }
}

}  // namespace hardhead::attention
