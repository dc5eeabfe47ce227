#pragma once
#include <list>
#include <string>
#include <utility>
#include <vector>

#include "base/run/communicator.h"

namespace hardhead::app {

/// Whether this process was started as one of several ranks (by mpirun or a scheduler), told by the
/// environment that Open MPI and PMI launchers set.
bool started_by_mpi();

/// The MPI library's own name and version; empty in a build without MPI.
std::string mpi_library();

/// All ranks of the MPI job. One at a time; it starts and ends MPI.
///
/// Throws InputError in a build without MPI: whoever starts several processes would otherwise run the same
/// program several times. A rank that dies ends the job; MPI's launcher says which.
class MpiCommunicator final : public Communicator {
 public:
  MpiCommunicator();
  /// Waits for all ranks; for a second at most if this one was stopped or is leaving by an exception.
  ~MpiCommunicator() override;
  MpiCommunicator(const MpiCommunicator&) = delete;
  MpiCommunicator& operator=(const MpiCommunicator&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::vector<std::string> all_gather(const std::string& own, const StopToken& stop) const override;
  void send(int to, const std::string& message, const StopToken& stop) const override;
  std::pair<int, std::string> receive(const StopToken& stop) const override;

 private:
  // What MPI reads and writes until a request is done. A stop leaves the request behind, so the communicator
  // owns it.
  struct Buffers {
    std::string own, all;
    std::vector<int> lengths, begins;
  };

  mutable std::list<Buffers> in_use_;
  int rank_ = 0, size_ = 1;
  int exceptions_ = 0;
  mutable bool stopped_ = false;
};

}  // namespace hardhead::app
