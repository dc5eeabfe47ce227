#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "app/commands.h"
#include "app/output.h"
#include "study/run.h"

namespace hardhead::app {
namespace {

using Json = nlohmann::ordered_json;

/// Text as roff shows it: a bare hyphen would be a typographic one, a line that begins with . or ' a request.
std::string roff(std::string_view text) {
  std::string out = text.starts_with('.') || text.starts_with('\'') ? "\\&" : "";
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if (c == '\'') {
      out += "\\(aq";
    } else {
      out += c;
    }
  }
  return out;
}

std::string flag_heading(const Flag& flag) {
  const std::string name =
      fmt::format("\\fB{}\\fR", roff(fmt::format("{}", fmt::join(spellings(flag), ", "))));
  return flag.argument.empty() ? name : fmt::format("{} \\fI{}\\fR", name, roff(flag.argument));
}

std::string usage(const Command& command) {
  const Command::Positional& positional = command.positional;
  std::string out = fmt::format("\\fBhardhead {}\\fR", command.name);
  if (!positional.name.empty()) {
    const std::string name =
        fmt::format("\\fI{}\\fR{}", roff(positional.name), positional.repeatable ? " ..." : "");
    out += positional.required ? fmt::format(" {}", name) : fmt::format(" [{}]", name);
  }
  for (const CommandFlag& use : flags_of(command))
    if (use.required) out += fmt::format(" {}", flag_heading(*use.flag));
  return out;
}

std::string command_entry(const Command& command) {
  std::string out = fmt::format(".TP\n{}\n{}.\n", usage(command), roff(command.summary));
  if (!command.positional.name.empty())
    out +=
        fmt::format(".IP\n\\fI{}\\fR: {}.\n", roff(command.positional.name), roff(command.positional.help));
  if (!command.flags.empty()) {
    std::vector<std::string> named;
    for (const std::string& flag : command.flags) named.push_back(fmt::format("\\fB{}\\fR", roff(flag)));
    out += fmt::format(".IP\nFlags: {}.\n", fmt::join(named, ", "));
  }
  out += ".IP\n.nf\n";
  for (const std::string& example : command.examples) out += roff(example) + "\n";
  return out + ".fi\n";
}

constexpr const char* ending = R"(.SH EXIT STATUS
.TP
.B 0
ran and answered; a learner that fails to learn is an answer
.TP
.B 1
a bug of the program, a suite that is made otherwise than published, a failed self\-test
.TP
.B 2
input or usage
.TP
.B 3
refused before it started: more memory than allowed
.TP
.B 4
not recovered, with \fB\-\-require\-recovery\fR
.SH FILES
Layers and data are safetensors files.
A folder of \fBhardhead sweep\fR or \fBhardhead reproduce\fR has a journal, \fIjournal.jsonl\fR, by which the same
command goes on after a stop, and the page \fIreport.html\fR that \fBhardhead report\fR writes.
)";

std::string page() {
  std::string out = fmt::format(
      ".TH HARDHEAD 1 \"\" \"hardhead {}\"\n.SH NAME\nhardhead \\- {}\n.SH SYNOPSIS\n"
      "\\fBhardhead\\fR \\fICOMMAND\\fR [\\fIARGUMENT\\fR ...] [\\fIFLAG\\fR ...]\n.SH COMMANDS\n",
      study::version(), roff(program_summary));
  for (const Section& section : sections()) {
    out += fmt::format(".SS {}\n", roff(section.title));
    for (const Command& command : section.commands) out += command_entry(command);
  }
  std::vector<std::string> shared;
  for (const std::string& flag : shared_flags()) shared.push_back(fmt::format("\\fB{}\\fR", roff(flag)));
  out += fmt::format(".SH FLAGS\nEvery command has {}.\n", fmt::join(shared, ", "));
  for (const Flag& flag : flags()) out += fmt::format(".TP\n{}\n{}.\n", flag_heading(flag), roff(flag.help));
  return out + ending;
}

Json json() {
  Json out{{"schema", "hardhead.report/1"}, {"version", study::version()}};
  for (const Section& section : sections())
    for (const Command& command : section.commands) {
      Json listed = Json::array();
      for (const CommandFlag& use : flags_of(command))
        listed.push_back({{"spellings", spellings(*use.flag)},
                          {"argument", use.flag->argument},
                          {"required", use.required},
                          {"help", use.flag->help}});
      out["commands"].push_back({{"name", command.name},
                                 {"summary", command.summary},
                                 {"positional", command.positional.name},
                                 {"flags", std::move(listed)},
                                 {"examples", command.examples}});
    }
  return out;
}

Answer run(const Settings& settings, const RunControl&) {
  return {ExitCode::answered, settings.json ? text_of(json()) : page()};
}

}  // namespace

Command man_command() {
  return {"man", "the manual page, of all commands and flags; with --json their table",
          {},    {},
          {},    {"hardhead man", "hardhead man --json"},
          run};
}

}  // namespace hardhead::app
