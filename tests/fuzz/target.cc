#include "tests/fuzz/target.h"

#include <unistd.h>

#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>

#include "base/error.h"

namespace hardhead::fuzz {

void require(bool holds, std::string_view what) {
  if (holds) return;
  std::cerr << "not so: " << what << std::endl;
  std::abort();
}

bool has_small_numbers(std::string_view text) {
  const auto in_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!in_word(text[at])) continue;
    std::size_t end = at;
    while (end < text.size() && in_word(text[end])) ++end;
    const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
    const std::string_view word = text.substr(at, end - at);
    const bool small =
        word.size() < 2 || (word.size() == 2 && is_digit(word[1]) && word[0] < '2');  // 1k is 1000
    if (is_digit(word[0]) && !small) return false;
    at = end;
  }
  return true;
}

Folder::Folder() {
  std::string name = (std::filesystem::temp_directory_path() / "hardhead-fuzz-XXXXXX").string();
  require(::mkdtemp(name.data()) != nullptr, "a folder for temporary files can be made");
  path_ = name;
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string Folder::write(std::string_view name, std::string_view bytes) const {
  std::ofstream(path(name), std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return path(name);
}

}  // namespace hardhead::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    hardhead::fuzz::read({reinterpret_cast<const char*>(data), size});
  } catch (const hardhead::Error&) {
  }
  return 0;
}
