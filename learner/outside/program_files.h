#pragma once
#include <memory>
#include <string>

#include "base/files/temporary_folder.h"
#include "base/process/guarded_process.h"
#include "learner/attention_names.h"
#include "learner/learner.h"

namespace hardhead::learner {

/// A learner that is a program of the user's.
class OutsideProgram {
 public:
  /// The shell runs `command`.
  explicit OutsideProgram(std::string command) : command_(std::move(command)) {}
  /// What the shell runs.
  const std::string& command() const { return command_; }

 protected:
  ~OutsideProgram() = default;

 private:
  std::string command_;
};

/// Throws what it is that a program ended so, with its last line: MachineError where the machine ended it
/// (CommandEnding::by_the_machine), else Failed. `how` stands behind the ending.
[[noreturn]] void throw_ending(const CommandEnding& ending, bool has_memory_limit, const char* how,
                               const TemporaryFolder& folder);

/// A folder for the files of one call of a program. Throws MachineError if none can be made.
std::unique_ptr<TemporaryFolder> folder_of_a_program();

/// SHA-256 over the files that a shell command names, as they are now: the program itself, by PATH as the
/// shell finds it, and each word between blanks, quotes and operators of the shell, or behind a '=', that is
/// a regular file. What the shell makes of $NAME, ~, patterns and `cd` is not followed, and what a program
/// reads without being told is not known. Empty where the command names no file. The content of a file is
/// read again only where its size, its time or its place on the disk is another than before; of a file that
/// cannot be read these count instead.
std::string files_digest(const std::string& command);

/// files_digest() of a learner that is a program of the user's; empty for the library's own.
std::string program_digest(const Learner& learner);

}  // namespace hardhead::learner
