#pragma once
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <functional>

#include "base/error.h"
#include "base/run/run_context.h"

/// What the programs share that print tables of measurements rather than timings: arguments, progress where
/// stderr is a terminal, an end on SIGINT or SIGTERM that leaves the rows printed so far.
namespace hardhead::bench {

/// Argument number `index`, or `fallback` where it is not given. Throws InputError unless it is an integer
/// from least to most.
inline std::int64_t integer_argument(int argc, char** argv, int index, std::int64_t fallback,
                                     std::int64_t least, std::int64_t most) {
  if (index >= argc) return fallback;
  const char* text = argv[index];
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), value);
  if (error != std::errc() || *end != '\0' || value < least || value > most)
    throw InputError(
        fmt::format("argument {}: '{}' is not an integer from {} to {}", index, text, least, most));
  return value;
}

inline std::atomic<bool> stop_requested = false;

/// Calls body(context) and returns what main() should.
inline int run_study(const std::function<void(const RunContext&)>& body) {
  const auto request = [](int) { stop_requested = true; };
  std::signal(SIGINT, request);
  std::signal(SIGTERM, request);
  RunContext context;
  context.stop = StopToken(&stop_requested);
  const bool terminal = ::isatty(STDERR_FILENO) == 1;
  if (terminal)
    context.progress.on_progress = [](std::string_view phase, double done) {
      static std::atomic<int> shown = -1;
      if (const int percent = static_cast<int>(100 * done); shown.exchange(percent) != percent)
        fmt::print(stderr, "\r\033[K{} {}%", phase.substr(0, 100), percent);
    };
  try {
    body(context);
    if (terminal) fmt::print(stderr, "\r\033[K");
    return 0;
  } catch (const Stopped& stopped) {
    fmt::print(stderr, "\nstopped: {}\n", stopped.reason);
    return 130;
  } catch (const Error& error) {
    fmt::print(stderr, "\n{}\n", error.what());
    return 2;
  }
}

}  // namespace hardhead::bench
