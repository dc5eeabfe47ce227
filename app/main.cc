#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <sys/resource.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <latch>
#include <new>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include "app/command.h"
#include "app/interrupt.h"
#include "app/mpi_communicator.h"
#include "app/output.h"
#include "app/parse.h"
#include "app/progress.h"
#include "app/terminal/terminal.h"
#include "base/error.h"
#include "base/numeric/simd.h"

namespace hardhead::app {
namespace {

/// Whether the memory of this process is limited (ulimit -v, -d).
bool memory_is_limited() {
  const auto limited = [](auto resource) {
    rlimit limit{};
    return ::getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  };
  return limited(RLIMIT_AS) || limited(RLIMIT_DATA);
}

/// Where memory is limited, lets the process begin again with OpenBLAS held to one thread, if
/// the linear algebra that is loaded is OpenBLAS: it starts threads before main() is called, and one of them
/// that gets no memory asks for it without end, which the exit of the process then waits for. Returns where
/// there is nothing to do, or where the process cannot be begun again. `arguments` are those of main().
void hold_blas_to_one_thread_if_short_of_memory(char** arguments) {
  constexpr const char* variable = "OPENBLAS_NUM_THREADS";
  if (!memory_is_limited() || std::getenv(variable) != nullptr) return;
  if (::dlsym(RTLD_DEFAULT, "openblas_set_num_threads") == nullptr) return;
  if (::setenv(variable, "1", 0) == 0) ::execv("/proc/self/exe", arguments);
}

/// Opens those of the descriptors 0, 1 and 2 that the process was started without, so that no file gets one
/// of these numbers and what is meant for a terminal. They can be neither read nor written.
void open_standard_descriptors() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(number, F_GETFD) < 0)  // then `number` is the lowest that is free, which open() takes
      ::open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/// How many of `wanted` threads can be made at a time; limits on processes and on memory may leave fewer.
int threads_to_be_had(int wanted) {
  std::latch counted(1);
  std::vector<std::jthread> made;
  made.reserve(static_cast<std::size_t>(wanted));
  try {
    while (static_cast<int>(made.size()) < wanted) made.emplace_back([&] { counted.wait(); });
  } catch (const std::system_error&) {
  }
  counted.count_down();
  return static_cast<int>(made.size());
}

/// Where memory is limited, an arena of 64 MiB for each thread would take it from the stacks.
void share_one_arena_if_short_of_memory() {
#ifdef __GLIBC__
  if (memory_is_limited()) ::mallopt(M_ARENA_MAX, 1);
#endif
}

/// Further lines of a message are set in: a name with an end of line in it begins no line of its own.
ExitCode report(ExitCode code, const std::string& message) {
  std::string text = "hardhead: ";
  for (const char c : message) text += c == '\n' ? std::string("\n  ") : std::string(1, c);
  say(broken(text, columns(STDERR_FILENO)) + "\n");
  return code;
}

/// As many threads as the command was allowed. If they and the one that watches for signals cannot all be
/// made, half of those that can: the work needs memory, too, and oneTBB ends the process when it cannot make
/// a thread.
int usable_threads(int allowed, bool quiet) {
  const int made = threads_to_be_had(allowed + 1);
  if (made == 0)
    throw InputError(
        "no thread can be made beside the first: the limit on processes or on memory is too low");
  if (made > allowed) return allowed;
  const int used = (made + 1) / 2;
  if (!quiet)
    say(fmt::format("hardhead: only {} of {} threads can be made; {} are used\n", made, allowed + 1, used));
  return used;
}

/// What an exception says to the user.
RankEnding ending_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const RankEnding& of_another_rank) {
    return of_another_rank;
  } catch (const InputError& error) {
    return {ExitCode::bad_input, error.what()};
  } catch (const MachineError& error) {
    return {ExitCode::bad_input, error.what()};
  } catch (const BudgetError& error) {
    return {ExitCode::over_budget, error.what()};
  } catch (const std::bad_alloc&) {
    return {ExitCode::over_budget, std::string(out_of_memory)};
  } catch (const std::filesystem::filesystem_error& error) {
    return {ExitCode::bad_input, fmt::format("{}: {}", error.path1().string(), error.code().message())};
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::resource_unavailable_try_again)
      return {ExitCode::bad_input, "a thread cannot be made: fewer --threads or --jobs need less"};
    if (error.code() == std::errc::not_enough_memory)
      return {ExitCode::over_budget, std::string(out_of_memory)};
    return {ExitCode::our_bug, fmt::format("internal error, please report it: {}", error.what())};
  } catch (const std::exception& error) {
    return {ExitCode::our_bug, fmt::format("internal error, please report it: {}", error.what())};
  }
}

