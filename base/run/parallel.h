#pragma once
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#if defined(__SANITIZE_THREAD__)
#define HARDHEAD_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HARDHEAD_THREAD_SANITIZER 1
#endif
#endif

#ifdef HARDHEAD_THREAD_SANITIZER
extern "C" void __tsan_acquire(void* address);
extern "C" void __tsan_release(void* address);
#endif

/// Parallel loops whose results do not depend on the number of threads: work is cut at fixed places, and
/// partial results are joined in a fixed tree. Both run on the calling thread's oneTBB arena.
namespace hardhead {

/// Tells the thread sanitizer what it cannot see, because oneTBB's library is not built with it: all that
/// came before a leave() has happened before what comes after a later enter() of the same object. Nothing in
/// other builds.
class ThreadOrder {
 public:
#ifdef HARDHEAD_THREAD_SANITIZER
  /// What came before on this thread has happened.
  void leave() { __tsan_release(this); }
  /// What is behind earlier calls of leave() is seen from here on.
  void enter() { __tsan_acquire(this); }

 private:
  char unused_ = 0;
#else
  /// What came before on this thread has happened.
  void leave() {}
  /// What is behind earlier calls of leave() is seen from here on.
  void enter() {}
#endif
};

/// Threads of the calling thread's arena.
inline int threads() {
  return tbb::this_task_arena::max_concurrency();
}

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

namespace detail {

#ifdef HARDHEAD_THREAD_SANITIZER
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
#else
/// A partial result for oneTBB. It is a copy of the identity from when its first run begins, so that runs
/// which wait take no memory.
template <class Value, class Accumulate, class Join>
class PartialResult {
 public:
  PartialResult(const Value& identity, const Accumulate& accumulate, const Join& join)
      : identity_(identity), accumulate_(accumulate), join_(join) {}
  PartialResult(const PartialResult& other, tbb::split)
      : PartialResult(other.identity_, other.accumulate_, other.join_) {}

  void operator()(const tbb::blocked_range<std::int64_t>& range) {
    if (!value_) value_.emplace(identity_);
    for (std::int64_t i = range.begin(); i != range.end(); ++i) accumulate_(*value_, i);
  }
  void join(PartialResult& right) {
    join_(*value_, std::as_const(*right.value_));
    right.value_.reset();
  }
  Value result() { return std::move(*value_); }

 private:
  const Value& identity_;
  const Accumulate& accumulate_;
  const Join& join_;
  std::optional<Value> value_;
};
#endif

}  // namespace detail

/// accumulate(partial, i) for i in [0, count) in runs of `grain` indices, each run starting from a copy of
/// `identity`; neighbouring runs joined by join(left, right) -> left in a tree that depends on count and
/// grain only. How many partial results there are at a time says most_partial_results().
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
  if (count <= 0) return identity;
  detail::PartialResult<Value, Accumulate, Join> sum(identity, accumulate, join);
  tbb::parallel_deterministic_reduce(
      tbb::blocked_range<std::int64_t>(0, count, static_cast<std::size_t>(grain)), sum);
  return sum.result();
#endif
}

/// Copies of the partial result that deterministic_reduce(count, grain, ..) has at most at a time on the
/// threads of the calling thread's arena, the identity included. A thread goes down the tree of halves to a
/// run, and on every level of its way there may be a finished left half that waits for the right one; and
/// there are never more than runs.
inline std::int64_t most_partial_results(std::int64_t count, std::int64_t grain) {
  std::int64_t runs = 1, levels = 0;
  for (std::int64_t longest = count; longest > grain; longest = (longest + 1) / 2) runs *= 2, ++levels;
  return 1 + std::min<std::int64_t>(runs, threads() * (levels + 1));
}

}  // namespace hardhead
