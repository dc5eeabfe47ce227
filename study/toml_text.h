#pragma once
#include <string_view>

namespace hardhead::study {

/// Refuses, with an InputError that starts with "line N: ", what is no TOML or nothing that a sweep needs, but harms
/// toml++ 3.3:
/// - strings in three quotes, and quotes in the middle of a word: it and this check might disagree on where a string ends,
/// - outside of strings and comments, bytes that are not ASCII: its table of Unicode spaces is undefined for many of them,
/// - there, more than 4096 dots: of keys like a.a.a it makes tables within each other, which it walks and frees by recursion.
void check_toml_text(std::string_view text);

}  // namespace hardhead::study
