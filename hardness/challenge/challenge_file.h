#pragma once
#include <string>

#include "base/files/atomic_file.h"
#include "hardness/challenge/challenge.h"

namespace hardhead::challenge {

/// A challenge as one safetensors file. Its metadata, all strings:
///
///     schema                         "hardhead.challenge/1"
///     spec                           canonical, without seed
///     training_examples, training_seed, test_examples, test_seed    decimal integers
///     salt, commitment               64 hexadecimal digits each
///     training_labels                behind a switch: how many training examples have the switch on
///
/// and one tensor. For `nice` it is `y`, F64 [training_examples, k, d]. Behind a switch it is `labels`, I8:
/// the labels g of the examples with the switch on, in their order, of b = ceil(log2 levels) bits each. Bit e
/// of label i is bit (b i + e) mod 8 of byte floor((b i + e) / 8); bits past the last are 0.
///
/// The caller commits the file. Throws InputError naming it if it cannot be written.
void write_challenge(AtomicFile& file, const LayerChallenge& challenge);

/// The inverse, for a file that anyone may have written. Throws InputError naming the file, and the key or
/// the tensor: whatever breaks the format, numbers of examples that do not fit each other or the terms,
/// labels out of range or not finite.
LayerChallenge read_layer_challenge(const std::string& path);

/// Whether the file is a safetensors file with this schema. False for what cannot be read.
bool holds_layer_challenge(const std::string& path);

namespace detail {
/// Numbers below 2^bits as bytes, and back.
std::vector<std::uint8_t> pack(std::span<const lwe::Residue> values, int bits);
std::vector<lwe::Residue> unpack(std::span<const std::byte> bytes, std::int64_t count, int bits);
}  // namespace detail

}  // namespace hardhead::challenge
