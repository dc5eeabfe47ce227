#pragma once
#include <string>

namespace hardhead {

/// What became of a wish for a lock.
enum class LockOutcome {
  locked,       ///< held until the descriptor is closed
  taken,        ///< another process has it
  unsupported,  ///< the file system has no locks
};

/// Locks an open file for this descriptor alone: by flock, or where the file system has none by a lock of the
/// open file description (fcntl), which needs a regular file that is open for writing.
LockOutcome lock_file(int descriptor);

/// What is wrong with a lock that was not had: "another process .." or ".. has no locks".
std::string why_not_locked(LockOutcome outcome, const std::string& taken);

}  // namespace hardhead
