#pragma once

namespace hardhead::lwe {

/// Seconds that the steps of the attacks take, on the machine of docs/lwe.md (2 cores of a Zen 4, shared).
/// `hardhead lwe report` prints predicted beside measured seconds: measure again by it, and scale
/// these.
struct MachineSpeeds {
  double start = 1e-4;               ///< an attack's own set-up
  double threads_start = 5e-4;       ///< the same of one that shares its work among threads
  double word_step = 1e-9;           ///< a word read, added and written
  double verify_step = 4e-9;         ///< verification, a coefficient of a sample
  double bit_step = 1e-11;           ///< a bit of a row operation over GF(2)
  double field_step = 3e-9;          ///< a product and sum mod q, in elimination
  double walsh_step = 4e-10;         ///< a butterfly of a Walsh-Hadamard transform of integers
  double fourier_step = 2e-9;        ///< a product and sum of complex numbers, in a transform
  double table_step = 2e-9;          ///< an entry of a table made empty
  double turn = 2e-8;                ///< a sine and cosine
  double mask_bit = 4e-10;           ///< a bit of a mask set
  double mask_block = 2.5e-8;        ///< a block of settings begun
  double mask_and = 6e-9;            ///< an AND of two masks
  double probe = 3e-7;               ///< a half of a secret looked up in a sorted table
  double combine_step = 1.5e-7;      ///< a row of packed coefficients sorted, and a difference of two made
  double decode_exchange = 5e-8;     ///< two samples of an information set and outside exchanged, their start
  double decode_row = 2.5e-9;        ///< a row looked at in it
  double decode_word = 1e-9;         ///< a word added in it
  double decode_choice = 4e-9;       ///< a choice of wrong labels added up, and looked up
  double decode_head = 2e-10;        ///< an entry of the table emptied
  double decode_match = 5e-9;        ///< a match of two choices
  double lattice_start = 1e-3;       ///< a child process
  double lll_step = 3.5e-10;         ///< LLL, times d^4 log2 q
  double bkz_tours = 1e-3;           ///< BKZ, times d 2^((block - 10) / 10)
  double pruned_step = 3e-11;        ///< BKZ's pruned enumeration, from blocks of 30 on, times d^6
  double operations_a_second = 1e9;  ///< elementary operations, by which log2 of them is seconds
};

/// The machine that predictions are for.
inline constexpr MachineSpeeds machine{};

}  // namespace hardhead::lwe
