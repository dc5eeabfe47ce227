#include "study/sweep/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "attention/files/layer_file.h"
#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/files/digest.h"
#include "base/files/folder_lock.h"
#include "base/files/read_file.h"
#include "base/text/json.h"
#include "base/text/json_object.h"
#include "base/text/quoted.h"
#include "base/version.h"
#include "learner/outside/program_files.h"

namespace hardhead::study {

namespace {

constexpr int max_depth = 3;  // the run, its phases, a phase

/// Whether a line that was cut off anywhere can be this.
bool begins_as_a_run(std::string_view tail) {
  constexpr std::string_view start = R"({"run":")";
  return start.starts_with(tail.substr(0, start.size()));
}

/// The length of a text without the NULs and blank lines at its end: a power failure may leave them.
std::size_t length_without_blanks(std::string_view text) {
  constexpr std::string_view blanks("\0 \t\r\n", 5);
  const std::size_t last = text.find_last_not_of(blanks);
  if (last == std::string_view::npos) return 0;
  return last + 1 < text.size() && text[last + 1] == '\n' ? last + 2 : last + 1;
}

std::string line_of(const std::string& run, const RunResult& result) {
  Json line{{"run", run}};
  line.update(to_json(result));
  return text_of_json(line) + "\n";
}

/// Hands over the run of each whole line with its name; returns where the last of them ends.
std::size_t read_lines(const std::string& text, const std::string& path,
                       const std::function<void(const std::string&, RunResult)>& take) {
  const std::string_view lines = std::string_view(text).substr(0, length_without_blanks(text));
  const std::size_t whole = lines.rfind('\n') + 1;  // 0 where there is no line
  std::size_t number = 0;
  for (std::size_t at = 0; at < whole;) {
    const std::size_t end = text.find('\n', at);
    const std::string place = fmt::format("journal '{}', line {}", path, ++number);
    const Json line = at_place(
        place, [&] { return parse_json<Json>(std::string_view(text).substr(at, end - at), max_depth); });
    take(JsonObject(line, place).text("run"), run_from_json(line, place));
    at = end + 1;
  }
  return whole;
}

}  // namespace

Journal::Journal(std::string path) : path_(std::move(path)) {
  open();
  try {
    if (const LockOutcome outcome = lock_file(file_); outcome != LockOutcome::locked) {
      if (created_ && outcome == LockOutcome::taken) created_->keep();  // it is the other's by now
      throw InputError(
          fmt::format("journal '{}': {}", path_, why_not_locked(outcome, "another process holds it")));
    }
    if (!is_at_its_path())
      throw InputError(fmt::format("journal '{}': another process has just removed it; try again", path_));
    read();
  } catch (...) {
    ::close(file_);
    throw;
  }
}

Journal::~Journal() {
  created_.reset();  // while the file is still locked
  ::close(file_);
}

void Journal::open() {
  const auto fail = [&](const std::string& why) {
    throw InputError(fmt::format("journal '{}': {}", path_, why));
  };
  const auto open_file = [&](int flags) {
    file_ = ::open(path_.c_str(), O_RDWR | O_APPEND | O_CLOEXEC | flags, 0644);
    if (file_ < 0) fail(fmt::format("cannot be opened ({})", std::strerror(errno)));
  };
  // Opening a pipe would wait for its other end, and reading a device may have no end.
  std::error_code ignored;
  const auto there = std::filesystem::status(path_, ignored);
  if (!std::filesystem::exists(there))
    created_.emplace(path_, [&] { open_file(O_CREAT | O_EXCL); });
  else if (std::filesystem::is_regular_file(there))
    open_file(0);
  else
    fail("it is not a regular file");
}

void Journal::read() {
  std::string text;
  std::array<char, 1 << 16> buffer;
  ssize_t count = 0;
  while ((count = ::read(file_, buffer.data(), buffer.size())) > 0)
    text.append(buffer.data(), static_cast<std::size_t>(count));
  if (count < 0) throw InputError(fmt::format("journal '{}': {}", path_, std::strerror(errno)));
  const std::size_t whole = read_lines(text, path_, [this](const std::string& run, RunResult result) {
    runs_.insert_or_assign(run, std::move(result));
  });
  for (const auto& [run, result] : runs_) unclaimed_.insert(run);
  const std::string_view torn = std::string_view(text).substr(0, length_without_blanks(text)).substr(whole);
  const bool blank = runs_.empty() && torn.empty() && !text.empty();
  if (blank || !begins_as_a_run(torn))
    throw InputError(
        fmt::format("journal '{}': its end, {}, is not the beginning of a run: is this another file?", path_,
                    quoted(std::string_view(text).substr(whole, 60))));
  size_ = static_cast<off_t>(whole);
  if (whole < text.size() && ::ftruncate(file_, static_cast<off_t>(whole)) != 0)
    throw InputError(fmt::format("journal '{}': {}", path_, std::strerror(errno)));
}

