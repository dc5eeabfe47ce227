#include "app/output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string_view>

#include "app/terminal/terminal.h"
#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/process/guarded_process.h"
#include "base/text/json.h"

namespace hardhead::app {

void print(const std::string& text) {
  const std::string safe = for_terminal(text);
  const bool written = std::fwrite(safe.data(), 1, safe.size(), stdout) == safe.size();
  if (written && std::fflush(stdout) == 0) return;
  if (errno == EPIPE)
    return;  // nobody reads on: SIGPIPE has said so, and decides the exit code (interrupt.h)
  throw InputError("cannot write the result to standard output");
}

void say(const std::string& text) {
  const std::string safe = for_terminal(text);
  std::fwrite(safe.data(), 1, safe.size(), stderr);
  std::fflush(stderr);
}

void say_in_place(const std::string& text) {
  constexpr const char* erase_line = "\r\033[K";
  std::fputs(erase_line, stderr);
  say(text);
}

std::string text_of(const Json& document) {
  return text_of_json(document, 2) + "\n";
}

std::string typed(const std::string& word) {
  const auto is_plain = [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("_-+./:=,@%").find(static_cast<char>(c)) != std::string_view::npos;
  };
  return !word.empty() && std::ranges::all_of(word, is_plain) ? word : shell_quoted(word);
}

std::string brief(double value) {
  return std::isfinite(value) ? fmt::format("{:.3g}", value) : "-";
}

std::string grouped(std::string digits) {
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, 1, ',');
  return digits;
}

void check_writable(const std::string& path) {
  const AtomicFile probe(path);
}

}  // namespace hardhead::app
