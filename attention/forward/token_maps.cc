#include "attention/forward/token_maps.h"

#include <algorithm>
#include <mutex>
#include <utility>
#include "attention/forward/matrix_product.h"

namespace hardhead::attention {

struct TokenMaps::Tables {
  std::once_flag made;
  std::vector<SignTables> of_matrix;
};

TokenMaps::TokenMaps(RowMatrix stacked) : stacked_(std::move(stacked)), tables_(std::make_shared<Tables>()) {}

void TokenMaps::apply(Index first, const Block& block, const Signs& signs, Eigen::Ref<RowMatrix> out) const {
  if (signs.empty()) {
    set_product(out, stacked_.middleRows(first * d(), out.rows()), block.x);
    return;
  }
  for (Index row = 0; row < out.rows(); row += d())
    tables()[static_cast<std::size_t>(first + row / d())].apply(0, signs, out.middleRows(row, d()));
}

const std::vector<SignTables>& TokenMaps::tables() const {
  std::call_once(tables_->made, [&] {
    for (Index i = 0; i < count(); ++i) tables_->of_matrix.emplace_back(stacked_.middleRows(i * d(), d()));
  });
  return tables_->of_matrix;
}

Index maps_at_once(Index d, Index k) {
  return std::max<Index>(1, Index{512} * 1024 / (8 * d * k * block_size));
}

}  // namespace hardhead::attention
