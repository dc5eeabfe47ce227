#include "app/mpi_communicator.h"

#include <cstdlib>

#include "base/error.h"

#ifdef HARDHEAD_HAS_MPI
#include <mpi.h>

#include <array>
#include <chrono>
#include <exception>
#include <limits>
#include <thread>
#endif

namespace hardhead::app {

bool started_by_mpi() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_SIZE"})
    if (const char* size = std::getenv(name); size != nullptr && std::strtol(size, nullptr, 10) > 1)
      return true;
  return false;
}

#ifdef HARDHEAD_HAS_MPI

namespace {

constexpr int tag = 1;

// A copy of MPI_COMM_WORLD, only for the barrier at which ranks leave: a stopped rank leaves requests behind,
// and a barrier on the same communicator would be taken for one of those.
MPI_Comm leaving = MPI_COMM_NULL;

int length(const std::string& message) {
  if (message.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    throw BudgetError("a message between ranks is longer than 2 GiB: keep fewer rows");
  return static_cast<int>(message.size());
}

// Waits in short naps rather than inside MPI, so that a stop is answered.
void wait(MPI_Request& request, const StopToken& stop, bool& stopped) {
  for (int done = 0, polls = 0;; ++polls) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return;
    try {
      stop.check();
    } catch (const Stopped&) {
      stopped = true;
      throw;
    }
    if (polls > 100) std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

}  // namespace

std::string mpi_library() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text = {};
  int count = 0;
  MPI_Get_library_version(text.data(), &count);
  const std::string all(text.data());
  return all.substr(0, all.find(','));
}

MpiCommunicator::MpiCommunicator() : exceptions_(std::uncaught_exceptions()) {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
  if (provided < MPI_THREAD_SERIALIZED)
    throw InputError("this MPI cannot be called from more than one thread (MPI_THREAD_SERIALIZED)");
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  MPI_Comm_dup(MPI_COMM_WORLD, &leaving);
}

MpiCommunicator::~MpiCommunicator() {
  const bool failing = std::uncaught_exceptions() > exceptions_;
  if (stopped_ || failing) {
    // Where input is wrong or a signal came, all ranks leave, and rank 0 speaks for them. A rank that leaves
    // alone says why and ends without ending MPI, upon which the launcher ends the others.
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(leaving, &request);
    int together = 0;
    for (const Stopwatch watch; together == 0 && watch.seconds() < 1;) {
      MPI_Test(&request, &together, MPI_STATUS_IGNORE);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (together == 0) return;
  }
  MPI_Finalize();
  if (failing && rank_ != 0) std::_Exit(0);
}

std::vector<std::string> MpiCommunicator::all_gather(const std::string& own, const StopToken& stop) const {
  const auto ranks = static_cast<std::size_t>(size_);
  const int mine = length(own);
  Buffers& b = in_use_.emplace_back(Buffers{own, "", std::vector<int>(ranks), std::vector<int>(ranks)});
  b.lengths[static_cast<std::size_t>(rank_)] = mine;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b.lengths.data(), 1, MPI_INT, MPI_COMM_WORLD, &request);
  wait(request, stop, stopped_);
  for (std::size_t r = 0; r < ranks; ++r) {
    b.begins[r] = length(b.all);
    b.all.resize(b.all.size() + static_cast<std::size_t>(b.lengths[r]));
  }
  length(b.all);
  MPI_Iallgatherv(b.own.data(), mine, MPI_CHAR, b.all.data(), b.lengths.data(), b.begins.data(), MPI_CHAR,
                  MPI_COMM_WORLD, &request);
  wait(request, stop, stopped_);
  std::vector<std::string> out;
  out.reserve(ranks);
  for (std::size_t r = 0; r < ranks; ++r)
    out.push_back(
        b.all.substr(static_cast<std::size_t>(b.begins[r]), static_cast<std::size_t>(b.lengths[r])));
  in_use_.pop_back();
  return out;
}

void MpiCommunicator::send(int to, const std::string& message, const StopToken& stop) const {
  const Buffers& b = in_use_.emplace_back(Buffers{message, "", {}, {}});
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(b.own.data(), length(b.own), MPI_CHAR, to, tag, MPI_COMM_WORLD, &request);
  wait(request, stop, stopped_);
  in_use_.pop_back();
}

std::pair<int, std::string> MpiCommunicator::receive(const StopToken& stop) const {
  for (;;) {
    int found = 0, count = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &found, &status);
    if (found != 0) {
      MPI_Get_count(&status, MPI_CHAR, &count);
      std::string message(static_cast<std::size_t>(count), '\0');
      MPI_Recv(message.data(), count, MPI_CHAR, status.MPI_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      return {status.MPI_SOURCE, std::move(message)};
    }
    try {
      stop.check();
    } catch (const Stopped&) {
      stopped_ = true;
      throw;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

#else

std::string mpi_library() {
  return {};
}

MpiCommunicator::MpiCommunicator() {
  throw InputError(
      "started as one of several MPI ranks, but this build has no MPI: install libopenmpi-dev and configure "
      "again, or start a single process");
}
MpiCommunicator::~MpiCommunicator() = default;
std::vector<std::string> MpiCommunicator::all_gather(const std::string&, const StopToken&) const {
  return {};
}
void MpiCommunicator::send(int, const std::string&, const StopToken&) const {}
std::pair<int, std::string> MpiCommunicator::receive(const StopToken&) const {
  return {};
}

#endif

}  // namespace hardhead::app