/// All ranks end their commands here. The root rank speaks for all of them: it throws the first error of any.
void leave_together(MpiCommunicator& communicator, const std::exception_ptr& thrown) {
  const RankEnding first = communicator.leave(thrown ? ending_of(thrown) : RankEnding{});
  if (communicator.rank() == 0 && !thrown && first.code != ExitCode::answered) throw RankEnding(first);
}

/// What the command answers; that it was stopped, if it has no answer then.
Answer answer_of(const ParsedLine& line, const RunContext& context) {
  try {
    return line.call.run(context);
  } catch (const Stopped& stopped) {
    return {"", fmt::format("stopped: {}; nothing was written", stopped.reason)};
  }
}

/// Runs the command and prints its answer. When this returns, MPI has ended.
ExitCode run_to_the_end(const ParsedLine& line) {
  const CommonOptions& common = line.call.common;
  choose_colour(common.color);
  const int threads = usable_threads(common.threads, common.quiet);
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(threads));
  tbb::task_arena arena(threads);
  std::optional<Interrupt> interrupt(std::in_place);
  std::optional<MpiCommunicator> communicator;
  if (started_by_mpi()) communicator.emplace();
  RunContext context;
  context.stop = StopToken(&Interrupt::requested());
  if (communicator) context.communicator = &*communicator;
  const bool is_root = context.is_root(), takes_part = is_root || line.command->shared;
  if (!line.command->shared) context.communicator = nullptr;
  std::optional<ProgressLine> progress;
  if (!common.quiet && is_root) {
    progress.emplace();
    context.progress.on_progress = [&](std::string_view phase, double done) { progress->show(phase, done); };
    context.progress.on_announcement = [&](std::string_view sentence) { progress->announce(sentence); };
  }
  Answer answer;
  std::exception_ptr thrown;
  try {
    if (takes_part) answer = arena.execute([&] { return answer_of(line, context); });
  } catch (...) {
    thrown = std::current_exception();
  }
  progress.reset();
  interrupt.reset();  // what is left is to wait for other ranks, and to print
  if (communicator) leave_together(*communicator, thrown);
  if (!is_root) return ExitCode::answered;
  if (thrown) std::rethrow_exception(thrown);
  print(answer.text);
  return answer.note.empty() ? answer.code : report(answer.code, answer.note);
}

ExitCode main(int argc, char** argv) {
  choose_simd_target_named(environment_variable("HARDHEAD_SIMD"));
  const std::optional<ParsedLine> line = parse(argc, argv);
  if (!line) return ExitCode::answered;
  const ExitCode code = run_to_the_end(*line);
  const int signal = Interrupt::signal();
  return signal == 0 ? code : stopped_by(signal);
}

ExitCode guarded(int argc, char** argv) {
  try {
    return main(argc, argv);
  } catch (...) {
    const RankEnding ending = ending_of(std::current_exception());
    return report(ending.code, ending.message);
  }
}

}  // namespace
}  // namespace hardhead::app

int main(int argc, char** argv) {
  hardhead::app::hold_blas_to_one_thread_if_short_of_memory(argv);
  hardhead::app::open_standard_descriptors();
  hardhead::app::share_one_arena_if_short_of_memory();
  return static_cast<int>(hardhead::app::guarded(argc, argv));
}
