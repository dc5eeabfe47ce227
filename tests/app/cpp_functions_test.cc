#include "tests/app/cpp_functions.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hardhead {
namespace {

using testing::ElementsAre;

/// "NAME@LINE: PARAMETERS parameters, BODY lines" of each function.
std::vector<std::string> summary(std::string_view text) {
  std::vector<std::string> out;
  for (const CppFunction& f : functions_of(text))
    out.push_back(fmt::format("{}@{}: {} parameters, {} lines{}", f.name, f.line, f.parameters, f.body_lines,
                              f.is_c_callback ? ", callback" : ""));
  return out;
}

TEST(CppFunctions, AreFoundWithTheirLinesAndParameters) {
  EXPECT_THAT(summary("int f(int a, std::map<int, int> b = {}, int c = g(1, 2)) {\n  return 1;\n}\n"),
              ElementsAre("f@1: 3 parameters, 3 lines"));
  EXPECT_THAT(
      summary("namespace a::b {\ntemplate <class T, class U>\nT f();\nclass C : public B {\n public:\n"
              "  C(int x, int y) : a_(x), b_{y}, c_{f(1, 2)} {\n  }\n  bool operator()(int, int) const;\n"
              "  bool operator==(const C&) const = default;\n  std::function<void(int, int)> d_;\n"
              "  int e_ = f(1, 2), g_[3] = {1, 2, 3};\n};\n}\n"),
      ElementsAre("f@3: 0 parameters, 0 lines", "C@6: 2 parameters, 2 lines",
                  "operator@8: 2 parameters, 0 lines", "operator@9: 1 parameters, 0 lines"));
}

TEST(CppFunctions, WithinFunctionsAreLambdasAndMembersOfLocalTypes) {
  EXPECT_THAT(summary(R"(void f() {
  for (const auto& [a, b] : map) {
    g(a, b);
  }
  h([&](int x, int y) {
    return x;
  });
  const auto k = [] { return 1; };
  struct S {
    int m(int) { return x[0]; }
  };
  if (a < b) {
  }
})"),
              ElementsAre("f@1: 0 parameters, 14 lines", "lambda@5: 2 parameters, 3 lines",
                          "lambda@8: 0 parameters, 1 lines", "m@10: 1 parameters, 1 lines"));
  EXPECT_THAT(
      summary("const std::vector<Row> rows = {\n  {\"a\", [](int, int, int) {\n    return 2;\n  }},\n};\n"),
      ElementsAre("lambda@2: 3 parameters, 3 lines"));
}

TEST(CppFunctions, LookNeitherIntoCommentsNorLiteralsNorMacros) {
  EXPECT_THAT(summary("// int f(int) {\n/* } */ #define X(a) {\n#define Y(a) \\\n  {\nint g(char c = '{') {\n"
                      "  s = \"}\\\"}\", r = R\"re(})re\";\n  n = 1'000;\n}\n"),
              ElementsAre("g@5: 1 parameters, 4 lines"));
  EXPECT_THAT(summary("int progress(void* self, const double* x, int k);\n"),
              ElementsAre("progress@1: 3 parameters, 0 lines, callback"));
}

}  // namespace
}  // namespace hardhead
