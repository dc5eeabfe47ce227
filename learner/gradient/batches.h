#pragma once
#include <cstdint>
#include <vector>

#include "attention/samples/sample_source.h"
#include "learner/gradient/float_block.h"

namespace hardhead::learner {

/// The batches of a descent: examples 0, 1, .. of a source, never one twice before all `fitted` have been
/// taken. Where they run out they are taken again, in a new random order each time if they fit in memory, and
/// in the same order otherwise.
class Batches {
 public:
  /// Examples that are taken more than once are kept where they take at most this many bytes.
  static constexpr double most_kept_bytes = 256.0 * 1024 * 1024;

  /// For `steps` batches of `batch` examples each. The source must outlive it.
  Batches(const SampleSource& source, std::int64_t fitted, std::int64_t batch, std::int64_t steps,
          const Stream& order);

  /// Moves to the next batch. Before the first call there is none.
  void next();
  /// Blocks of the batch under way; each has at most float_block_size(k) examples.
  std::size_t blocks() const { return pieces_.size(); }
  /// The examples of one of them; `buffer` is scratch. Safe to call from several threads at once for
  /// different blocks, in any order.
  void read(std::size_t block, Block& buffer, FloatBlock& out);

  /// Bytes that a descent keeps of its examples.
  static double kept_bytes(Index d, Index k, std::int64_t fitted, std::int64_t batch, std::int64_t steps);
  /// With its orders of examples: all bytes of the batches.
  static double bytes(Index d, Index k, std::int64_t fitted, std::int64_t batch, std::int64_t steps);

 private:
  // Examples first .. first + count - 1 of the source, or the ones that again_ lists there.
  struct Piece {
    bool kept;
    std::int64_t first, count;
  };

  void shuffle(std::int64_t round);
  void keep(std::int64_t first, const Block& block);
  void take_again(const Piece& piece, Block& block) const;

  const SampleSource& source_;
  std::int64_t fitted_, batch_;
  Stream order_stream_;
  std::int64_t taken_ = 0;           // examples of all batches so far
  std::int64_t kept_until_ = 0;      // of them those that were kept before the batch under way
  std::vector<Piece> pieces_;        // of the batch under way
  std::vector<std::int64_t> order_;  // of the round under way, if that is not the first
  std::vector<std::int64_t> again_;  // examples of the batch under way that were taken before
  std::vector<float> kept_;          // example by example: x, then y, token by token; empty if not kept
};

}  // namespace hardhead::learner
