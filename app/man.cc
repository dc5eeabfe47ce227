#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include <array>

#include "app/commands.h"
#include "app/output.h"
#include "base/error.h"
#include "study/json.h"
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

constexpr auto exit_statuses = std::to_array<std::pair<ExitCode, const char*>>({
    {ExitCode::answered, "ran and answered; a learner that fails to learn is an answer"},
    {ExitCode::our_bug,
     "a bug of the program, a suite that is made otherwise than published, a failed self-test"},
    {ExitCode::bad_input, "input or usage"},
    {ExitCode::over_budget, "refused before it started: predicted to need more than allowed"},
    {ExitCode::not_recovered, "not recovered, with --require-recovery"},
});

constexpr const char* files = R"(.SH FILES
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
  out += ".SH EXIT STATUS\n";
  for (const auto& [code, meaning] : exit_statuses)
    out += fmt::format(".TP\n.B {}\n{}\n", static_cast<int>(code), roff(meaning));
  return out + files;
}

std::string code(std::string_view text) {
  return fmt::format("`{}`", text);
}

std::string codes(const std::vector<std::string>& texts) {
  std::vector<std::string> each;
  for (const std::string& text : texts) each.push_back(code(text));
  return fmt::format("{}", fmt::join(each, ", "));
}

std::string markdown_entry(const Command& command) {
  const Command::Positional& positional = command.positional;
  std::string name = positional.name;
  if (!name.empty() && positional.repeatable) name += " ...";
  if (!name.empty() && !positional.required) name = fmt::format("[{}]", name);
  std::string out = fmt::format("\n### hardhead {}{}{}\n\n{}.\n", command.name, name.empty() ? "" : " ", name,
                                command.summary);
  if (!name.empty()) out += fmt::format("\n{}: {}.\n", code(positional.name), positional.help);
  if (!command.required_flags.empty()) out += fmt::format("\nNeeds {}.\n", codes(command.required_flags));
  if (!command.flags.empty()) out += fmt::format("\nFlags: {}.\n", codes(command.flags));
  out += "\n";
  for (const std::string& example : command.examples) out += fmt::format("    {}\n", example);
  return out;
}

std::string markdown() {
  std::string out = fmt::format(
      "# Commands\n\nMade by `hardhead man --markdown` from the table of commands and flags. Every command has {}, and "
      "`--help`.\n",
      codes(shared_flags()));
  for (const Section& section : sections()) {
    out += fmt::format("\n## {}\n", section.title);
    for (const Command& command : section.commands) out += markdown_entry(command);
  }
  out += "\n## Flags\n\n";
  for (const Flag& flag : flags()) {
    const std::string argument = flag.argument.empty() ? "" : " " + flag.argument;
    out += fmt::format("- {}: {}\n", code(fmt::format("{}{}", fmt::join(spellings(flag), ", "), argument)),
                       flag.help);
  }
  out += "\n## Exit status\n\n| status | meaning |\n|---|---|\n";
  for (const auto& [status, meaning] : exit_statuses)
    out += fmt::format("| {} | {} |\n", static_cast<int>(status), meaning);
  return out;
}

Json json() {
  Json out = study::report_json({{"version", study::version()}});
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
  if (settings.json && settings.markdown)
    throw InputError("man: --json and --markdown are two formats, of which one can be asked for");
  if (settings.json) return {ExitCode::answered, text_of(json())};
  return {ExitCode::answered, settings.markdown ? markdown() : page()};
}

}  // namespace

Command man_command() {
  return {"man", "the manual page, of all commands and flags; as JSON their table",  {}, {"--markdown"},
          {},    {"hardhead man", "hardhead man --json", "hardhead man --markdown"}, run};
}

}  // namespace hardhead::app
