#include "base/text/number.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "base/text/parameters.h"

namespace hardhead {
namespace {

TEST(Number, IntegersAreReadAsPeopleTypeThem) {
  const std::pair<const char*, std::int64_t> read[] = {
      {"0", 0},
      {"-3", -3},
      {"007", 7},
      {"1e5", 100'000},
      {"1E5", 100'000},
      {"1e+5", 100'000},
      {"2.5e3", 2500},
      {"1.0", 1},
      {"120e-1", 12},
      {"10^8", 100'000'000},
      {"2^20", 1 << 20},
      {"50k", 50'000},
      {"50K", 50'000},
      {"1.5M", 1'500'000},
      {"2G", 2'000'000'000},
      {"2^62", std::int64_t{1} << 62},
      {"0e5", 0},
      {".5k", 500},
      {"9223372036854775807", std::numeric_limits<std::int64_t>::max()},
      {"9007199254740993e0", 9'007'199'254'740'993}};  // no double
  for (const auto& [text, value] : read) EXPECT_EQ(integer_of(text), value) << text;
}

TEST(Number, WhatIsNoWholeNumberOfSixtyFourBitsIsNone) {
  for (const char* text : {"",
                           "e5",
                           "1e",
                           "1e5.5",
                           "1.5",
                           "15e-2",
                           "1e19",
                           "2^63",
                           "10^19",
                           "1^5",
                           "0^2",
                           "2^-1",
                           "k",
                           "5kk",
                           "5 k",
                           "1e999999999",
                           "9223372036854775808",
                           "1,000",
                           "0x10",
                           "+5",
                           "--5",
                           "1.2.3",
                           "nan",
                           "5m"})
    EXPECT_EQ(integer_of(text), std::nullopt) << text;
}

TEST(Number, RealsAreTheNearestDouble) {
  const std::pair<const char*, double> read[] = {{"0.1", 0.1},    {"1e-10", 1e-10},
                                                 {"10^-3", 1e-3}, {"2^-10", 1.0 / 1024},
                                                 {"10^8", 1e8},   {"1.2345k", 1234.5}};
  for (const auto& [text, value] : read) EXPECT_EQ(real_of(text), value) << text;
  for (const char* text : {"", "k", "ten", "0^2", "1.5^2", "10^", "1e5x"})
    EXPECT_EQ(real_of(text), std::nullopt) << text;
}

TEST(Number, TimesHaveUnits) {
  const std::pair<const char*, double> read[] = {{"10", 10},      {"0.5", 0.5},   {"10s", 10},
                                                 {"10sec", 10},   {"5min", 300},  {"1.5h", 5400},
                                                 {"2d", 172'800}, {"250ms", 0.25}};
  for (const auto& [text, value] : read) EXPECT_EQ(seconds_of(text), value) << text;
  for (const char* text : {"", "s", "5m", "5 min", "5M", "min5", "5minutes"})
    EXPECT_EQ(seconds_of(text), std::nullopt) << text;
}

TEST(Number, CountsHaveTheirNoun) {
  EXPECT_EQ(counted(1, "head"), "1 head");
  EXPECT_EQ(counted(0, "head"), "0 heads");
  EXPECT_EQ(counted(2, "query", "queries"), "2 queries");
}

TEST(Synonyms, AreWordsForOneThing) {
  EXPECT_TRUE(are_synonyms("lr", "rate"));
  EXPECT_TRUE(are_synonyms("--m", "--heads"));
  EXPECT_TRUE(are_synonyms("learning_rate", "rate"));
  EXPECT_FALSE(are_synonyms("rate", "steps"));
  EXPECT_FALSE(are_synonyms("", ""));
  EXPECT_FALSE(are_synonyms("|", "|"));
}

}  // namespace
}  // namespace hardhead
