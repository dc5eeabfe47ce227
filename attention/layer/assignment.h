#pragma once
#include <vector>

#include "attention/layer/layer.h"

namespace hardhead::attention {

/// Assignment of least total cost: result[row] = column, for a square matrix of finite costs. The Hungarian
/// method with potentials, O(n^3); ties go to the smaller index.
std::vector<Index> cheapest_assignment(const Matrix& cost);

}  // namespace hardhead::attention
