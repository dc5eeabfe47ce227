#pragma once
#include <string>
#include <vector>

#include "base/error.h"
#include "base/run/communicator.h"

namespace hardhead {

/// What a message of all_gather() begins with: how it stands with the rank that sends it.
enum class Standing : char {
  working = 'w',  ///< its part of the work follows
  stopped = 's',  ///< it was stopped; the reason follows
  refused = 'r',  ///< its work threw InputError, whose text follows
  gone = 'g',     ///< it takes part in no more work
};

/// work() of every rank, in the order of ranks, on every rank. Whether all of them could do their part is
/// agreed in the same exchange: if work() throws Stopped or InputError on a rank, every rank throws it, and a
/// rank that is gone stops the others. Any other exception leaves this rank alone, and it has to go
/// (Standing::gone).
template <class Work>
std::vector<std::string> gather_work(const Communicator& communicator, const StopToken& stop,
                                     const Work& work) {
  const auto message = [](Standing standing, const std::string& text) {
    return static_cast<char>(standing) + text;
  };
  std::string own;
  try {
    own = message(Standing::working, work());
  } catch (const Stopped& stopped) {
    own = message(Standing::stopped, stopped.reason);
  } catch (const InputError& error) {
    own = message(Standing::refused, error.what());
  }
  std::vector<std::string> all = communicator.all_gather(own);
  for (const std::string& one : all)
    if (one.front() == static_cast<char>(Standing::refused)) throw InputError(one.substr(1));
  for (std::string& one : all) {
    if (one.front() == static_cast<char>(Standing::stopped)) throw Stopped{one.substr(1)};
    if (one.front() == static_cast<char>(Standing::gone)) {
      stop.check();  // this rank's own reason, if it has one
      throw Stopped{"another rank has ended"};
    }
    one.erase(0, 1);
  }
  return all;
}

}  // namespace hardhead
