#pragma once
#include <complex>

#include "lwe/problem/parameters.h"

namespace hardhead::lwe {

/// What a label of learning with rounding says of the low k bits of h, q = 2^l: the Fourier coefficient of
/// the label g(h) (parameters.h: rounded()) at the frequency q / 2^k,
///
///     (1/q) sum_{h < q} g(h) exp(-2 pi i h / 2^k),     1 <= k <= l.
///
/// It is 0 for 2^k up to q/p where p divides q: each level is then a whole number of periods. Where p does
/// not divide q levels are of unequal lengths, and it is of the order of p/q: for k = 1, q = 64 and p = 3 it
/// is -1/64. Since (-1)^h is the product of the low bits of those a_j whose w_j is odd, labels then correlate
/// with a product of that many bits: of one where one entry of w is odd, a statistical query of degree 2 in
/// X.
std::complex<double> rounding_coefficient(const ProblemParameters& parameters, int k);

}  // namespace hardhead::lwe
