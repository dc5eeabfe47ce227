#pragma once
#include <sys/types.h>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/files/scoped_path.h"
#include "study/run/run.h"

namespace hardhead::study {

/// The runs of a study that are done, in an append-only file of JSON lines. A study that was cut off, even by
/// a power failure, goes on where it stopped when the same command is given again. A line has `run`, the
/// run's name (run_digest), and the fields of `learn --json`. One process at a time holds the file.
class Journal {
 public:
  /// Opens or creates the file. A last line without its end, which begins as a run does, was cut off while it
  /// was written: it is removed, as are blank lines and NULs at the end, and its run done again. Throws
  /// InputError naming the file: it is not a regular file, cannot be opened, is held by another process, or
  /// has anything in it that is not a run; the file is as it was then.
  explicit Journal(std::string path);
  /// A file that this object created goes again if nothing was written to it.
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// The run of that name, without its layer, if it is there.
  std::optional<RunResult> find(const std::string& run);
  /// How many runs the file had that nobody has found: of another plan, or of another version of the program.
  std::int64_t unclaimed() const { return static_cast<std::int64_t>(unclaimed_.size()); }
  /// Writes one line and waits until the disk has it. Throws InputError if it could not be written, and if
  /// the file was removed, replaced or cut meanwhile; all runs are then written to a new file beside it,
  /// PATH.kept.
  void append(const std::string& run, const RunResult& result);

 private:
  void open();
  void read();
  bool is_at_its_path() const;
  void check_it_is_there();

  std::string path_;
  int file_ = -1;
  off_t size_ = 0;                     ///< of the lines that are known
  std::optional<ScopedPath> created_;  ///< the file, as long as it is new and empty
  std::map<std::string, RunResult> runs_;
  std::set<std::string> unclaimed_;
};

/// A journal that is opened when it is first needed and stays open from then on: a study of many plans reads
/// it once. Copies share it.
class JournalFile {
 public:
  /// A path stands for its journal; nothing is opened yet.
  JournalFile(std::string path) : path_(std::move(path)) {}

  /// The journal. Throws as its constructor does.
  Journal& open() const;

 private:
  std::string path_;
  std::shared_ptr<std::optional<Journal>> journal_ = std::make_shared<std::optional<Journal>>();
};

/// A run and its name (run_digest).
struct NamedRun {
  std::string name;  ///< 64 hexadecimal digits
  RunResult result;  ///< without its layer
};

/// The runs of a journal in the order of their lines, each once, as it was last written. Another process may
/// hold the file and be writing: nothing is changed, and a last line without its end is passed over. Throws
/// InputError as Journal does.
std::vector<NamedRun> read_journal(const std::string& path);

/// SHA-256 over everything that decides a run's result but its seconds: the program's version, the digest of
/// the source, and all options of problem and run; of a truth and of the files of a program of the user's
/// (learner/outside/program_files.h) their content, not their path. The number of threads does not count.
/// Throws InputError for a truth that cannot be read.
std::string run_digest(const std::string& source_digest, const ProblemOptions& problem,
                       const RunOptions& options);

}  // namespace hardhead::study
