#pragma once
#include <atomic>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/command.h"
#include "base/run/communicator.h"

namespace hardhead::app {

/// Whether this process was started as one of several ranks (by mpirun or srun), told by the environment that
/// Open MPI, PMI launchers and Slurm set. Throws InputError for tasks of srun that are no ranks of one job.
bool started_by_mpi();

/// The MPI library's own name and version; empty in a build without MPI.
std::string mpi_library();

/// How a rank's command ended.
struct RankEnding {
  ExitCode code = ExitCode::answered;
  std::string message{};  ///< of an error
};

/// All ranks of the MPI job. One at a time; it starts and ends MPI.
///
/// Work is shared by all_gather(), in which every rank takes part until all are ready to leave, so that none
/// waits for one that is gone. Beside the work, a thread of each rank passes on that this rank was
/// interrupted (interrupt.h), or has failed, and interrupts it when another says so: within a twentieth of a
/// second all ranks are asked to stop.
///
/// Throws InputError in a build without MPI: whoever starts several processes would otherwise run the same
/// program several times. A rank that dies ends the job; MPI's launcher says which.
class MpiCommunicator final : public Communicator {
 public:
  MpiCommunicator();
  /// Ends MPI. leave() has been called.
  ~MpiCommunicator() override;
  MpiCommunicator(const MpiCommunicator&) = delete;
  MpiCommunicator& operator=(const MpiCommunicator&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::vector<std::string> all_gather(const std::string& own) const override;
  void send(int to, const std::string& message, const StopToken& stop) const override;
  std::pair<int, std::string> receive(const StopToken& stop) const override;

  /// This rank's command has ended, so. Waits until those of all ranks have, and returns the first error of
  /// any.
  RankEnding leave(const RankEnding& own);

 private:
  /// A message on its way, whose bytes MPI may still read.
  struct Sent;

  void watch(const std::stop_token& end);
  void tell_others(int signal);
  bool discard_messages() const;
  void end_messages();

  mutable std::mutex mutex_;      ///< of every call of MPI
  mutable std::list<Sent> sent_;  ///< guarded by it
  int rank_ = 0, size_ = 1;
  std::atomic<bool> told_{false};  ///< the others know that they are to stop
  std::jthread watcher_;
};

}  // namespace hardhead::app
