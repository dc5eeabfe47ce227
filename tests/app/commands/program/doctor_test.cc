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
  ::unsetenv("HARDHEAD_SIMD");
  const ProgramResult result = run_program("/", {"doctor", "--json"});
  EXPECT_EQ(result.exit, 0) << result.out;
  const json found = json::parse(result.out);
  EXPECT_EQ(found["self_tests"].size(), 5u);
  for (const json& test : found["self_tests"]) EXPECT_TRUE(test["ok"]) << test;
  for (const json& extension : found["simd"])
    EXPECT_TRUE(!extension["built"] || extension["cpu"]) << "or this program would not have started";
  EXPECT_EQ(found["kernels"]["targets"].front(), "baseline");
  EXPECT_EQ(found["kernels"]["target"], found["kernels"]["targets"].back());
  std::set<std::string> parts;
  for (const json& part : found["parts"]) parts.insert(part["name"]);
  for (const char* name : {"hardhead", "compiler", "Eigen", "Boost", "NTL", "oneTBB", "GMP", "MPFR", "fplll",
                           "Clp", "gnuplot", "chromium"})
    EXPECT_TRUE(parts.contains(name)) << name;
}

TEST(Doctor, SaysWhichTargetOfKernelsTheEnvironmentChose) {
  ASSERT_EQ(::setenv("HARDHEAD_SIMD", "baseline", 1), 0);
  const ProgramResult baseline = run_program("/", {"doctor", "--json"});
  ::setenv("HARDHEAD_SIMD", "mmx", 1);
  const ProgramResult wrong = run_program("/", {"doctor"});
  ::unsetenv("HARDHEAD_SIMD");
  EXPECT_EQ(baseline.exit, 0);
  EXPECT_EQ(json::parse(baseline.out)["kernels"]["target"], "baseline");
  EXPECT_EQ(wrong.exit, 2);
  EXPECT_THAT(wrong.err, testing::AllOf(HasSubstr("HARDHEAD_SIMD"), HasSubstr("mmx"), HasSubstr("baseline"),
                                        HasSubstr("avx2"), HasSubstr("avx512")));
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
