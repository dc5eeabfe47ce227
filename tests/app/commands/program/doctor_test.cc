#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/app/program.h"

namespace hardhead::app {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TEST(Doctor, FindsThisMachineFit) {
  const ProgramResult result = run_program("/", {"doctor", "--json"});
  EXPECT_EQ(result.exit, 0) << result.out;
  const json found = json::parse(result.out);
  EXPECT_EQ(found["self_tests"].size(), 5u);
  for (const json& test : found["self_tests"]) EXPECT_TRUE(test["ok"]) << test;
  for (const json& extension : found["simd"])
    EXPECT_TRUE(!extension["built"] || extension["cpu"]) << "or this program would not have started";
  std::set<std::string> parts;
  for (const json& part : found["parts"]) parts.insert(part["name"]);
  for (const char* name : {"hardhead", "compiler", "Eigen", "Boost", "NTL", "oneTBB", "GMP", "MPFR", "fplll",
                           "Clp", "gnuplot", "chromium"})
    EXPECT_TRUE(parts.contains(name)) << name;
}

TEST(Doctor, SaysWhichSelfTestFailedAndExitsWithOne) {
  ASSERT_EQ(::setenv("TMPDIR", "/nonexistent", 1), 0);
  const ProgramResult result = run_program("/", {"doctor"});
  ::unsetenv("TMPDIR");
  EXPECT_EQ(result.exit, 1);
  EXPECT_THAT(result.out, HasSubstr("FAILED  a data file is read as it was written: "));
  EXPECT_THAT(result.out, HasSubstr("ok      Gauss-Newton"));
}

}  // namespace
}  // namespace hardhead::app
