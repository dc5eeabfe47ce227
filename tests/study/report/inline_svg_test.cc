#include "study/report/escape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/refusal.h"

namespace hardhead::report {
namespace {

using testing::HasSubstr;

std::string refusal(const std::string& inside) {
  return refusal_of([&] { inline_svg("<svg>" + inside + "</svg>", "p-"); });
}

TEST(InlineSvg, GivesItsNamesAPrefixAndKeepsAllElse) {
  EXPECT_EQ(inline_svg("<?xml version='1.0'?>\n<svg width=\"1\">\n<g id = 'a' fill = 'none'><title>x &lt; y"
                       "</title></g><use xlink:href=\"#a\" href = '#a'/></svg>\n",
                       "s0-"),
            "<svg role=\"img\" width=\"1\">\n<g id = 's0-a' fill = 'none'><title>x &lt; y</title></g>"
            "<use xlink:href=\"#s0-a\" href = '#s0-a'/></svg>");
}

TEST(InlineSvg, RefusesElementsAndAttributesThatAreNotOnTheList) {
  for (const char* inside :
       {"<script>alert(1)</script>", "<foreignObject/>", "<!-- -->", "<image/>", "<SCRIPT/>", "<a/>",
        "<style>g{}</style>", "<animate/>", "<set/>", "<![CDATA[<]]>"})
    EXPECT_THAT(refusal(inside), HasSubstr("which gnuplot does not write")) << inside;
  for (const char* attribute :
       {"onload='alert(1)'", "ONLOAD='x'", "style='fill: red'", "filter='x'", "HREF='#a'",
        "xml:base='http://x/'", "d='M0,0' onclick='x'", "/onload='x'", "clip-path='x'"})
    EXPECT_THAT(refusal("<g " + std::string(attribute) + "/>"), HasSubstr("attribute '")) << attribute;
  EXPECT_THAT(refusal("<g " + std::string(1 << 20, ' ') + "HREF" + std::string(1 << 20, ' ') + "=\n 'x'/>"),
              HasSubstr("attribute 'HREF'"));
  EXPECT_THAT(refusal("<g id='a' id='b'/>"), HasSubstr("'id' twice"));
}

TEST(InlineSvg, RefusesWhatLeadsOut) {
  for (const char* tag :
       {"<use href='http://x/'/>", "<use xlink:href='javascript:alert(1)'/>", "<use href=' #a'/>",
        "<g fill='url(http://x)'/>", "<g fill='URL(#a)'/>", "<g fill='u\\72l(http://x)'/>"})
    EXPECT_THAT(refusal(tag), HasSubstr("a link out of it")) << tag;
  for (const char* inside : {"<g fill='u&#114;l(http://x)'/>", "<g fill='url&lpar;x)'/>",
                             "<text>&nbsp;</text>", "<text>&#60;script&#62;</text>", "<text>a & b</text>"})
    EXPECT_THAT(refusal(inside), HasSubstr("the entity \"&")) << inside;
}

TEST(InlineSvg, RefusesTagsThatDoNotFitEachOther) {
  EXPECT_THAT(refusal("<g><path></g></path>"), HasSubstr("</g> closes nothing that is open"));
  EXPECT_THAT(refusal("<use href=#a>"), HasSubstr("is expected"));
  EXPECT_THAT(refusal("<g fill='a"), HasSubstr("is expected"));
  EXPECT_THAT(refusal("<g fill='a<b'/>"), HasSubstr("is expected"));
  EXPECT_THAT(refusal("<g fill>"), HasSubstr("'=' is expected"));
  for (const char* text : {"", "nothing", "<svg>", "<svg", "<svg></svg><p>", "<svg></svg></svg>", "<svgx/>"})
    EXPECT_NE(refusal_of([&] { inline_svg(text, ""); }), "accepted") << text;
}

}  // namespace
}  // namespace hardhead::report
