#pragma once
#include "lwe/problem/samples.h"

namespace hardhead::lwe {

/// log2 of how many x in Z_q^n have <a_i, x> = 0 mod q for every sample: secrets that differ by such an x
/// have the same residuals, and no label tells them apart. 0 if there is x = 0 alone.
///
/// The rows are brought into a triangular form one by one (for q = 2^l the Howell form): a pivot 2^e u, u a
/// unit, leaves its unknown 2^e values, and a column without a pivot leaves it q. O(n^2) operations a row,
/// and rows past those that leave x = 0 alone are not looked at. q is a prime or a power of two, and the
/// samples fit it.
double log2_kernel(const Samples& samples, std::int64_t q);

}  // namespace hardhead::lwe
