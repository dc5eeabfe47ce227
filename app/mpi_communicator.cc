#include "app/mpi_communicator.h"

#include <cstdlib>

#include "base/error.h"

#ifdef HARDHEAD_HAS_MPI
#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>

#include "app/interrupt.h"
#include "base/run/gather_work.h"
#endif

namespace hardhead::app {

bool started_by_mpi() {
  const auto several = [](const char* name) {
    const char* size = std::getenv(name);
    return size != nullptr && std::strtol(size, nullptr, 10) > 1;
  };
  if (several("OMPI_COMM_WORLD_SIZE") || several("PMI_SIZE") || several("PMIX_SIZE")) return true;
  if (!several("SLURM_STEP_NUM_TASKS")) return false;  // srun, which says no more to PMIx's clients
  if (std::getenv("PMIX_RANK") == nullptr)
    throw InputError(
        "srun started several tasks that know nothing of each other, and each would do the whole work: give "
        "it --mpi=pmix, or -n 1");
  return true;
}

#ifdef HARDHEAD_HAS_MPI

namespace {

using namespace std::chrono_literals;

constexpr int tag = 1;

/// A copy of MPI_COMM_WORLD for what a rank's watcher has to say, beside the work.
MPI_Comm alarms = MPI_COMM_NULL;

int length(const std::string& message) {
  if (message.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    throw BudgetError("a message between ranks is longer than 2 GiB: keep fewer rows");
  return static_cast<int>(message.size());
}

/// Calls done() until it is true. It naps between calls, so that others can call MPI.
template <class Done>
void wait_until(const Done& done) {
  for (int polls = 0; !done(); ++polls)
    if (polls > 100) std::this_thread::sleep_for(200us);
}

}  // namespace

struct MpiCommunicator::Sent {
  std::string bytes;
  MPI_Request request = MPI_REQUEST_NULL;

