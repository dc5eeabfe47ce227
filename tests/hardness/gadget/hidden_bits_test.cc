#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "hardness/families/parity.h"
#include "hardness/gadget/alternating_sum.h"
#include "hardness/gadget/head_count.h"

namespace hardhead::hardness {
namespace {

using Ends = AlternatingGoal::Ends;

nlohmann::json certificates() {
  std::ifstream in(std::string(HARDHEAD_TEST_DIR) + "/known_answers/hidden_bits.json");
  return nlohmann::json::parse(in)["layers"];
}

std::vector<Interval> points(const nlohmann::json& numbers) {
  std::vector<Interval> out;
  for (const double x : numbers) out.emplace_back(LongReal(x));
  return out;
}

AlternatingGoal goal_of(const nlohmann::json& layer) {
  const std::map<std::string, Ends> ends = {{"free", Ends::free}, {"odd", Ends::odd}, {"zero", Ends::zero}};
  return {.m = layer["m"], .ends = ends.at(layer["ends"])};
}

StepSum sum_of(const nlohmann::json& layer) {
  return {.w = points(layer["w"]),
          .z = points(layer["z"]),
          .v = points(layer["v"]),
          .kappa = Interval(LongReal(layer["kappa"].get<double>()))};
}

TEST(HiddenBits, EveryCertificateIsProved) {
  const nlohmann::json layers = certificates();
  EXPECT_GE(layers.size(), 21U);
  for (const auto& layer : layers) {
    const AlternatingGoal goal = goal_of(layer);
    const auto near = refined(sum_of(layer), goal);
    ASSERT_TRUE(near) << layer["m"];
    const auto sum = proved(*near, goal);
    ASSERT_TRUE(sum) << layer["m"];
    // The doubles of the file are those of the solution, to what rounding each of them changes.
    for (std::size_t i = 0; i < sum->w.size(); ++i)
      EXPECT_NEAR(static_cast<double>(LongReal(sum->w[i].middle() / layer["w"][i].get<double>())), 1, 1e-3)
          << layer["m"];
    RecordProperty("m=" + layer["m"].dump() + " heads=" + std::to_string(sum->w.size()),
                   sum->largest_weight().str(6));
  }
}

TEST(HiddenBits, ReachThirtyTwoBitsByTheHeadsOfCompact) {
  std::map<long, std::size_t> heads;
  for (const auto& layer : certificates())
    if (layer["ends"] == "odd") heads[layer["m"]] = layer["w"].size();
  for (long m = 3; m <= 33; m += 2)
    EXPECT_EQ(static_cast<attention::Index>(heads.at(m)), parity_heads(ParityVariant::compact, m)) << m;
}

TEST(HiddenBits, OfTheDensestLayersAreThoseOfTheTable) {
  std::map<attention::Index, attention::Index> most;
  for (const auto& layer : certificates()) {
    attention::Index& bits = most[static_cast<attention::Index>(layer["w"].size())];
    bits = std::max(bits, layer["m"].get<attention::Index>());
  }
  for (const auto& [heads, bits] : most) EXPECT_EQ(densest_known_bits(heads), bits) << heads;
}

TEST(HiddenBits, AreNoMoreThanWhatIsProvedForAnySlopes) {
  for (const auto& layer : certificates()) {
    std::vector<std::int64_t> g;
    for (long h = 0; h <= layer["m"].get<long>(); ++h) g.push_back(h % 2 == 0 ? 1 : -1);
    EXPECT_GE(std::ssize(layer["w"]), least_steps(g, Slopes::any));
    if (layer["ends"] == "odd") {
      EXPECT_EQ(std::ssize(layer["w"]), least_steps(g, Slopes::chain));
    }
  }
}

}  // namespace
}  // namespace hardhead::hardness
