#pragma once
#include <cstddef>
#include <cstdint>

namespace hardhead::attention {

/// Heads whose patterns are kept at a time.
inline constexpr std::size_t heads_at_once = 8;

/// What single_labels() reads and writes: plain pointers, since it is compiled with settings of its own, for
/// which other headers must not be compiled. Layouts as in SingleBlock and SingleTables; `places` is
/// block_size.
struct SingleLabels {
  std::size_t k = 0, heads = 0, tiles = 0, label_tiles = 0, groups = 0, places = 0;  ///< sizes
  const float* const* theta = nullptr;  ///< for each head the tables of Theta_i^T
  const float* const* w = nullptr;      ///< for each head the tables of W_i^T
  const float* w_sum = nullptr;         ///< tables of the sum of all W_i^T
  const std::uint8_t* signs = nullptr;  ///< of the tokens
  float* y = nullptr;                   ///< the labels
  float* scratch = nullptr;             ///< single_labels_scratch() floats
};

/// Floats of scratch for these sizes.
std::size_t single_labels_scratch(std::size_t k, std::size_t tiles, std::size_t places);

/// The forward pass of signs in single precision (single_forward.h). Needs 2 <= k <= 4, and `places` a
/// multiple of 48.
void single_labels(const SingleLabels& labels);

}  // namespace hardhead::attention
