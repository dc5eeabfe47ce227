#pragma once
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/partitioner.h>

#include <cstdint>

/// Parallel loops whose results do not depend on the number of threads: work is cut at fixed places, and
/// partial results are joined in a fixed tree. Both run on the calling thread's oneTBB arena.
namespace hardhead {

/// Calls body(i) for i in [0, count), in parallel.
template <class Body>
void parallel_for_each_index(std::int64_t count, const Body& body) {
  tbb::parallel_for(
      tbb::blocked_range<std::int64_t>(0, count, 1),
      [&](const tbb::blocked_range<std::int64_t>& range) {
        for (std::int64_t i = range.begin(); i != range.end(); ++i) body(i);
      },
      tbb::simple_partitioner());
}

/// accumulate(partial, i) for i in [0, count) in runs of `grain` indices, each run starting from a copy of
/// `identity`; neighbouring runs joined by join(left, right) -> left in a tree that depends on count and
/// grain only.
template <class Value, class Accumulate, class Join>
Value deterministic_reduce(std::int64_t count, std::int64_t grain, const Value& identity,
                           const Accumulate& accumulate, const Join& join) {
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
}

}  // namespace hardhead
