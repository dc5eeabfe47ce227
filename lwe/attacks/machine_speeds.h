#pragma once
#include <array>

namespace hardhead::lwe {

/// The largest block that the program reduces with.
inline constexpr int largest_block = 60;
/// From one block to the next.
inline constexpr int block_step = 10;

/// What lattice reduction by one library takes and reaches: LLL, then BKZ with blocks of 10, 20, .. 60, each
/// on what the one before has left.
///
///     LLL     lll (d / 100)^lll_power log2 q seconds in dimension d
///     BKZ     bkz[i] (d / 100)^bkz_power[i] seconds, blocks of 10 (i + 1)
struct ReductionModel {
  double lll = 0;                     ///< seconds, by log2 q
  double lll_power = 0;               ///< of d
  std::array<double, 6> bkz{};        ///< seconds
  std::array<double, 6> bkz_power{};  ///< of d
  /// delta after LLL and after each block: an embedding whose gap exceeds 0.7 delta^d gives its short vector
  /// away (embedding.h). Fitted to which block found it, and not to the length of the first vector.
  std::array<double, 7> root_hermite{};
};

/// Seconds that the steps of the attacks take, on the machine of docs/lwe.md (2 cores of a Zen 4, shared).
/// `hardhead lwe attack --method all` prints predicted beside measured seconds: measure again by it, and
/// scale these. `bench/lattice_bench --benchmark_filter=reduction` measures the numbers of lattice reduction.
struct MachineSpeeds {
  double start = 1e-4;            ///< an attack's own set-up
  double threads_start = 5e-4;    ///< the same of one that shares its work among threads
  double word_step = 1e-9;        ///< a word read, added and written
  double verify_step = 4e-9;      ///< verification, a coefficient of a sample
  double bit_step = 1e-11;        ///< a bit of a row operation over GF(2)
  double field_step = 3e-9;       ///< a product and sum mod q, in elimination
  double walsh_step = 4e-10;      ///< a butterfly of a Walsh-Hadamard transform of integers
  double fourier_step = 2e-9;     ///< a product and sum of complex numbers, in a transform
  double table_step = 2e-9;       ///< an entry of a table made empty
  double turn = 2e-8;             ///< a sine and cosine
  double mask_bit = 4e-10;        ///< a bit of a mask set
  double mask_block = 2.5e-8;     ///< a block of settings begun
  double mask_and = 6e-9;         ///< an AND of two masks
  double probe = 3e-7;            ///< a half of a secret looked up in a sorted table
  double combine_step = 1.5e-7;   ///< a row of packed coefficients sorted, and a difference of two made
  double decode_exchange = 5e-8;  ///< two samples of an information set and outside exchanged, their start
  double decode_row = 2.5e-9;     ///< a row looked at in it
  double decode_word = 1e-9;      ///< a word added in it
  double decode_choice = 4e-9;    ///< a choice of wrong labels added up, and looked up
  double decode_head = 2e-10;     ///< an entry of the table emptied
  double decode_match = 5e-9;     ///< a match of two choices
  double lattice_start = 1e-3;    ///< a child process
  /// NTL's LLL_FP, and BKZ_FP until nothing changes, pruned from blocks of 30 on.
  ReductionModel ntl{.lll = 0.027,
                     .lll_power = 3.3,
                     .bkz = {0.35, 0.75, 13, 49, 150, 450},
                     .bkz_power = {5, 7, 5, 5, 5, 5},
                     .root_hermite = {1.0219, 1.0135, 1.0114, 1.0108, 1.0105, 1.0102, 1.0099}};
  /// fplll's, with 8 tours of each block.
  ReductionModel fplll{.lll = 0.023,
                       .lll_power = 3.4,
                       .bkz = {0.083, 0.154, 0.27, 0.6, 6.3, 35},
                       .bkz_power = {3.7, 3.6, 3.4, 3.2, 3, 3},
                       .root_hermite = {1.0219, 1.0165, 1.014, 1.0128, 1.0121, 1.0109, 1.0101}};
  double operations_a_second = 1e9;  ///< elementary operations, by which log2 of them is seconds
};

/// The machine that predictions are for.
inline constexpr MachineSpeeds machine{};

}  // namespace hardhead::lwe
