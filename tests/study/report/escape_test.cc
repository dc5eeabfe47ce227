#include "study/report/escape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hardhead::report {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Formula, PowersAndIndicesAreTypeset) {
  EXPECT_EQ(formulae_html("as r^-0.50 (x)"),
            "as <math><msup><mi>r</mi><mrow><mo stretchy=\"false\">\u2212</mo>"
            "<mn>0.50</mn></mrow></msup></math> (x)");
  EXPECT_EQ(formulae_html("W_sum."), "<math><msub><mi>W</mi><mrow><mi>sum</mi></mrow></msub></math>.");
  EXPECT_THAT(formulae_html("d^Omega(m) of them"), HasSubstr("<mi>\u03A9</mi>"));
  EXPECT_THAT(formulae_html("d^Omega(m) of them"), HasSubstr("</math> of them"));
  EXPECT_THAT(formulae_html("(d-1)^(m/2)"),
              HasSubstr("<mi>m</mi><mo stretchy=\"false\">/</mo><mn>2</mn></mrow></msup>"));
  EXPECT_THAT(formulae_html("eps^((m-1)(k-1))"), Not(HasSubstr("^")));
}

TEST(Formula, NamesAndUnfinishedFormulaeStayAsTheyAre) {
  for (const char* text :
       {"theta_norm_ratio", "path:d=12,theta_norm=2,w_norm=1", "a ^ b", "2^", "x_", "d^(m", "e^-", ""})
    EXPECT_EQ(formulae_html(text), text);
}

TEST(Formula, DeepBracketsAreLeftAsTheyAre) {
  const std::string deep = std::string(100'000, '(') + std::string(100'000, ')');
  EXPECT_EQ(formulae_html(deep), deep);
}

TEST(Formula, WhatIsNoFormulaIsEscapedInsideAndOut) {
  EXPECT_EQ(formulae_html("a < b & <script>"), "a &lt; b &amp; &lt;script&gt;");
  EXPECT_THAT(formulae_html("d^(<script>)"), Not(HasSubstr("<script")));
}

}  // namespace
}  // namespace hardhead::report
