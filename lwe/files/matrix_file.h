#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace hardhead::lwe {

/// Rows of integers.
using IntegerMatrix = std::vector<std::vector<std::int64_t>>;

/// Writes fplll's matrix text, whole or not at all: one row a pair of brackets,
///
///     [[1 0 5]
///     [0 1 7]
///     ]
void write_fplll_matrix(const std::string& path, const IntegerMatrix& matrix);

}  // namespace hardhead::lwe
