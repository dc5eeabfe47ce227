#pragma once
#include <cstddef>

namespace hardhead::attention {

/// Labels of eight examples on their way from arrays [k, d], which need not be aligned, into a SingleBlock.
struct EightLabels {
  std::size_t k, d, labelled;  ///< tokens, features, and how many features are taken
  const std::byte* from[8];    ///< the examples' arrays
  std::size_t ahead;  ///< bytes from an example to the one that is likely to be taken eight examples later
  float* to;          ///< feature f of row r of the i-th example: to[f * step + r * places + i]
  std::size_t step, places;  ///< as above
};

/// Takes labels in double precision, each rounded once. Features up to the next multiple of eight are 0.
/// Returns the largest squared norm of a row.
float take_doubles(const EightLabels& labels);
float take_floats(const EightLabels& labels);  ///< the same of labels in single precision

}  // namespace hardhead::attention
