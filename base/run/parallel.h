#pragma once
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/partitioner.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "base/run/thread_order.h"

/// Parallel loops whose results do not depend on the number of threads: work is cut at fixed places, and
/// partial results are joined in a fixed tree. Both run on the calling thread's oneTBB arena.
namespace hardhead {

/// Calls body(i) for i in [0, count), in parallel.
template <class Body>
void parallel_for_each_index(std::int64_t count, const Body& body) {
  ThreadOrder fork, join;
  fork.leave();
  tbb::parallel_for(
      tbb::blocked_range<std::int64_t>(0, count, 1),
      [&](const tbb::blocked_range<std::int64_t>& range) {
        fork.enter();
        for (std::int64_t i = range.begin(); i != range.end(); ++i) body(i);
        join.leave();
      },
      tbb::simple_partitioner());
  join.enter();
}

#ifdef HARDHEAD_THREAD_SANITIZER
namespace detail {

/// oneTBB's tree: the same halves, and the runs from left to right.
template <class Leaf, class Join>
auto halved(std::int64_t begin, std::int64_t end, std::int64_t grain, const Leaf& leaf, const Join& join) {
  if (end - begin <= grain) return leaf(begin, end);
  const std::int64_t middle = begin + (end - begin) / 2;
  auto left = halved(begin, middle, grain, leaf, join);
  const auto right = halved(middle, end, grain, leaf, join);
  join(left, right);
  return left;
}

}  // namespace detail
#endif

/// accumulate(partial, i) for i in [0, count) in runs of `grain` indices, each run starting from a copy of
/// `identity`; neighbouring runs joined by join(left, right) -> left in a tree that depends on count and
/// grain only.
template <class Value, class Accumulate, class Join>
Value deterministic_reduce(std::int64_t count, std::int64_t grain, const Value& identity,
                           const Accumulate& accumulate, const Join& join) {
#ifdef HARDHEAD_THREAD_SANITIZER
  // oneTBB moves partial results between threads in an order that the sanitizer does not see.
  std::vector<std::pair<std::int64_t, std::int64_t>> runs;
  const auto list = [&](std::int64_t begin, std::int64_t end) { return runs.emplace_back(begin, end).first; };
  detail::halved(0, count, grain, list, [](std::int64_t, std::int64_t) {});
  std::vector<Value> partials(runs.size(), identity);
  parallel_for_each_index(static_cast<std::int64_t>(runs.size()), [&](std::int64_t run) {
    for (std::int64_t i = runs[run].first; i != runs[run].second; ++i) accumulate(partials[run], i);
  });
  std::size_t next = 0;
  return detail::halved(
      0, count, grain, [&](std::int64_t, std::int64_t) { return std::move(partials[next++]); }, join);
#else
  return tbb::parallel_deterministic_reduce(
      tbb::blocked_range<std::int64_t>(0, count, static_cast<std::size_t>(grain)), identity,
      [&](const tbb::blocked_range<std::int64_t>& range, Value partial) {
        for (std::int64_t i = range.begin(); i != range.end(); ++i) accumulate(partial, i);
        return partial;
      },
      [&](Value left, const Value& right) {
        join(left, right);
        return left;
      });
#endif
}

}  // namespace hardhead
