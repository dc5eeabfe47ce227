#include "learner/gradient/batches.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace hardhead::learner {

double Batches::kept_bytes(Index d, Index k, std::int64_t fitted, std::int64_t batch, std::int64_t steps) {
  const double bytes = 4.0 * 2 * static_cast<double>(d * k) * static_cast<double>(fitted);
  const bool again = static_cast<double>(batch) * static_cast<double>(steps) > static_cast<double>(fitted);
  return again && bytes <= most_kept_bytes ? bytes : 0;
}

double Batches::bytes(Index d, Index k, std::int64_t fitted, std::int64_t batch, std::int64_t steps) {
  constexpr double of_piece = sizeof(Piece), of_order = sizeof(std::int64_t);
  const double kept = kept_bytes(d, k, fitted, batch, steps);
  const double pieces = static_cast<double>(batch / float_block_size(k) + 2),
               ordered = kept > 0 ? static_cast<double>(fitted + 2 * batch) : 0;
  return kept + 2 * of_piece * pieces + of_order * ordered;
}

Batches::Batches(const SampleSource& source, std::int64_t fitted, std::int64_t batch, std::int64_t steps,
                 const Stream& order)
    : source_(source), fitted_(fitted), batch_(batch), order_stream_(order) {
  kept_.resize(static_cast<std::size_t>(kept_bytes(source.d(), source.k(), fitted, batch, steps) / 4));
}

void Batches::next() {
  pieces_.clear();
  again_.clear();
  kept_until_ = std::min(taken_, fitted_);
  const Index most = float_block_size(source_.k());
  for (std::int64_t done = 0; done < batch_;) {
    const std::int64_t round = taken_ / fitted_, at = taken_ % fitted_;
    const std::int64_t count = std::min<std::int64_t>({most, batch_ - done, fitted_ - at});
    const bool kept = round > 0 && !kept_.empty();
    if (kept && at == 0) shuffle(round);
    pieces_.push_back({kept, kept ? static_cast<std::int64_t>(again_.size()) : at, count});
    if (kept) again_.insert(again_.end(), order_.begin() + at, order_.begin() + at + count);
    done += count;
    taken_ += count;
  }
}

// Fisher-Yates.
void Batches::shuffle(std::int64_t round) {
  order_.resize(static_cast<std::size_t>(fitted_));
  std::iota(order_.begin(), order_.end(), 0);
  for (std::int64_t left = fitted_; left > 1; --left) {
    const std::uint64_t item = static_cast<std::uint64_t>(round) * static_cast<std::uint64_t>(fitted_) +
                               static_cast<std::uint64_t>(left);
    const auto other = order_stream_.below(item, static_cast<std::uint64_t>(left));
    std::swap(order_[static_cast<std::size_t>(left - 1)], order_[static_cast<std::size_t>(other)]);
  }
}

void Batches::read(std::size_t block, Block& buffer, FloatBlock& out) {
  const Piece& piece = pieces_[block];
  buffer.resize(source_.d(), source_.k(), piece.count);
  if (piece.kept) {
    take_again(piece, buffer);
  } else {
    source_.read(piece.first, buffer);
    if (!kept_.empty()) keep(piece.first, buffer);
  }
  out.take(buffer);
}

void Batches::keep(std::int64_t first, const Block& block) {
  float* to = kept_.data() + first * 2 * block.d() * block.k;
  for (Index n = 0; n < block.count; ++n)
    for (const RowMatrix* matrix : {&block.x, &block.y})
      for (Index a = 0; a < block.k; ++a)
        for (Index f = 0; f < block.d(); ++f) *to++ = static_cast<float>((*matrix)(f, block.column(a, n)));
}

// In the batch in which the first round ends, an example of the second may be one that this batch takes for
// the first time: another thread may be keeping it, so it is read anew.
void Batches::take_again(const Piece& piece, Block& block) const {
  for (Index n = 0; n < block.count; ++n) {
    const std::int64_t example = again_[static_cast<std::size_t>(piece.first + n)];
    if (example >= kept_until_) {
      Block one(block.d(), block.k, 1);
      source_.read(example, one);
      for (Index a = 0; a < block.k; ++a) {
        block.x.col(block.column(a, n)) = one.x.col(a).cast<float>().cast<double>();
        block.y.col(block.column(a, n)) = one.y.col(a).cast<float>().cast<double>();
      }
      continue;
    }
    const float* from = kept_.data() + example * 2 * block.d() * block.k;
    for (RowMatrix* matrix : {&block.x, &block.y})
      for (Index a = 0; a < block.k; ++a)
        for (Index f = 0; f < block.d(); ++f) (*matrix)(f, block.column(a, n)) = *from++;
  }
}

}  // namespace hardhead::learner
