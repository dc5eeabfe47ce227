#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "base/text/option_table.h"
#include "hardness/families/instance.h"

namespace hardhead::hardness {

/// A function of m hidden bits z_1 .. z_m in {-1, +1}, with integer values.
enum class JuntaFunction {
  parity,         ///< z_1 .. z_m
  staircase,      ///< z_1 + z_1 z_2 + .. + z_1 .. z_m
  majority,       ///< sign(z_1 + .. + z_m), 0 for a tie
  conjunction,    ///< -1 where all z_j = -1, else +1
  address,        ///< m = a + 2^a: the data bit whose number the first a bits spell
  scaled_parity,  ///< z_1 .. z_m (2^m + sum_j 2^(j-1) z_j): the sign is the parity, the size spells the bits
  random          ///< +-1, uniformly; the same function for all members and seeds
};

constexpr auto enum_names(JuntaFunction) {
  return std::to_array<EnumName<JuntaFunction>>({{JuntaFunction::parity, "parity"},
                                                 {JuntaFunction::staircase, "staircase"},
                                                 {JuntaFunction::majority, "majority"},
                                                 {JuntaFunction::conjunction, "and"},
                                                 {JuntaFunction::address, "address"},
                                                 {JuntaFunction::scaled_parity, "scaled-parity"},
                                                 {JuntaFunction::random, "random"}});
}

/// The parameters of family `junta`.
struct JuntaOptions {
  attention::Index d = 20;                            ///< features of a token; the last one is the switch
  attention::Index m = 3;                             ///< hidden bits, 1 .. max_junta_bits, at most d - 1
  JuntaFunction function = JuntaFunction::staircase;  ///< of the hidden bits
  std::int64_t base = 4;                              ///< B of the gadget
  std::uint64_t seed = 1;                             ///< which coordinates
};

/// Most hidden bits of a junta: exact weights have 2 (2^m + 1)^2 log2 B bits.
inline constexpr attention::Index max_junta_bits = 8;

/// The function's table: its value at all 2^m points, index z as a word whose bit j - 1 is set where z_j =
/// -1. Throws InputError for m out of range, and an m that is no a + 2^a for `address`.
std::vector<std::int64_t> junta_values(JuntaFunction function, attention::Index m);

/// The table of `junta`.
OptionTable<JuntaOptions> junta_table();

}  // namespace hardhead::hardness
