#include <fmt/format.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <new>
#include <optional>

#include "app/interrupt.h"
#include "app/mpi_communicator.h"
#include "app/output.h"
#include "app/parse.h"
#include "app/progress.h"
#include "base/error.h"

namespace hardhead::app {
namespace {

/// Blocks of examples are a few hundred kilobytes each and come and go all the time. By default the C library
/// hands such memory back to the system at once, and a third of a pass over examples goes into getting it
/// again.
void keep_freed_memory() {
#ifdef __GLIBC__
  ::mallopt(M_MMAP_THRESHOLD, 64 << 20);
  ::mallopt(M_TRIM_THRESHOLD, 256 << 20);
#endif
}

ExitCode report(ExitCode code, const std::string& message) {
  fmt::print(stderr, "hardhead: {}\n", message);
  return code;
}

/// Runs the command and prints its answer. When this returns, MPI has ended.
ExitCode run_to_the_end(const ParsedLine& line) {
  const CommonOptions& common = line.call->common();
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(common.threads));
  tbb::task_arena arena(common.threads);
  std::optional<MpiCommunicator> communicator;
  const Interrupt interrupt;
  RunContext context;
  context.stop = StopToken(&interrupt.requested());
  if (started_by_mpi()) {
    communicator.emplace();
    if (line.command->shared)
      context.communicator = &*communicator;
    else if (communicator->rank() != 0)
      return ExitCode::answered;
  }
  std::optional<ProgressLine> progress;
  if (!common.quiet && context.is_root()) {
    progress.emplace();
    context.progress.on_progress = [&](std::string_view phase, double done) { progress->show(phase, done); };
    context.progress.on_announcement = [&](std::string_view sentence) { progress->announce(sentence); };
  }
  try {
    const Answer answer = arena.execute([&] { return line.call->run(context); });
    progress.reset();
    if (!context.is_root()) return ExitCode::answered;
    print(answer.text);
    return answer.note.empty() ? answer.code : report(answer.code, answer.note);
  } catch (const Stopped& stopped) {
    progress.reset();
    return report(ExitCode::answered, fmt::format("stopped: {}; nothing was written", stopped.reason));
  }
}

ExitCode main(int argc, char** argv) {
  const std::optional<ParsedLine> line = parse(argc, argv);
  if (!line) return ExitCode::answered;
  const ExitCode code = run_to_the_end(*line);
  const int signal = Interrupt::signal();
  return signal == 0 ? code : stopped_by(signal);
}

ExitCode guarded(int argc, char** argv) {
  try {
    return main(argc, argv);
  } catch (const InputError& error) {
    return report(ExitCode::bad_input, error.what());
  } catch (const BudgetError& error) {
    return report(ExitCode::over_budget, error.what());
  } catch (const std::bad_alloc&) {
    return report(ExitCode::over_budget,
                  "out of memory: a smaller instance, fewer --examples or fewer --threads need less");
  } catch (const std::exception& error) {
    return report(ExitCode::our_bug, fmt::format("internal error, please report it: {}", error.what()));
  }
}

}  // namespace
}  // namespace hardhead::app

int main(int argc, char** argv) {
  hardhead::app::keep_freed_memory();
  return static_cast<int>(hardhead::app::guarded(argc, argv));
}
