#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

/// The Walsh-Hadamard transform, in integers and in place:
///
///     y[S] = sum_z (-1)^<S, z> x[z],     S, z in {0,1}^n read as numbers, 2^n entries.
///
/// Applied twice it multiplies by 2^n. For x[z] = b(z), y[S] / 2^n is the Fourier coefficient bhat(S).
namespace hardhead {

/// Transforms each of the x.size() / 2^n consecutive arrays of 2^n entries, on all cores of the calling
/// arena. A batch of small arrays is divided between arrays, and a large array within. An array takes n 2^n
/// additions. The result is exact where sum |x[z]| <= 2^63 - 1 in each array, which the caller promises; sums
/// wrap otherwise.
///
/// Throws InputError unless 0 <= n <= 40 and x.size() is a positive multiple of 2^n.
void walsh_hadamard(std::span<std::int64_t> x, int n);

/// The transform of one array of 2^n values of any type that adds and subtracts, on the calling thread, one
/// bit of the index after the other from the lowest: the order of additions is fixed, and with it the
/// rounding of real and complex sums. For int64 walsh_hadamard() is much faster.
template <class Value>
void simple_walsh_hadamard(std::span<Value> x) {
  for (std::size_t half = 1; half < x.size(); half *= 2)
    for (std::size_t start = 0; start < x.size(); start += 2 * half)
      for (std::size_t i = start; i < start + half; ++i) {
        const Value a = x[i], b = x[i + half];
        x[i] = a + b;
        x[i + half] = a - b;
      }
}

/// As walsh_hadamard() for one array, having checked that no sum can leave int64: sum |x[z]| <= 2^63 - 1.
/// Every entry of y and every partial sum on the way is bounded by that sum, and y reaches it where the signs
/// of x are a character's. Throws InputError naming the sum.
void checked_walsh_hadamard(std::span<std::int64_t> x);

}  // namespace hardhead
