#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text/json.h"

namespace hardhead {
namespace {

using Json = nlohmann::ordered_json;

/// Text in UTF-8, with the characters that JSON escapes.
std::string draw_text() {
  std::string out;
  for (const std::string& piece : *rc::gen::container<std::vector<std::string>>(
           rc::gen::element<std::string>("a", "\"", "\\", "/", "\n", "\x01", std::string(1, '\0'), "\xc3\xa4",
                                         "\xe2\x82\xac", "\xf0\x9f\x8e\xb2", " ")))
    out += piece;
  return out;
}

Json draw_number() {
  switch (*rc::gen::inRange(0, 3)) {
    case 0:
      return *rc::gen::arbitrary<std::int64_t>();
    case 1:
      return *rc::gen::arbitrary<std::uint64_t>();
    default:
      return std::ldexp(static_cast<double>(*rc::gen::inRange<std::int64_t>(-(1LL << 53), 1LL << 53)),
                        *rc::gen::inRange(-1100, 900));
  }
}

Json draw_document(int depth) {
  const int kind = *rc::gen::inRange(0, depth == 0 ? 4 : 6);
  if (kind == 0) return nullptr;
  if (kind == 1) return *rc::gen::arbitrary<bool>();
  if (kind == 2) return draw_number();
  if (kind == 3) return draw_text();
  Json out = kind == 4 ? Json::array() : Json::object();
  const int size = *rc::gen::inRange(0, 4);
  for (int i = 0; i < size; ++i) {
    if (kind == 4)
      out.push_back(draw_document(depth - 1));
    else
      out[draw_text()] = draw_document(depth - 1);
  }
  return out;
}

int depth_of(const Json& document) {
  if (!document.is_structured()) return 0;
  int inner = 0;
  for (const Json& member : document) inner = std::max(inner, depth_of(member));
  return inner + 1;
}

RC_GTEST_PROP(JsonProperties, ADocumentComesBackFromItsText, ()) {
  const Json document = draw_document(4);
  const std::string text = text_of_json(document, *rc::gen::element(-1, 0, 2));
  RC_ASSERT(parse_json<Json>(text, 4) == document);
  RC_ASSERT(text_of_json(parse_json<Json>(text, 4)) == text_of_json(document));
}

RC_GTEST_PROP(JsonProperties, DepthIsCountedExactly, ()) {
  Json document = Json::array();
  document.push_back(draw_document(4));
  const int depth = depth_of(document);
  RC_ASSERT(parse_json<Json>(text_of_json(document), depth) == document);
  RC_ASSERT_THROWS_AS(parse_json<Json>(text_of_json(document), depth - 1), InputError);
}

// The text of a document, with a character changed, put in or taken out.
RC_GTEST_PROP(JsonProperties, AnyTextIsRefusedByAnInputErrorOrIsADocument, ()) {
  std::string text = text_of_json(draw_document(3));
  const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
  const auto cut = *rc::gen::inRange<std::size_t>(0, 2);
  text.replace(
      at, cut,
      *rc::gen::element<std::string>("", "[", "]", "{", "}", "\"", ",", ":", "0", "-", "\\", "\xff"));
  try {
    const Json document = parse_json<Json>(text, 5);
    RC_ASSERT(parse_json<Json>(text_of_json(document), 5) == document);
    RC_TAG("a document");
  } catch (const InputError&) {
    RC_TAG("refused");
  }
}

RC_GTEST_PROP(JsonProperties, ADocumentCutOffOrPaddedIsRefused, ()) {
  Json document = Json::array();
  document.push_back(draw_document(3));
  const std::string text = text_of_json(document);
  const auto cut = *rc::gen::inRange<std::size_t>(0, text.size());
  RC_ASSERT_THROWS_AS(parse_json<Json>(text.substr(0, cut), 5), InputError);
  RC_ASSERT_THROWS_AS(parse_json<Json>(text + "x", 5), InputError);
  RC_ASSERT_THROWS_AS(parse_json<Json>(text + '\0', 5), InputError);
}

}  // namespace
}  // namespace hardhead
