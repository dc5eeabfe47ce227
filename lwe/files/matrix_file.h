#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace hardhead::lwe {

/// Rows of integers.
using IntegerMatrix = std::vector<std::vector<std::int64_t>>;

/// fplll's matrix text, one row a pair of brackets:
///
///     [[1 0 5]
///     [0 1 7]
///     ]
///
/// Throws InputError naming file and offset: anything that is not an integer in -2^62 .. 2^62, rows of
/// different lengths, no row or an empty one, text after the end.
IntegerMatrix read_fplll_matrix(const std::string& path);

/// Written whole or not at all.
void write_fplll_matrix(const std::string& path, const IntegerMatrix& matrix);

}  // namespace hardhead::lwe
