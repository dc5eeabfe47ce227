#include "learner/outside/program_files.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wordexp.h>

#include <ctime>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <string_view>
#include <vector>

#include "base/files/digest.h"
#include "base/machine_error.h"

namespace hardhead::learner {
namespace {

/// A shell command cut where the shell ends a word outside quotes by an operator: wordexp() takes none.
std::vector<std::string> without_operators(const std::string& command) {
  std::vector<std::string> out(1);
  char quote = 0;
  for (std::size_t at = 0; at < command.size(); ++at) {
    const char c = command[at];
    if (c == '\\' && quote != '\'' && at + 1 < command.size()) {
      out.back() += c;
      out.back() += command[++at];
    } else if (quote == 0 && std::string_view("|&;<>(){}\n").find(c) != std::string_view::npos) {
      out.emplace_back();
    } else {
      if (quote == 0 && (c == '\'' || c == '"'))
        quote = c;
      else if (c == quote)
        quote = 0;
      out.back() += c;
    }
  }
  return out;
}

/// The words of a text as a shell would have them; what is between blanks where it is none that wordexp()
/// reads.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> out;
  wordexp_t words{};
  if (::wordexp(text.c_str(), &words, WRDE_NOCMD) == 0) {
    out.assign(words.we_wordv, words.we_wordv + words.we_wordc);
    ::wordfree(&words);
    return out;
  }
  constexpr std::string_view between = " \t\n'\"`$()";
  for (std::size_t at = 0; (at = text.find_first_not_of(between, at)) != std::string::npos;) {
    const std::size_t end = std::min(text.find_first_of(between, at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end;
  }
  return out;
}

/// All words of a command, those within words that are commands themselves, and what is behind a '='.
void add_words(const std::string& command, int depth, std::set<std::string>& out) {
  constexpr int most_depth = 4;
  if (depth > most_depth) return;
  for (const std::string& part : without_operators(command))
    for (const std::string& word : words_of(part)) {
      if (!out.insert(word).second) continue;
      if (word.find_first_of(" \t\n;|&") != std::string::npos) add_words(word, depth + 1, out);
      if (const std::size_t sign = word.find('='); sign != std::string::npos)
        add_words(word.substr(sign + 1), depth + 1, out);
    }
}

/// A file and the state that it is in.
struct FileState {
  dev_t device;
  ino_t inode;
  off_t size;
  std::int64_t seconds, nanoseconds;
  auto operator<=>(const FileState&) const = default;
};

std::optional<FileState> state_of(const std::string& path) {
  struct stat status{};
  if (path.empty() || ::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return FileState{status.st_dev, status.st_ino, status.st_size, status.st_mtim.tv_sec,
                   status.st_mtim.tv_nsec};
}

/// Where the shell finds a program; empty where it does not.
std::string in_path(const std::string& name) {
  const std::vector<std::string> folders = words_of("\"$PATH\"");
  if (name.empty() || name.find('/') != std::string::npos || folders.size() != 1) return "";
  std::string_view left = folders.front();
  while (true) {
    const std::size_t end = std::min(left.find(':'), left.size());
    const std::string folder(left.substr(0, end));
    const std::string path = (folder.empty() ? "." : folder) + "/" + name;
    if (state_of(path) && ::access(path.c_str(), X_OK) == 0) return path;
    if (end == left.size()) return "";
    left.remove_prefix(end + 1);
  }
}

/// The digest of a file's content. Contents are remembered, so that a plan of many runs reads them once.
std::string content_of(const std::string& path, const FileState& state) {
  static std::mutex mutex;
  static auto* const known = new std::map<FileState, std::string>;
  const std::lock_guard lock(mutex);
  const auto at = known->find(state);
  if (at != known->end()) return at->second;
  std::ifstream file(path, std::ios::binary);
  if (!file) return fmt::format("not to be read: {} {} {}", state.size, state.seconds, state.nanoseconds);
  Digest digest;
  std::vector<char> piece(std::size_t{1} << 20);
  do {
    file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    digest.add(std::string_view(piece.data(), static_cast<std::size_t>(file.gcount())));
  } while (file);
  // What was written in this second may be written again without another time.
  const std::string hex = digest.hex();
  if (state.seconds + 1 < std::time(nullptr)) known->emplace(state, hex);
  return hex;
}

/// The files that a word may mean.
std::vector<std::string> meanings_of(const std::string& word, const std::set<std::string>& words) {
  std::vector<std::string> out{word, in_path(word)};
  const auto add_in = [&](const std::string& folder) {
    for (const char* rest : {"", ".py", "/__main__.py"}) out.push_back(folder + word + rest);
  };
  add_in("");
  for (const std::string& other : words)
    if (struct stat status{}; ::stat(other.c_str(), &status) == 0 && S_ISDIR(status.st_mode))
      add_in(other + "/");
  return out;
}

}  // namespace

std::unique_ptr<TemporaryFolder> folder_of_a_program() {
  try {
    return std::make_unique<TemporaryFolder>("hardhead-exec");
  } catch (const InputError& error) {
    throw MachineError(error.what());
  }
}

std::string files_digest(const std::string& command) {
  std::set<std::string> words;
  add_words(command, 0, words);
  std::set<std::string> contents;
  for (const std::string& word : words)
    for (const std::string& path : meanings_of(word, words))
      if (const auto state = state_of(path)) contents.insert(word + " " + content_of(path, *state));
  if (contents.empty()) return "";
  Digest digest;
  for (const std::string& content : contents) digest.add(content);
  return digest.hex();
}

std::string program_digest(const Learner& learner) {
  const Algorithm* const algorithm =
      learner.asks_values() ? static_cast<const Algorithm*>(&learner.by_values()) : &learner.by_examples();
  const auto* const program = dynamic_cast<const OutsideProgram*>(algorithm);
  return program == nullptr ? std::string() : files_digest(program->command());
}

}  // namespace hardhead::learner
