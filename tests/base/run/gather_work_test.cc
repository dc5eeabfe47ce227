#include "base/run/gather_work.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>

namespace hardhead {
namespace {

/// A rank among others whose messages are known before.
class AmongOthers final : public Communicator {
 public:
  explicit AmongOthers(std::vector<std::string> others) : others_(std::move(others)) {}
  int rank() const override { return 0; }
  int size() const override { return static_cast<int>(others_.size()) + 1; }
  std::vector<std::string> all_gather(const std::string& own) const override {
    said = own;
    std::vector<std::string> all{own};
    all.insert(all.end(), others_.begin(), others_.end());
    return all;
  }
  void send(int, const std::string&, const StopToken&) const override {}
  std::pair<int, std::string> receive(const StopToken&) const override { return {}; }

  mutable std::string said;

 private:
  std::vector<std::string> others_;
};

/// What a rank gets that does its part among ranks with these messages.
std::string met(const std::vector<std::string>& others, const std::function<std::string()>& work) {
  try {
    const std::vector<std::string> all = gather_work(AmongOthers(others), {}, work);
    std::string out;
    for (const std::string& one : all) out += one + ";";
    return out;
  } catch (const Stopped& stopped) {
    return "stopped: " + stopped.reason;
  } catch (const InputError& error) {
    return std::string("refused: ") + error.what();
  }
}

TEST(GatherWork, IsEveryonesPartOrWhatKeepsOneOfThemFromIt) {
  const auto part = [] { return std::string("mine"); };
  EXPECT_EQ(met({"wtheirs", "w"}, part), "mine;theirs;;");
  EXPECT_EQ(met({"wtheirs", "stime is up"}, part), "stopped: time is up");
  EXPECT_EQ(met({"stime is up", "rno such file"}, part), "refused: no such file") << "an error says more";
  EXPECT_EQ(met({"g", "wtheirs"}, part), "stopped: another rank has ended");
}

TEST(GatherWork, TellsTheOthersWhatThisRankCannotDo) {
  const AmongOthers ranks({"w"});
  EXPECT_THROW(gather_work(ranks, {}, []() -> std::string { throw Stopped{"enough"}; }), Stopped);
  EXPECT_EQ(ranks.said, "senough");
  EXPECT_THROW(gather_work(ranks, {}, []() -> std::string { throw InputError("no such file"); }), InputError);
  EXPECT_EQ(ranks.said, "rno such file");
}

TEST(GatherWork, ARanksOwnReasonToStopComesBeforeThatAnotherIsGone) {
  const std::atomic<bool> stop = true;
  try {
    gather_work(AmongOthers({"g"}), StopToken(&stop), [] { return std::string(); });
    FAIL();
  } catch (const Stopped& stopped) {
    EXPECT_EQ(stopped.reason, "interrupted");
  }
}

}  // namespace
}  // namespace hardhead
