#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <map>

#include "base/error.h"
#include "hardness/families/family.h"
#include "hardness/niceness/niceness.h"
#include "tests/hardness/make.h"
#include "tests/refusal.h"

namespace hardhead::hardness {
namespace {

using attention::Index;
using Values = std::map<std::string, double>;

std::vector<std::string> all_knobs() {
  const auto& table = find_family("degraded").parameters;
  return std::ranges::find(table, "which", &Parameter::name)->choices;
}

/// The worst value of every condition.
Values values(const Instance& instance) {
  Values out;
  for (const Condition& c : certify(instance.layer, instance.k).worst()) out[c.name] = c.value;
  return out;
}

/// How far a condition that a knob is not for may move, up or down: the value, or of ranks the logarithm.
double stated_amount(const std::string& condition) {
  static const Values amounts = {
      {"theta_incoherence", 0.1}, {"theta_stable_rank", 0.4}, {"theta_diagonal", 0.3},
      {"theta_column", 0.2},      {"theta_norm_ratio", 1e-9}, {"theta_non_arithmetic", 0.25},
      {"theta_norm", 1e-9},       {"w_incoherence", 0.1},     {"w_stable_rank", 0.4},
      {"w_norm_ratio", 1e-9},     {"injectivity", 0}};
  return amounts.at(condition);
}

double movement(const std::string& condition, double from, double to) {
  return condition.ends_with("stable_rank") ? std::abs(std::log(to / from)) : std::abs(to - from);
}

/// Least and largest value that a knob's own condition may have at knob = 1.
std::pair<double, double> broken(const std::string& which) {
  static const std::map<std::string, std::pair<double, double>> ranges = {
      {"theta_incoherence", {1 - 1e-12, 1 + 1e-12}},
      {"theta_stable_rank", {1 - 1e-12, 1 + 1e-12}},
      {"theta_diagonal", {4, 64}},
      {"theta_column", {0.4, 0.65}},
      {"theta_non_arithmetic", {0, 1e-12}},
      {"theta_norm_ratio", {100 - 1e-9, 100 + 1e-9}},
      {"theta_norm", {32 * 32 - 1e-9, 32 * 32 + 1e-9}},
      {"w_incoherence", {1 - 1e-12, 1 + 1e-12}},
      {"w_stable_rank", {1 - 1e-12, 1 + 1e-12}},
      {"w_norm_ratio", {1.5, 7}}};
  return ranges.at(which);
}

void print_row(const std::string& which, double knob, const Values& row) {
  std::printf("%-20s %4.1f", which.c_str(), knob);
  for (const auto& [name, value] : row) std::printf(" %8.3g", value);
  std::printf("\n");
}

TEST(Degraded, EachKnobMovesItsOwnConditionAndTheOthersByNoMoreThanStated) {
  Values largest;
  for (const std::string base : {"d=16,k=3,m=2", "d=64,k=3,m=4,seed=3"}) {
    const Values nice = values(make("nice:" + base));
    std::printf("nice:%s\ncolumns:", base.c_str());
    for (const auto& [name, value] : nice) std::printf(" %s", name.c_str());
    std::printf("\n");
    print_row("nice", 0, nice);
    for (const std::string& which : all_knobs()) {
      for (const double knob : {0.0, 0.5, 1.0}) {
        const Values moved = values(make(fmt::format("degraded:{},which={},knob={}", base, which, knob)));
        print_row(which, knob, moved);
        for (const auto& [name, value] : moved) {
          if (name == which) continue;
          if (which == "theta_column" && name == "theta_stable_rank") {
            EXPECT_LE(value, 1 / moved.at("theta_column")) << "a heavy column implies it";
            continue;
          }
          const double by = movement(name, nice.at(name), value);
          EXPECT_LE(by, stated_amount(name)) << which << "=" << knob << " moves " << name;
          largest[name] = std::max(largest[name], by);
        }
        if (which == "label_noise" || knob == 0.5) continue;
        const auto [least, most] = knob == 0 ? std::pair(nice.at(which), nice.at(which)) : broken(which);
        EXPECT_GE(moved.at(which), least) << which << "=" << knob;
        EXPECT_LE(moved.at(which), most) << which << "=" << knob;
      }
    }
  }
  for (const auto& [name, by] : largest)
    std::printf("knobs for others move %s by at most %.2g (stated: %.2g)\n", name.c_str(), by,
                stated_amount(name));
}

TEST(Degraded, KnobZeroIsTheNiceLayerBitForBit) {
  const Instance nice = make("nice:d=10,k=2,m=3,theta_norm=1.7,seed=5");
  for (const std::string& which : all_knobs()) {
    const Instance zero = make("degraded:d=10,k=2,m=3,theta_norm=1.7,seed=5,knob=0,which=" + which);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(zero.layer.heads[i].theta, nice.layer.heads[i].theta) << which;
      EXPECT_EQ(zero.layer.heads[i].w, nice.layer.heads[i].w) << which;
    }
    EXPECT_EQ(zero.label_noise, 0);
    EXPECT_NE(zero.digest, nice.digest) << "another spec";
  }
}

TEST(Degraded, LabelNoiseLeavesTheLayerAndIsInTheDigest) {
  const Instance nice = make("nice"), noisy = make("degraded:which=label_noise,knob=0.25");
  EXPECT_EQ(noisy.layer.heads[0].theta, nice.layer.heads[0].theta);
  EXPECT_EQ(noisy.label_noise, 0.25);
  EXPECT_NE(noisy.digest, make("degraded:which=label_noise,knob=0.5").digest);
  EXPECT_EQ(make("degraded:which=theta_norm,knob=0.25").label_noise, 0);
}

TEST(Degraded, OneHeadCannotBeComparedAndAZeroThetaStaysZero) {
  for (const std::string which : {"theta_incoherence", "theta_norm_ratio", "w_incoherence", "w_norm_ratio"}) {
    EXPECT_THAT(refusal_of([&] { make("degraded:m=1,which=" + which); }),
                testing::HasSubstr("compares heads: m=1 is too few"))
        << which;
  }
  for (const std::string& which : all_knobs())
    EXPECT_EQ(make("degraded:theta_norm=0,knob=1,which=" + which).layer.heads[1].theta.norm(), 0) << which;
}

TEST(Degraded, NormsWhoseSquaresUnderflowAreKept) {
  for (const std::string& which : all_knobs()) {
    const Instance instance = make("degraded:theta_norm=1e-200,which=" + which);
    for (const attention::Head& head : instance.layer.heads) {
      const double norm = (head.theta * 1e200).norm();
      if (which == "theta_norm_ratio" || which == "theta_norm") {
        EXPECT_TRUE(norm > 0.01 && norm < 20) << norm;
      } else {
        EXPECT_NEAR(norm, 1, 1e-12) << which;
      }
    }
  }
}

TEST(Degraded, OneFeatureHasNoDirectionToTurnTo) {
  for (const std::string& which : all_knobs()) EXPECT_THROW(make("degraded:d=1,which=" + which), InputError);
}

TEST(Degraded, DigestsAreTheSameOnEveryMachine) {
  const std::map<std::string, std::string> known = {
      {"theta_incoherence", "04c79103fd97e0b8"},    {"theta_stable_rank", "7a37d39306dfaef2"},
      {"theta_diagonal", "1102d82ce9506313"},       {"theta_column", "063dabf83a80c909"},
      {"theta_non_arithmetic", "054bc1a251870e0d"}, {"theta_norm_ratio", "c92b2449bb7158b7"},
      {"theta_norm", "e848bb58e15599d7"},           {"w_incoherence", "b58d47fe7f316630"},
      {"w_stable_rank", "88573d3fcd2415dc"},        {"w_norm_ratio", "093b3e0ceb4767ce"},
      {"label_noise", "c61660cf740e9212"}};
  for (const std::string& which : all_knobs())
    EXPECT_EQ(make("degraded:knob=0.375,which=" + which).digest.substr(0, 16), known.at(which)) << which;
}

}  // namespace
}  // namespace hardhead::hardness
