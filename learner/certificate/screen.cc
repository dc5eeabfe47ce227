#include "learner/certificate/screen.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "learner/certificate/screen_kernels.h"

namespace hardhead::learner {
namespace {

// The next float above.
float above(double value) {
  return std::nextafter(static_cast<float>(value), std::numeric_limits<float>::infinity());
}

}  // namespace

Screen::Screen(const RowMatrix& w_t, double attention_floor)
    : w_t_(w_t), floor_(std::max(attention_floor, 0.0)) {}

void Screen::judge(const SingleBlock& block, double bound, Floats& scratch, RuledOut& ruled_out) const {
  assert(takes(block.k) && block.groups() == w_t_.groups());
  const auto k = static_cast<std::size_t>(block.k), tiles = static_cast<std::size_t>(w_t_.tiles()),
             places = static_cast<std::size_t>(block_size), needed = screen_rows_scratch(k, tiles);
  scratch.resize(needed + places);
  float* const found = scratch.data() + needed;
  const double rounding = 1.01 * 0x1p-24;
  screen_rows({.k = k,
               .tiles = tiles,
               .label_tiles = static_cast<std::size_t>(block.rows() / 8),
               .groups = static_cast<std::size_t>(w_t_.groups()),
               .places = places,
               .w_sum = w_t_.data(),
               .signs = block.signs.data(),
               .y = block.y.data(),
               .scratch = scratch.data(),
               .floor = static_cast<float>(floor_),
               .bound = above(bound),
               .image_error = above(rounding * static_cast<double>(w_t_.groups()) * w_t_.norm()),
               .label_error = above(block.error),
               .ruled_out = found,
               .next_tokens = {block.next_tokens.data(), block.next_tokens.size()},
               .next_labels = {block.next_labels.data(), block.next_labels.size()}});
  std::transform(found, found + block.count, ruled_out.begin(), [](float one) { return one != 0; });
}

double screen_bytes(Index d, Index k) {
  const auto tokens = static_cast<std::size_t>(k), tiles = static_cast<std::size_t>((d + 7) / 8);
  const std::size_t floats = screen_rows_scratch(tokens, tiles) + static_cast<std::size_t>(block_size);
  return single_block_bytes(d, k) + 4 * static_cast<double>(floats) + single_tables_bytes(d);
}

}  // namespace hardhead::learner
