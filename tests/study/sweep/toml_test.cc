#include "study/sweep/toml.h"

#include <gtest/gtest.h>

namespace hardhead::study {
namespace {

TEST(Toml, HasAnAnswerForEveryCharacter) {
  const auto space = [](char32_t c) {
    return c == U'\u00A0' || c == U'\u1680' || c == U'\u180E' || (U'\u2000' <= c && c <= U'\u200B') ||
           c == U'\u202F' || c == U'\u205F' || c == U'\u2060' || c == U'\u3000' || c == U'\uFEFF';
  };
  for (char32_t c = 0x80; c <= 0x10FFFF; ++c)
    ASSERT_EQ(toml::impl::is_non_ascii_horizontal_whitespace(c), space(c)) << static_cast<long>(c);
}

}  // namespace
}  // namespace hardhead::study
