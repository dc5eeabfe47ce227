#pragma once
#include <cstddef>
#include <span>

namespace hardhead::lwe {

/// In place: values[s] becomes sum_a (-1)^<a,s> values[a]; the length is a power of two.
template <class Value>
void walsh_hadamard(std::span<Value> values) {
  for (std::size_t half = 1; half < values.size(); half *= 2)
    for (std::size_t block = 0; block < values.size(); block += 2 * half)
      for (std::size_t i = block; i < block + half; ++i) {
        const Value x = values[i], y = values[i + half];
        values[i] = x + y;
        values[i + half] = x - y;
      }
}

}  // namespace hardhead::lwe
