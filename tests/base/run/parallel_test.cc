#include "base/run/parallel.h"

#include <tbb/task_arena.h>

#include <atomic>
#include <bit>
#include <cmath>
#include <utility>
#include <vector>

namespace hardhead {
namespace {

double harmonic(std::int64_t count, std::int64_t grain, int threads) {
  tbb::task_arena arena(threads);
  return arena.execute([&] {
    return deterministic_reduce(
        count, grain, 0.0, [](double& sum, std::int64_t i) { sum += std::sin(static_cast<double>(i)) / 3; },
        [](double& left, double right) { left += right; });
  });
}

TEST(Parallel, ReductionHasEqualBitsForAnyNumberOfThreads) {
  for (const std::int64_t grain : {1, 7, 64}) {
    const auto one = std::bit_cast<std::uint64_t>(harmonic(100'003, grain, 1));
    for (const int threads : {2, 3, 5})
      for (int repeat = 0; repeat < 5; ++repeat)
        EXPECT_EQ(std::bit_cast<std::uint64_t>(harmonic(100'003, grain, threads)), one) << threads;
  }
}

TEST(Parallel, ReductionVisitsEveryIndexOnceInOrder) {
  for (const std::int64_t count : {0, 1, 2, 63, 64, 65, 1000}) {
    const auto visited = deterministic_reduce(
        count, 8, std::vector<std::int64_t>{}, [](auto& partial, std::int64_t i) { partial.push_back(i); },
        [](auto& left, const auto& right) { left.insert(left.end(), right.begin(), right.end()); });
    ASSERT_EQ(static_cast<std::int64_t>(visited.size()), count);
    for (std::int64_t i = 0; i < count; ++i) EXPECT_EQ(visited[static_cast<std::size_t>(i)], i);
  }
}

#ifndef HARDHEAD_THREAD_SANITIZER  // for which all live at once
/// Counts how many of it live.
struct Counted {
  explicit Counted(std::atomic<int>& of) : living(&of) { enter(); }
  Counted(const Counted& other) : living(other.living) { enter(); }
  Counted(Counted&& other) noexcept : living(std::exchange(other.living, nullptr)) {}
  Counted& operator=(const Counted&) = delete;
  ~Counted() {
    if (living != nullptr) --*living;
  }
  void enter() {
    const int now = ++*living;
    int seen = most;
    while (now > seen && !most.compare_exchange_weak(seen, now)) {
    }
  }

  static std::atomic<int> most;
  std::atomic<int>* living;
};
std::atomic<int> Counted::most = 0;

TEST(Parallel, ThereAreNeverMorePartialResultsThanSaid) {
  for (const int threads : {1, 2, 4})
    for (const std::int64_t count : {1, 5, 64, 1000}) {
      tbb::task_arena arena(threads);
      arena.execute([&] {
        std::atomic<int> living = 0;
        Counted::most = 0;
        const Counted last = deterministic_reduce(
            count, 4, Counted(living), [](Counted&, std::int64_t) {}, [](Counted&, const Counted&) {});
        EXPECT_LE(Counted::most, most_partial_results(count, 4)) << threads << " " << count;
        if (threads == 1 && count > 64) {
          EXPECT_LT(Counted::most, 20) << "not all at a time";
        }
      });
    }
}
#endif

TEST(Parallel, LoopVisitsEveryIndexOnce) {
  std::vector<std::atomic<int>> visits(1000);
  parallel_for_each_index(1000, [&](std::int64_t i) { ++visits[static_cast<std::size_t>(i)]; });
  for (const auto& count : visits) EXPECT_EQ(count.load(), 1);
}

TEST(Parallel, AnExceptionOfTheBodyReachesTheCaller) {
  EXPECT_THROW(parallel_for_each_index(100,
                                       [](std::int64_t i) {
                                         if (i == 57) throw 57;
                                       }),
               int);
}

}  // namespace
}  // namespace hardhead
