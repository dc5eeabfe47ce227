#pragma once
#include <Eigen/Core>
#include <cstring>
#include <utility>

/// Four doubles at once, for the kernels of this folder: a register of AVX2, two of SSE2. Loads and stores
/// need no alignment.
namespace hardhead::attention {

/// A vector of four doubles, by the compilers' vector extension.
using Four = double __attribute__((vector_size(32)));

/// The four doubles from `from` on.
inline Four load(const double* from) {
  Four out;
  std::memcpy(&out, from, sizeof out);
  return out;
}

/// Writes them from `to` on.
inline void store(double* to, const Four& four) {
  std::memcpy(to, &four, sizeof four);
}

/// body(0) .. body(count - 1), written out: g++ 12 leaves arrays of registers in memory where a loop remains.
template <Eigen::Index count, class Body>
void unrolled(const Body& body) {
  [&]<Eigen::Index... i>(std::integer_sequence<Eigen::Index, i...>) {
    (body(std::integral_constant<Eigen::Index, i>()), ...);
  }(std::make_integer_sequence<Eigen::Index, count>());
}

/// Rows a, b, c, d of a 4 x 4 matrix become its columns.
inline void transpose(Four& a, Four& b, Four& c, Four& d) {
  const Four ab_even = __builtin_shufflevector(a, b, 0, 4, 2, 6),
             ab_odd = __builtin_shufflevector(a, b, 1, 5, 3, 7),
             cd_even = __builtin_shufflevector(c, d, 0, 4, 2, 6),
             cd_odd = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  a = __builtin_shufflevector(ab_even, cd_even, 0, 1, 4, 5);
  b = __builtin_shufflevector(ab_odd, cd_odd, 0, 1, 4, 5);
  c = __builtin_shufflevector(ab_even, cd_even, 2, 3, 6, 7);
  d = __builtin_shufflevector(ab_odd, cd_odd, 2, 3, 6, 7);
}

}  // namespace hardhead::attention
