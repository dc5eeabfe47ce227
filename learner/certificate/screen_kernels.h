#pragma once
#include <cstddef>
#include <cstdint>

namespace hardhead::learner {

/// A range of memory.
struct MemoryRange {
  const std::byte* from = nullptr;  ///< its first byte
  std::size_t bytes = 0;            ///< how many
};

/// What screen_rows() reads and writes: plain pointers, since it is compiled with settings of its own, for
/// which other headers must not be compiled. Layouts as in SingleBlock and SingleTables (attention), whose
/// `places` is block_size.
struct ScreenRows {
  std::size_t k = 0, tiles = 0, label_tiles = 0, groups = 0, places = 0;  ///< sizes
  const float* w_sum = nullptr;                                           ///< tables of W_sum^T
  const std::uint8_t* signs = nullptr;                                    ///< of the tokens
  const float* y = nullptr;                                               ///< labels
  float* scratch = nullptr;                                               ///< screen_rows_scratch() floats
  float floor = 0, bound = 0;                                             ///< as Screen::judge() has them
  float image_error = 0, label_error = 0;  ///< at most, of an image and of a row of labels
  float* ruled_out = nullptr;              ///< `places` numbers: 1 where all rows are, else 0
  MemoryRange next_tokens;                 ///< asked for meanwhile, as far as time allows
  MemoryRange next_labels;                 ///< asked for after next_tokens
};

/// Floats of scratch for these sizes.
std::size_t screen_rows_scratch(std::size_t k, std::size_t tiles);

/// Judges all rows of all places (screen.h). Needs 2 <= k <= 4, and `places` a multiple of 48.
void screen_rows(const ScreenRows& rows);

}  // namespace hardhead::learner
