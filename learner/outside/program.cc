#include "learner/outside/program.h"

#include "learner/registered_methods.h"

// The learner `exec:COMMAND`, a program of the user's, run by the shell. By default it learns from examples;
// `exec:access=values,command=COMMAND` asks for values.
//
// A time limit kills the program with all its children, a memory limit makes their allocations fail. It is on
// trust: what it is given tells nothing of the instance, but it runs as the same user, so it can read the
// command line of the process that started it (/proc/PPID/cmdline: the spec, its seed) and make the instance
// anew, or any file.
namespace hardhead::learner {
namespace {

enum class ProgramAccess { examples, values };

constexpr auto enum_names(ProgramAccess) {
  return std::to_array<EnumName<ProgramAccess>>(
      {{ProgramAccess::examples, "examples"}, {ProgramAccess::values, "values"}});
}

struct ProgramOptions {
  ProgramAccess access = ProgramAccess::examples;
  std::string command;
};

Method described() {
  const OptionTable<ProgramOptions> table =
      OptionTable<ProgramOptions>()
          .choice("access", &ProgramOptions::access, "examples, in a file; or values, by lines of JSON")
          .text("command", &ProgramOptions::command,
                "what the shell runs; the last option, of any characters");
  return {.name = "exec",
          .summary = "a program of your own, as in exec:COMMAND or exec:access=values,command=COMMAND",
          .guarantee = "the program's own",
          .parameters = table.rows(),
          .access = Access::examples,
          .told = Told::unknown,
          .configure = [table](const Spec& spec) -> std::shared_ptr<const Algorithm> {
            const ProgramOptions options = table.read(spec);
            if (options.access == ProgramAccess::values)
              return std::make_shared<const ValueProgram>(options.command);
            return std::make_shared<const ExampleProgram>(options.command);
          },
          .canonical = [table](const Spec& spec) { return table.canonical(spec); }};
}

}  // namespace

const Method program_method = described();

}  // namespace hardhead::learner
