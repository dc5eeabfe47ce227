// Gives a fuzz target the files that it is named, and those in the folders; with -runs=N in front, N inputs
// made of them by chance as well, the same ones each time: what a test can do without libFuzzer. An input
// that breaks the target is left in the file broken-input.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

std::string input;  // the one being read

extern "C" void keep_input(int signal) {
  const int file = ::open("broken-input", O_WRONLY | O_CREAT | O_TRUNC, 0644);
  [[maybe_unused]] const ssize_t written = ::write(file, input.data(), input.size());
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void read() {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

std::string contents(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// One to eight changes to one of the inputs: bits, bytes, parts taken away, moved or out of another input,
// and numbers.
std::string changed(const std::vector<std::string>& inputs, std::mt19937_64& random) {
  static constexpr std::array<std::string_view, 12> numbers = {
      "0",     "-1",     "7",   "255", "65536", "2147483648", "9223372036854775808", "18446744073709551616",
      "1e999", "1e-320", "nan", ""};
  constexpr std::size_t longest = 4096;
  const auto below = [&](std::size_t n) {
    return static_cast<std::size_t>(random() % std::max<std::size_t>(n, 1));
  };
  const auto any = [&]() -> const std::string& { return inputs[below(inputs.size())]; };
  const auto part = [&](const std::string& of) {
    const std::size_t at = below(of.size() + 1);
    return of.substr(at, 1 + below(std::min<std::size_t>(of.size() - at, 64)));
  };

  std::string text = any();
  for (std::size_t changes = 1 + below(8); changes > 0; --changes) {
    const std::size_t at = below(text.size() + 1);
    switch (below(6)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
        break;
      case 1:
        text.insert(at, 1, static_cast<char>(below(256)));
        break;
      case 2:
        text.erase(at, 1 + below(std::size_t{1} << below(8)));
        break;
      case 3:
        text.insert(at, part(text));
        break;
      case 4:
        text.insert(at, part(any()));
        break;
      default: {
        const std::size_t first = std::min(text.find_first_of("0123456789", at), text.size());
        const std::size_t last = std::min(text.find_first_not_of("0123456789", first), text.size());
        text.replace(first, last - first, numbers[below(numbers.size())]);
      }
    }
  }
  text.resize(std::min(text.size(), longest));
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr std::string_view runs = "-runs=";
  const bool change = argc > 1 && std::string_view(argv[1]).starts_with(runs);
  std::vector<std::filesystem::path> files;
  for (int i = change ? 2 : 1; i < argc; ++i) {
    if (!std::filesystem::is_directory(argv[i]))
      files.emplace_back(argv[i]);
    else
      for (const auto& entry : std::filesystem::directory_iterator(argv[i])) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());  // the order of a folder is the file system's
  if (files.empty()) return 1;

  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) std::signal(signal, keep_input);
  std::vector<std::string> inputs;
  for (const auto& file : files) {
    std::cout << file.string() << std::endl;  // before it can fail
    input = inputs.emplace_back(contents(file));
    read();
  }
  std::mt19937_64 random;
  const long count = change ? std::strtol(argv[1] + runs.size(), nullptr, 10) : 0;
  for (long run = 0; run < count; ++run) {
    input = changed(inputs, random);
    read();
  }
  std::cout << files.size() << " files, " << count << " inputs made of them\n";
}
