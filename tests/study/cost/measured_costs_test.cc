#include "study/cost/measured_costs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/files/read_file.h"
#include "tests/refusal.h"

namespace hardhead::study {
namespace {

TEST(MeasuredCosts, AreThoseOfTheCommittedFiles) {
  const std::string claims = HARDHEAD_SOURCE_DIR "/docs/results/claims";
  std::size_t committed = 0;
  const std::span<const MeasuredCost> all = measured_costs();
  for (const auto& claim : std::filesystem::directory_iterator(claims)) {
    const std::filesystem::path file = claim.path() / "costs.csv";
    if (!std::filesystem::exists(file)) continue;
    const std::vector<MeasuredCost> costs = parse_costs(read_file(file.string()), file.string());
    EXPECT_FALSE(std::ranges::search(all, costs).empty()) << file << " is not compiled in";
    committed += costs.size();
  }
  EXPECT_EQ(committed, all.size());
}

TEST(MeasuredCosts, AreOneARun) {
  std::map<std::tuple<std::string, std::string, int, int, int, std::uint64_t>, int> seen;
  for (const MeasuredCost& cost : measured_costs())
    EXPECT_EQ(++seen[std::tuple(cost.learner, cost.family, cost.d, cost.k, cost.m, cost.seed)], 1)
        << cost.learner << " d=" << cost.d << " m=" << cost.m << " seed=" << cost.seed;
}

TEST(MeasuredCosts, AreReadBack) {
  const std::vector<MeasuredCost> costs{{"adam, full", "parity", 12, 2, 3, 1001, 1234.5, false, 0.25},
                                        {"gauss-newton", "nice", 16, 2, 64, 7, 1e8, true, {}}};
  EXPECT_EQ(parse_costs(report::csv(costs_table(costs)), "here"), costs);
}

TEST(MeasuredCosts, NameWhatIsWrong) {
  const std::string head = "learner,family,d,k,m,seed,examples,censored,seconds\n";
  const auto refused = [&](const std::string& text) {
    return refusal_of([&] { parse_costs(text, "costs"); });
  };
  EXPECT_THAT(refused("learner,family\n"), testing::HasSubstr("columns learner, family, d"));
  EXPECT_THAT(refused(head + "adam,parity,x,2,2,1,100,0,1\n"), testing::HasSubstr("row 1, column 'd': 'x'"));
  EXPECT_THAT(refused(head + "adam,parity,8,2,2,1,0,0,1\n"), testing::HasSubstr("'examples': '0'"));
  EXPECT_THAT(refused(head + "adam,parity,8,2,2,1,inf,0,1\n"),
              testing::HasSubstr("row 1: examples that end"));
  EXPECT_THAT(refused(head + "adam,parity,8,2,2,1,100,0,\n"), testing::HasSubstr("seconds"));
  EXPECT_THAT(refused(head + "adam,parity,8,2,2,1,100,1,3\n"), testing::HasSubstr("seconds"));
}

}  // namespace
}  // namespace hardhead::study
