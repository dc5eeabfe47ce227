#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "attention/samples/sample_source.h"
#include "hardness/challenge/terms.h"

/// Hidden layers for others to find: examples are published, the layer is not, and an answer can be checked.
///
/// A challenge has a spec without a seed, training examples, test inputs without labels, and a commitment to
/// the test labels (commitment.h). Its secret is drawn from the operating system's entropy and kept nowhere
/// unless its maker asks for it.
///
///     secret            Stream(Domain::instance, 0, 256 bits of entropy)    a key of 128 bits; not published
///     label noise       Stream(Domain::samples, 0, 256 other bits)          the same
///     training inputs   Stream(Domain::samples, training_seed)              64 other bits; published
///     test inputs       Stream(Domain::test, test_seed)                     64 other bits; published
///
/// Inputs are given by their seeds, so that a million examples are a file of 64 KiB: one label g of q values
/// takes log2(q) bits, and only where the switch is on (terms.h). Anyone with SHA-256 and Philox4x64-10 can
/// draw them (docs/challenges/README.md does it with NumPy).
///
/// # What the published numbers tell
///
/// - *The secret by exhaustive search*, as the training labels alone do: whoever tries secrets needs no
///   commitment. The number of secrets is public (Terms::log2_secrets): C(d-1, m) for `parity`, q^n for
///   uniform others. Trying keys of the stream instead, 2^128 of them, is no shorter way for any family with
///   fewer secrets; a uniform secret of more than 128 bits, and the layer of `nice`, has the 128 bits of the
///   key.
/// - *Test labels by trying them*: half of the 512 test inputs have the switch on, so that 2^256 answers are
///   possible. Who has all but a few labels right can find the others by hashing. An answer that verifies is
///   therefore nearly right before, and all right after.
/// - *Test inputs of `nice`* are drawn again, all of them with a new seed, until no label is near to where
///   rounding turns (rounds_safely). If a seed passes with probability P, whatever the layer, the sum over
///   seeds of max over layers P(seed | layer) is at most 1/P: nobody who guesses is more than 1/P times as
///   likely to be right for knowing the seed. That is log2(1/P), about five bits, of the whole layer's
///   (tests/challenge/leaks_test.cc). For other families nothing is drawn twice, and only labels depend on
///   the secret.
/// - *Numbers of doubles*: labels of families with a switch are stored as integers, so there are no last bits
///   to read (hardness/hardness.h, trap 2).
///
/// Philox is no cipher: it has withstood every statistical test, and no proof says that its key cannot be
/// found from its output. The output of the secret streams is published only as labels.
namespace hardhead::challenge {

/// Training examples, at most.
inline constexpr std::int64_t most_examples = std::int64_t{1} << 26;

/// All that is published of one.
struct LayerChallenge {
  Terms terms;                      ///< what it is
  std::int64_t examples = 0;        ///< training examples
  std::uint64_t training_seed = 0;  ///< of their inputs
  std::vector<lwe::Residue> g;      ///< behind a switch: the labels, of examples with the switch on
  std::vector<double> y;            ///< nice: the labels [examples, k, d]
  std::int64_t test_examples = 0;   ///< test inputs
  std::uint64_t test_seed = 0;      ///< of them
  std::string salt, commitment;     ///< of the test labels
};

/// Test examples of these terms: 512 behind a switch; of `nice` as many as have 1536 numbers, at least one.
std::int64_t test_examples_of(const Terms& terms);

/// The test inputs, with labels 0.
attention::Block test_inputs(const LayerChallenge& challenge);

/// The training examples as a source that keeps `challenge`. Throws InputError if there are more or fewer
/// labels than examples with the switch on.
std::unique_ptr<attention::SampleSource> training_examples(LayerChallenge challenge);

/// The training examples of a family with a switch, those of the first `count` that have it on, as samples of
/// the problem behind it: what the attacks of lwe/ take. Throws InputError for `nice`, and as above.
lwe::Challenge training_samples(const LayerChallenge& challenge, std::int64_t count);

}  // namespace hardhead::challenge
