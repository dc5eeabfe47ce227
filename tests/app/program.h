#pragma once
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/scratch_folder.h"

namespace hardhead::app {

struct ProgramResult {
  int exit = -1;  ///< exit code; -1 if a signal ended it
  std::string out, err;
};

/// A hardhead process at work in `folder`.
class Program {
 public:
  Program(const std::string& folder, const std::vector<std::string>& arguments) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
    posix_spawn_file_actions_adddup2(&actions, ::fileno(out_.get()), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ::fileno(err_.get()), STDERR_FILENO);
    std::vector<std::string> words = {HARDHEAD_PROGRAM};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    if (::posix_spawn(&pid_, HARDHEAD_PROGRAM, &actions, nullptr, argv.data(), ::environ) != 0)
      ADD_FAILURE() << "cannot start " << HARDHEAD_PROGRAM;
    posix_spawn_file_actions_destroy(&actions);
  }

  pid_t pid() const { return pid_; }
  std::string error_so_far() const { return text(err_.get()); }

  /// Returns when the program has said this on stderr, or has ended.
  void wait_until_said(const std::string& what) const {
    siginfo_t end{};
    while (error_so_far().find(what) == std::string::npos && end.si_pid == 0) {
      ::usleep(1000);
      ::waitid(P_PID, static_cast<id_t>(pid_), &end, WEXITED | WNOHANG | WNOWAIT);
    }
  }

  ProgramResult wait() {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text(out_.get()), text(err_.get())};
  }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  using File = std::unique_ptr<std::FILE, Close>;

  /// Reads by position: the offset is the child's as well.
  static std::string text(std::FILE* file) {
    std::string out;
    std::array<char, 4096> piece;
    for (ssize_t n = 0;
         (n = ::pread(::fileno(file), piece.data(), piece.size(), static_cast<off_t>(out.size()))) > 0;)
      out.append(piece.data(), static_cast<std::size_t>(n));
    return out;
  }

  File out_{std::tmpfile()}, err_{std::tmpfile()};
  pid_t pid_ = 0;
};

inline ProgramResult run_program(const std::string& folder, const std::vector<std::string>& arguments) {
  return Program(folder, arguments).wait();
}

/// Runs the program in the folder; it must exit with 0 and print JSON.
inline nlohmann::json run_json(const ScratchFolder& folder, std::vector<std::string> arguments) {
  arguments.push_back("--json");
  const ProgramResult result = run_program(folder.path(), arguments);
  EXPECT_EQ(result.exit, 0) << result.err;
  const nlohmann::json parsed = nlohmann::json::parse(result.out, nullptr, false);
  EXPECT_FALSE(parsed.is_discarded()) << result.out;
  return parsed;
}

}  // namespace hardhead::app
