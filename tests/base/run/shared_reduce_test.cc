#include "base/run/shared_reduce.h"

#include <gtest/gtest.h>

#include <barrier>
#include <cmath>
#include <mutex>
#include <thread>

namespace hardhead {
namespace {

/// Ranks as threads of this process.
class ThreadCommunicator final : public Communicator {
 public:
  struct Meeting {
    explicit Meeting(int ranks) : messages(static_cast<std::size_t>(ranks)), all(ranks) {}
    std::vector<std::string> messages;
    std::barrier<> all;
  };
  ThreadCommunicator(Meeting& meeting, int rank) : meeting_(meeting), rank_(rank) {}
  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(meeting_.messages.size()); }
  std::vector<std::string> all_gather(const std::string& own) const override {
    meeting_.messages[static_cast<std::size_t>(rank_)] = own;
    meeting_.all.arrive_and_wait();
    std::vector<std::string> out = meeting_.messages;
    meeting_.all.arrive_and_wait();
    return out;
  }
  void send(int, const std::string&, const StopToken&) const override {}
  std::pair<int, std::string> receive(const StopToken&) const override { return {}; }

 private:
  Meeting& meeting_;
  int rank_;
};

// A sum whose value depends on the order of its terms, and how many there were.
struct Sum {
  double value = 0;
  std::int64_t count = 0;
};

const Serializer<Sum> serializer{[](const Sum& sum, std::string& to) { put(to, &sum, 1); },
                                 [](std::string_view& from, const Sum&) {
                                   Sum sum;
                                   take(from, &sum, 1);
                                   return sum;
                                 }};

Sum reduce(std::int64_t count, std::int64_t grain, const RunContext& context) {
  return shared_reduce(count, grain,
                       Reduction{Sum{},
                                 [&](Sum& part, std::int64_t i) {
                                   context.stop.check();
                                   part.value += std::sin(static_cast<double>(i)) *
                                                 std::exp2(static_cast<double>(i % 40));
                                   ++part.count;
                                 },
                                 [](Sum& left, const Sum& right) {
                                   left.value += right.value;
                                   left.count += right.count;
                                 },
                                 &serializer},
                       context);
}

std::vector<Sum> on_ranks(int ranks, std::int64_t count, std::int64_t grain) {
  ThreadCommunicator::Meeting meeting(ranks);
  std::vector<Sum> out(static_cast<std::size_t>(ranks));
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] {
      const ThreadCommunicator communicator(meeting, rank);
      RunContext context;
      context.communicator = &communicator;
      out[static_cast<std::size_t>(rank)] = reduce(count, grain, context);
    });
  threads.clear();
  return out;
}

TEST(SharedReduce, HasTheSameBitsOnAnyNumberOfRanks) {
  for (const std::int64_t grain : {1, 4, 32})
    for (const std::int64_t count : {0, 1, 2, 3, 31, 32, 33, 100, 1000, 1023}) {
      const Sum alone = reduce(count, grain, RunContext());
      EXPECT_EQ(alone.count, count);
      for (const int ranks : {1, 2, 3, 4, 7})
        for (const Sum& sum : on_ranks(ranks, count, grain)) {
          EXPECT_EQ(sum.value, alone.value) << count << " by " << grain << " on " << ranks;
          EXPECT_EQ(sum.count, count);
        }
    }
}

TEST(SharedReduce, ARankThatIsStoppedStopsAll) {
  ThreadCommunicator::Meeting meeting(3);
  std::atomic<int> stopped = 0;
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < 3; ++rank)
    threads.emplace_back([&, rank] {
      const ThreadCommunicator communicator(meeting, rank);
      const std::atomic<bool> stop = rank == 1;
      RunContext context;
      context.communicator = &communicator;
      context.stop = StopToken(&stop);
      try {
        reduce(1000, 4, context);
      } catch (const Stopped& why) {
        EXPECT_EQ(why.reason, "interrupted");
        ++stopped;
      }
    });
  threads.clear();
  EXPECT_EQ(stopped, 3);
}

}  // namespace
}  // namespace hardhead