std::optional<RunResult> Journal::find(const std::string& run) {
  unclaimed_.erase(run);
  const auto at = runs_.find(run);
  return at == runs_.end() ? std::nullopt : std::optional(at->second);
}

void Journal::append(const std::string& run, const RunResult& result) {
  const std::string text = line_of(run, result);
  runs_.insert_or_assign(run, result).first->second.drop_layers();
  check_it_is_there();
  const off_t before = ::lseek(file_, 0, SEEK_END);
  const ssize_t written = ::write(file_, text.data(), text.size());
  if (written != static_cast<ssize_t>(text.size()) || ::fsync(file_) != 0) {
    const std::string why = written < 0 || written == static_cast<ssize_t>(text.size()) ? std::strerror(errno)
                                                                                        : "the disk is full";
    // A part of a line would spoil the next one. Where this fails too, the next process leaves it out.
    const bool undone = ::ftruncate(file_, before) == 0;
    throw InputError(fmt::format("journal '{}': a line could not be written ({}){}", path_, why,
                                 undone ? "" : "; its last line is not whole"));
  }
  if (created_) created_->keep();
  created_.reset();
  size_ = before + written;
}

bool Journal::is_at_its_path() const {
  struct stat here{}, there{};
  return ::fstat(file_, &here) == 0 && ::stat(path_.c_str(), &there) == 0 && here.st_ino == there.st_ino &&
         here.st_dev == there.st_dev && here.st_size >= size_;
}

void Journal::check_it_is_there() {
  if (is_at_its_path()) return;
  const std::string kept = path_ + ".kept";
  AtomicFile file(kept);
  for (const auto& [name, result] : runs_) file.stream() << line_of(name, result);
  file.commit();
  throw InputError(fmt::format(
      "journal '{}' was removed, replaced or cut by another process while it was in use: all {} runs that "
      "are known are in '{}'; move it there to go on",
      path_, runs_.size(), kept));
}

Journal& JournalFile::open() const {
  if (!*journal_) journal_->emplace(path_);
  return **journal_;
}

std::vector<NamedRun> read_journal(const std::string& path) {
  const std::string text = read_file(path);
  std::vector<NamedRun> runs;
  std::map<std::string, std::size_t> known;
  read_lines(text, path, [&](const std::string& run, RunResult result) {
    const auto [at, is_new] = known.try_emplace(run, runs.size());
    if (is_new)
      runs.push_back({run, std::move(result)});
    else
      runs[at->second].result = std::move(result);
  });
  return runs;
}

std::string run_digest(const std::string& source_digest, const ProblemOptions& problem,
                       const RunOptions& options) {
  const auto text = [](const auto& value) { return value ? fmt::format("{}", *value) : std::string("-"); };
  const learner::Task& task = options.task;
  Digest digest;
  if (options.method.asks_values()) {
    const ValueAccess& values = options.values;
    digest.add(fmt::format("values {} {} {} {}", values.length ? name_of(*values.length) : "-",
                           values.tolerance.tau, name_of(values.tolerance.policy), text(values.budget)));
  }
  if (const std::string program = learner::program_digest(options.method); !program.empty())
    digest.add("program " + program);
  return digest.add(version())
      .add(source_digest)
      .add(fmt::format("{} {}", problem.seed, problem.holdout))
      .add(problem.truth ? attention::content_digest(attention::read_layer(*problem.truth)) : "")
      .add(options.method.options().str())
      .add(fmt::format("{} {} {} {}", text(task.heads), text(task.examples), task.seed, options.recovery))
      .add(fmt::format("{} {}", text(task.time_limit_seconds), text(task.memory_limit_bytes)))
      .hex();
}

}  // namespace hardhead::study
