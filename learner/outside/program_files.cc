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

#include "base/error.h"
#include "base/files/digest.h"
#include "base/text/quoted.h"

namespace hardhead::learner {
namespace {

/// The pieces of a text between characters of `between`, without empty ones.
std::vector<std::string> words_of(std::string_view text, std::string_view between) {
  std::vector<std::string> out;
  for (std::size_t at = 0; (at = text.find_first_not_of(between, at)) != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(between, at), text.size());
    out.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return out;
}

/// What may name a file in a command: what is between quotes, its parts between blanks and operators of the
/// shell, and what is behind a '=' in these.
std::set<std::string> words_of(const std::string& command) {
  std::set<std::string> out;
  for (const std::string& piece : words_of(command, "'\"`")) {
    out.insert(piece);
    for (const std::string& word : words_of(piece, " \t\n|&;<>(){}")) {
      out.insert(word);
      if (const std::size_t sign = word.find('='); sign != std::string::npos)
        out.insert(word.substr(sign + 1));
    }
  }
  return out;
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

/// The folders in which the shell looks for programs. wordexp() reads $PATH as the shell does.
std::vector<std::string> program_folders() {
  std::vector<std::string> out;
  wordexp_t path{};
  if (::wordexp("\"$PATH\"", &path, WRDE_NOCMD) != 0) return out;
  if (path.we_wordc == 1) out = words_of(path.we_wordv[0], ":");
  ::wordfree(&path);
  return out;
}

/// Where a program without a folder in its name is; the word itself where it has one, or there is none.
std::string in_path(const std::string& word, const std::vector<std::string>& folders) {
  if (word.find('/') == std::string::npos)
    for (const std::string& folder : folders)
      if (const std::string path = folder + "/" + word; state_of(path) && ::access(path.c_str(), X_OK) == 0)
        return path;
  return word;
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

}  // namespace

void throw_ending(const CommandEnding& ending, bool has_memory_limit, const char* how,
                  const TemporaryFolder& folder) {
  std::string why = fmt::format("the program ended with {}{}", ending.str(), how);
  if (const std::string& words = ending.last_words; !words.empty())
    why += ": " + hardhead::quoted(folder.without_path(words.substr(words.rfind('\n') + 1)));
  if (ending.by_the_machine(has_memory_limit)) throw MachineError(why);
  throw Failed{why};
}

std::unique_ptr<TemporaryFolder> folder_of_a_program() {
  try {
    return std::make_unique<TemporaryFolder>("hardhead-exec");
  } catch (const InputError& error) {
    throw MachineError(error.what());
  }
}

std::string files_digest(const std::string& command) {
  const std::vector<std::string> folders = program_folders();
  std::set<std::string> contents;
  for (const std::string& word : words_of(command))
    for (const std::string& path : {word, in_path(word, folders)})
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
