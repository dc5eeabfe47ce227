#pragma once
#include "lwe/problem/samples.h"

namespace hardhead::lwe {

/// log2 of how many x in Z_q^n have <a_i, x> = 0 mod q for every sample: secrets that differ by such an x
/// have the same residuals, and no label tells them apart. 0 if there is x = 0 alone.
///
/// The rows are brought into a triangular form one by one (J. Howell, "Spans in the module (Z_m)^s", Linear
/// and Multilinear Algebra 19, 1986): a pivot, which divides q, leaves its unknown as many values, and a
/// column without a pivot leaves it q. O(n^2) operations a row, and rows past those that leave x = 0 alone
/// are not looked at. The samples fit q, any modulus.
double log2_kernel(const Samples& samples, std::int64_t q);

}  // namespace hardhead::lwe
