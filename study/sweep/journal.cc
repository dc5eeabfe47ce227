#include "study/sweep/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
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
#include "base/files/digest.h"
#include "base/files/read_file.h"
#include "base/text/json.h"
#include "base/text/json_object.h"
#include "base/text/quoted.h"
#include "base/version.h"
#include "study/run/json.h"

namespace hardhead::study {

using Json = nlohmann::ordered_json;

namespace {

constexpr int max_depth = 3;  // the run, its phases, a phase

/// Whether a line that was cut off anywhere can be this.
bool begins_as_a_run(std::string_view tail) {
  constexpr std::string_view start = R"({"run":")";
  return start.starts_with(tail.substr(0, start.size()));
}

/// Hands over the run of each whole line with its name; returns where the last of them ends.
std::size_t read_lines(const std::string& text, const std::string& path,
                       const std::function<void(const std::string&, RunResult)>& take) {
  const std::size_t whole = text.rfind('\n') + 1;  // 0 where there is no line
  std::size_t number = 0;
  for (std::size_t at = 0; at < whole;) {
    const std::size_t end = text.find('\n', at);
    const std::string place = fmt::format("journal '{}', line {}", path, ++number);
    Json line;
    try {
      line = parse_json<Json>(std::string_view(text).substr(at, end - at), max_depth);
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {}", place, error.what()));
    }
    take(JsonObject(line, place).text("run"), run_from_json(line, place));
    at = end + 1;
  }
  return whole;
}

}  // namespace

Journal::Journal(std::string path) : path_(std::move(path)) {
  open();
  try {
    struct stat here{}, there{};
    if (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
      if (created_) created_->keep();  // it is the other's by now
      throw InputError(fmt::format("journal '{}': another process holds it", path_));
    }
    if (::fstat(file_, &here) != 0 || ::stat(path_.c_str(), &there) != 0 || here.st_ino != there.st_ino)
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
  if (!begins_as_a_run(std::string_view(text).substr(whole)))
    throw InputError(
        fmt::format("journal '{}': its end, {}, is not the beginning of a run: is this another file?", path_,
                    quoted(std::string_view(text).substr(whole))));
  if (whole < text.size() && ::ftruncate(file_, static_cast<off_t>(whole)) != 0)
    throw InputError(fmt::format("journal '{}': {}", path_, std::strerror(errno)));
}

std::optional<RunResult> Journal::find(const std::string& run) {
  unclaimed_.erase(run);
  const auto at = runs_.find(run);
  return at == runs_.end() ? std::nullopt : std::optional(at->second);
}

void Journal::append(const std::string& run, const RunResult& result) {
  Json line{{"run", run}};
  line.update(to_json(result));
  const std::string text = text_of_json(line) + "\n";
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
  runs_.insert_or_assign(run, result).first->second.drop_layers();
}

struct JournalFile::Shared {
  explicit Shared(std::string name) : path(std::move(name)) {}

  std::string path;
  std::optional<Journal> journal{};
};

JournalFile::JournalFile(std::string path) : shared_(std::make_shared<Shared>(std::move(path))) {}

Journal& JournalFile::open() const {
  if (!shared_->journal) shared_->journal.emplace(shared_->path);
  return *shared_->journal;
}

std::vector<RunResult> read_journal(const std::string& path) {
  const std::string text = read_file(path);
  std::vector<RunResult> runs;
  std::map<std::string, std::size_t> known;
  read_lines(text, path, [&](const std::string& run, RunResult result) {
    const auto [at, is_new] = known.try_emplace(run, runs.size());
    if (is_new)
      runs.push_back(std::move(result));
    else
      runs[at->second] = std::move(result);
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
