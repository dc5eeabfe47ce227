#pragma once
#include <cstddef>
#include <cstdint>

namespace hardhead::attention {

/// The types of numbers in arrays whose examples are taken.
enum class ArrayNumber { byte, single, wide };

/// Examples of an array [.., k, d] in C order, which need not be aligned, on their way into a SingleBlock: of
/// each row, the first `taken` features.
struct ExamplesOfArray {
  ArrayNumber number;            ///< the type of the array's numbers
  std::size_t k, d, taken;       ///< tokens, features, and how many features are taken
  const std::byte* const* from;  ///< where each example is
  std::size_t count;             ///< of examples, a multiple of eight
  std::size_t ahead;   ///< bytes from an example to the one that is likely to be taken eight examples later
  std::size_t places;  ///< from a row to the next, in what is written
};

/// Takes labels, floats or doubles, each rounded once: feature f of row r of the i-th example goes to
/// to[(f k + r) places + i]. Features up to the next multiple of eight are 0. Returns the largest squared
/// norm of a row.
float take_array_labels(const ExamplesOfArray& labels, float* to);

/// Takes tokens of signs in groups of four: the pattern of group g of token a of the i-th example
/// (SingleBlock::signs) goes to to[(g k + a) places + i].
void take_array_signs(const ExamplesOfArray& tokens, std::uint8_t* to);

}  // namespace hardhead::attention
