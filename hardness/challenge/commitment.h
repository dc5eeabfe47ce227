#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace hardhead::challenge {

/// 256 bits of the operating system's entropy (getentropy), as 64 hexadecimal digits. Throws Error where the
/// system has none.
std::string fresh_entropy();
/// 64 bits of it.
std::uint64_t fresh_seed();

/// What is published of labels in place of themselves, as 64 hexadecimal digits:
///
///     SHA-256( 64 | salt | L | codes ),
///
/// the salt as its 64 hexadecimal digits, the codes as decimal numbers with commas between them, L their
/// length in bytes; 64 and L are integers of 8 bytes, little endian. The salt keeps tables that were made for
/// one challenge from serving another. It does not keep anyone from trying: who has few candidates for all
/// codes together finds the right one. A candidate for the secret can be tried on the training labels as
/// well, so the commitment adds nothing to what they allow.
std::string commitment(const std::string& salt, std::span<const std::int64_t> codes);

/// Labels of a nice layer are rounded to multiples of this.
inline constexpr double rounding_unit = 1e-6;
/// How far labels of test inputs are, at least, from where rounding turns. Who is right to within this has
/// the same codes.
inline constexpr double rounding_margin = 1e-9;

/// The codes of labels: the nearest multiples of rounding_unit. Needs |label| < 1e9.
std::vector<std::int64_t> rounded_codes(std::span<const double> labels);
/// Whether every label is at least rounding_margin away from where its code changes.
bool rounds_safely(std::span<const double> labels);

}  // namespace hardhead::challenge
