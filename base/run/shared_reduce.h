#pragma once
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/run/gather_work.h"
#include "base/run/parallel.h"
#include "base/run/run_context.h"

namespace hardhead {

/// Values of one kind as bytes, appended to a string and taken from the front of a view. Native byte order:
/// for the ranks of one job, not for files.
template <class Number>
void put(std::string& to, const Number* numbers, std::size_t count) {
  static_assert(std::is_trivially_copyable_v<Number>);
  to.append(reinterpret_cast<const char*>(numbers), count * sizeof(Number));
}
/// The inverse: reads `count` numbers, which `from` must have.
template <class Number>
void take(std::string_view& from, Number* numbers, std::size_t count) {
  static_assert(std::is_trivially_copyable_v<Number>);
  if (count == 0) return;  // `numbers` may be null then
  std::memcpy(numbers, from.data(), count * sizeof(Number));
  from.remove_prefix(count * sizeof(Number));
}

/// How a partial result travels between ranks: write(value, to) appends it, read(from) takes it off the
/// front.
template <class Value>
struct Serializer {
  void (*write)(const Value&, std::string& to);                  ///< appends the value's bytes
  Value (*read)(std::string_view& from, const Value& identity);  ///< takes them off again
};

/// A sum over indices or blocks: what it starts from, what an index adds, how neighbouring partial sums are
/// joined, and how they travel between ranks.
template <class Value, class Accumulate, class Join>
struct Reduction {
  Value identity;                                 ///< every partial sum starts as a copy of it
  Accumulate accumulate;                          ///< adds what an index, or a block, has to a partial sum
  Join join;                                      ///< join(left, right) -> left
  const Serializer<Value>* serializer = nullptr;  ///< null: every rank makes the whole sum by itself
};

/// deterministic_reduce() over the ranks of a communicator: each rank takes a contiguous share of the
/// indices, partial results are exchanged once, and they are joined in the same tree as in one process. So
/// the result has the same bits for any number of ranks. Every rank returns it. A rank that was
/// stopped stops all, and what is refused on one is refused on all (gather_work.h).
///
/// What is sent: at most 2 log2(count / grain) partial results a rank.
template <class Value, class Accumulate, class Join>
Value shared_reduce(std::int64_t count, std::int64_t grain,
                    const Reduction<Value, Accumulate, Join>& reduction, const RunContext& context) {
  const Communicator* communicator = context.communicator;
  if (communicator == nullptr || reduction.serializer == nullptr || count == 0)
    return deterministic_reduce(count, grain, reduction.identity, reduction.accumulate, reduction.join);

  const std::int64_t size = communicator->size();
  const auto owner = [&](std::int64_t begin, std::int64_t end) {
    const auto rank_of = [&](std::int64_t i) { return static_cast<int>((i * size + size - 1) / count); };
    const int first = rank_of(begin), last = rank_of(end - 1);
    // What is not cut any further belongs to the owner of its first index.
    return first == last || end - begin <= grain ? first : -1;
  };
  // Halves as oneTBB halves a range, down to what one rank owns.
  const auto visit = [&](const auto& self, std::int64_t begin, std::int64_t end, const auto& piece) -> Value {
    if (owner(begin, end) >= 0) return piece(begin, end);
    const std::int64_t middle = begin + (end - begin) / 2;
    Value left = self(self, begin, middle, piece);
    reduction.join(left, self(self, middle, end, piece));
    return left;
  };

  const auto share = [&] {
    std::string own;
    visit(visit, 0, count, [&](std::int64_t begin, std::int64_t end) {
      if (owner(begin, end) == communicator->rank())
        reduction.serializer->write(
            deterministic_reduce(
                end - begin, grain, reduction.identity,
                [&](Value& partial, std::int64_t i) { reduction.accumulate(partial, begin + i); },
                reduction.join),
            own);
      return reduction.identity;
    });
    return own;
  };
  const std::vector<std::string> all = gather_work(*communicator, context.stop, share);
  std::vector<std::string_view> left(all.begin(), all.end());
  return visit(visit, 0, count, [&](std::int64_t begin, std::int64_t end) {
    return reduction.serializer->read(left[static_cast<std::size_t>(owner(begin, end))], reduction.identity);
  });
}

}  // namespace hardhead