  bool has_arrived() {
    int done = 0;
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    return done != 0;
  }
};

std::string mpi_library() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text = {};
  int count = 0;
  MPI_Get_library_version(text.data(), &count);
  const std::string all(text.data());
  return all.substr(0, all.find(','));
}

MpiCommunicator::MpiCommunicator() {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
  if (provided < MPI_THREAD_SERIALIZED)
    throw InputError("this MPI cannot be called from more than one thread (MPI_THREAD_SERIALIZED)");
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  if (size_ == 1)
    throw InputError(
        "started as one of several ranks, but this MPI knows of one: its launcher is another MPI's");
  MPI_Comm_dup(MPI_COMM_WORLD, &alarms);
  watcher_ = std::jthread([this](const std::stop_token& end) { watch(end); });
}

MpiCommunicator::~MpiCommunicator() {
  watcher_ = {};  // ends it
  MPI_Finalize();
}

void MpiCommunicator::watch(const std::stop_token& end) {
  for (; !end.stop_requested(); std::this_thread::sleep_for(20ms)) {
    int found = 0, signal = 0;
    {
      const std::lock_guard lock(mutex_);
      MPI_Iprobe(MPI_ANY_SOURCE, tag, alarms, &found, MPI_STATUS_IGNORE);
      if (found != 0) MPI_Recv(&signal, 1, MPI_INT, MPI_ANY_SOURCE, tag, alarms, MPI_STATUS_IGNORE);
    }
    if (found != 0) {
      told_ = true;
      Interrupt::ask(signal);
    } else if (Interrupt::requested()) {
      tell_others(Interrupt::signal());
    }
  }
}

void MpiCommunicator::tell_others(int signal) {
  if (told_.exchange(true)) return;
  const std::lock_guard lock(mutex_);
  for (int other = 0; other < size_; ++other) {
    if (other == rank_) continue;
    Sent& one = sent_.emplace_back(Sent{std::string(reinterpret_cast<const char*>(&signal), sizeof signal)});
    MPI_Isend(one.bytes.data(), 1, MPI_INT, other, tag, alarms, &one.request);
  }
}

std::vector<std::string> MpiCommunicator::all_gather(const std::string& own) const {
  const auto ranks = static_cast<std::size_t>(size_);
  std::vector<int> lengths(ranks), begins(ranks);
  const int mine = length(own);
  MPI_Request request = MPI_REQUEST_NULL;
  const auto wait = [&] {
    wait_until([&] {
      int done = 0;
      const std::lock_guard lock(mutex_);
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      return done != 0;
    });
  };
  {
    const std::lock_guard lock(mutex_);
    MPI_Iallgather(&mine, 1, MPI_INT, lengths.data(), 1, MPI_INT, MPI_COMM_WORLD, &request);
  }
  wait();
  std::string all;
  for (std::size_t r = 0; r < ranks; ++r) {
    begins[r] = length(all);
    all.resize(all.size() + static_cast<std::size_t>(lengths[r]));
  }
  length(all);
  {
    const std::lock_guard lock(mutex_);
    MPI_Iallgatherv(own.data(), mine, MPI_CHAR, all.data(), lengths.data(), begins.data(), MPI_CHAR,
                    MPI_COMM_WORLD, &request);
  }
  wait();
  std::vector<std::string> out;
  out.reserve(ranks);
  for (std::size_t r = 0; r < ranks; ++r)
    out.push_back(all.substr(static_cast<std::size_t>(begins[r]), static_cast<std::size_t>(lengths[r])));
  return out;
}

void MpiCommunicator::send(int to, const std::string& message, const StopToken& stop) const {
  const int size = length(message);
  std::list<Sent>::iterator one;
  {
    const std::lock_guard lock(mutex_);
    one = sent_.insert(sent_.end(), Sent{message});
    MPI_Isend(one->bytes.data(), size, MPI_CHAR, to, tag, MPI_COMM_WORLD, &one->request);
  }
  wait_until([&] {
    stop.check();  // the message stays in the list
    const std::lock_guard lock(mutex_);
    return one->has_arrived();
  });
  const std::lock_guard lock(mutex_);
  sent_.erase(one);
}

std::pair<int, std::string> MpiCommunicator::receive(const StopToken& stop) const {
  std::pair<int, std::string> out;
  wait_until([&] {
    stop.check();
    int found = 0, count = 0;
    MPI_Status status;
    const std::lock_guard lock(mutex_);
    MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &found, &status);
    if (found == 0) return false;
    MPI_Get_count(&status, MPI_CHAR, &count);
    out = {status.MPI_SOURCE, std::string(static_cast<std::size_t>(count), '\0')};
    MPI_Recv(out.second.data(), count, MPI_CHAR, status.MPI_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return true;
  });
  return out;
}

RankEnding MpiCommunicator::leave(const RankEnding& own) {
  constexpr char gone = static_cast<char>(Standing::gone);
  if (own.code != ExitCode::answered) tell_others(Interrupt::signal());
  const std::string message = std::string(1, gone) + static_cast<char>(own.code) + own.message;
  std::vector<std::string> all;
  const auto all_gone = [&] {
    return std::ranges::all_of(all, [](const std::string& one) { return one.front() == gone; });
  };
  do all = all_gather(message);
  while (!all_gone());
  watcher_ = {};
  end_messages();
  RankEnding first = own;
  for (const std::string& one : all)
    if (first.code == ExitCode::answered) first = {static_cast<ExitCode>(one[1]), one.substr(2)};
  return first;
}

/// Takes what nobody will receive any more; whether there was anything.
bool MpiCommunicator::discard_messages() const {
  bool any = false;
  for (const MPI_Comm from : {MPI_COMM_WORLD, alarms}) {
    int found = 0, count = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, from, &found, &status);
    if (found == 0) continue;
    MPI_Get_count(&status, MPI_CHAR, &count);
    std::string unread(static_cast<std::size_t>(count), '\0');
    MPI_Recv(unread.data(), count, MPI_CHAR, status.MPI_SOURCE, status.MPI_TAG, from, MPI_STATUS_IGNORE);
    any = true;
  }
  return any;
}

/// A stop leaves messages on their way. Every rank takes what comes until none of its own is left, and then
/// until all ranks have come so far.
void MpiCommunicator::end_messages() {
  const std::lock_guard lock(mutex_);
  wait_until([&] {
    std::erase_if(sent_, [](Sent& one) { return one.has_arrived(); });
    return !discard_messages() && sent_.empty();
  });
  MPI_Request together = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &together);
  wait_until([&] {
    int done = 0;
    MPI_Test(&together, &done, MPI_STATUS_IGNORE);
    return !discard_messages() && done != 0;
  });
}

#else

struct MpiCommunicator::Sent {};

std::string mpi_library() {
  return {};
}

MpiCommunicator::MpiCommunicator() {
  throw InputError(
      "started as one of several MPI ranks, but this build has no MPI: install libopenmpi-dev and configure "
      "again, or start a single process");
}
MpiCommunicator::~MpiCommunicator() = default;
std::vector<std::string> MpiCommunicator::all_gather(const std::string&) const {
  return {};
}
void MpiCommunicator::send(int, const std::string&, const StopToken&) const {}
std::pair<int, std::string> MpiCommunicator::receive(const StopToken&) const {
  return {};
}
RankEnding MpiCommunicator::leave(const RankEnding& own) {
  return own;
}

#endif

}  // namespace hardhead::app
