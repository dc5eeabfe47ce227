#include <fmt/format.h>

#include <filesystem>

#include "attention/files/layer_file.h"
#include "base/error.h"
#include "base/files/temporary_folder.h"
#include "base/process/guarded_process.h"
#include "base/text/quoted.h"
#include "hardness/families/nice_layer.h"
#include "hardness/families/registered_families.h"
#include "hardness/gadget/switch_gadget.h"

// Family `exec`: layers that a program of the user's makes, in any language. The shell runs
//
//     PROGRAM d=16 k=2 m=3 inputs=boolean seed=3 FILE
//
// and the program writes a layer file (attention/files/layer_file.h) of that d and m to FILE, in a scratch
// folder. Labels are those of its forward pass, so a layer of the form of a hard one is refused. The program
// is on trust: it runs as the same user, in the same folder.
namespace hardhead::hardness {
namespace {

constexpr const char* family_name = "exec";

struct ProgramLayerOptions {
  std::string program;
  NiceOptions nice;  ///< its sizes, inputs and seed
};

/// Waits for a program that long; then it is killed.
constexpr double most_seconds = 600;

CommandEnding run(const std::string& line, const std::string& log) {
  try {
    return run_command(line, log, std::nullopt, StopToken().with_time_limit(most_seconds));
  } catch (const MachineError&) {
    throw;
  } catch (const Error& error) {
    throw InputError(error.what());
  } catch (const Stopped& stopped) {
    throw InputError(fmt::format("the program was killed: {}", stopped.reason));
  }
}

attention::Layer layer_of_program(const ProgramLayerOptions& options) {
  const NiceOptions& of = options.nice;
  const TemporaryFolder folder("hardhead-family");
  const std::string path = folder.file("layer.safetensors");
  const CommandEnding ending =
      run(fmt::format("{} d={} k={} m={} inputs={} seed={} {}", options.program, of.d, of.k, of.m,
                      name_of(of.inputs), of.seed, shell_quoted(path)),
          folder.file("log"));
  const std::string last = ending.last_words.substr(ending.last_words.rfind('\n') + 1);
  const std::string said = last.empty() ? "" : ": " + in_quotes(folder.without_path(last));
  if (!ending.well()) {
    const std::string why = fmt::format("the program ended with {}{}", ending.str(), said);
    if (ending.by_the_machine(false)) throw MachineError(why);
    throw InputError(why);
  }
  if (std::error_code ignored; !std::filesystem::exists(path, ignored))
    throw InputError(
        fmt::format("the program wrote no layer to the file that its last argument names{}", said));
  try {
    return attention::read_layer(path);
  } catch (const InputError& error) {
    throw InputError(
        fmt::format("the program's layer cannot be used: {}", folder.without_path(error.what())));
  }
}

Instance make(const ProgramLayerOptions& options) {
  attention::Layer layer = layer_of_program(options);
  if (layer.d != options.nice.d || layer.m() != options.nice.m)
    throw InputError(fmt::format("the program made a layer of d={}, m={}; the spec says d={}, m={}", layer.d,
                                 layer.m(), options.nice.d, options.nice.m));
  refuse_gadget_form(layer, "the program's layer");
  return forward_instance(options.nice, std::move(layer));
}

}  // namespace

bool runs_a_program(const Spec& spec) {
  return spec.name == family_name;
}

Family detail::program_family() {
  return make_family(
      {.name = family_name,
       .summary = "a program of your own, as in exec:program=./family.py,d=16,k=2,m=3",
       .hidden = whole_layer,
       .assumptions = "none are claimed",
       .presets = {}},
      OptionTable<ProgramLayerOptions>()
          .text("program", &ProgramLayerOptions::program,
                "what the shell runs, with d=.. k=.. m=.. inputs=.. seed=.. and the file to write behind it")
          .part(&ProgramLayerOptions::nice, shape_rows())
          .part(&ProgramLayerOptions::nice, draw_rows()),
      forward_shape, make);
}

}  // namespace hardhead::hardness
