#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "app/command_table.h"
#include "app/help.h"
#include "app/output.h"
#include "base/error.h"
#include "base/text/record_fields.h"
#include "base/version.h"
#include "experiments/distinguish.h"
#include "hardness/families/family.h"
#include "hardness/niceness/niceness.h"
#include "learner/method.h"
#include "study/best/best_shot.h"
#include "study/report/finding.h"
#include "study/report/json.h"
#include "study/results/sweep_folder.h"
#include "study/sweep/compare.h"
#include "study/sweep/examples_search.h"

namespace hardhead::app {
namespace {

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

struct HelpOptions {
  CommonOptions common;
  std::vector<std::string> words;  ///< of the command or group; none for the program
  bool man = false;                ///< the manual page
  bool markdown = false;           ///< the same as Markdown
  bool records = false;            ///< the keys of JSON records
};

/// The names of a command's own flags: those that it can do without, or those that it cannot.
std::vector<std::string> own_flags(const Command& command, bool required) {
  std::vector<std::string> out;
  for (const Flag& flag : command.flags)
    if (!flag.common && flag.required == required) out.push_back(flag.name);
  return out;
}

/// The names of the flags that every command has.
std::vector<std::string> common_names() {
  std::vector<std::string> out;
  for (const Flag& flag : common_flags().rows()) out.push_back(flag.name);
  return out;
}

/// The words, each roff's bold.
std::string bold(const std::vector<std::string>& words) {
  std::vector<std::string> out;
  for (const std::string& word : words) out.push_back(fmt::format("\\fB{}\\fR", roff(word)));
  return fmt::format("{}", fmt::join(out, ", "));
}

std::string flag_heading(const Flag& flag) {
  const std::string name =
      fmt::format("\\fB{}\\fR", roff(fmt::format("{}", fmt::join(spellings(flag), ", "))));
  return flag.argument.empty() ? name : fmt::format("{} \\fI{}\\fR", name, roff(flag.argument));
}

std::string usage(const Command& command) {
  const Positional& positional = command.positional;
  std::string out = fmt::format("\\fBhardhead {}\\fR", command.name);
  if (!positional.name.empty()) {
    const std::string name =
        fmt::format("\\fI{}\\fR{}", roff(positional.name), positional.repeatable ? " ..." : "");
    out += positional.required ? fmt::format(" {}", name) : fmt::format(" [{}]", name);
  }
  for (const Flag& flag : command.flags)
    if (flag.required) out += fmt::format(" {}", flag_heading(flag));
  return out;
}

std::string command_entry(const Command& command) {
  std::string out = fmt::format(".TP\n{}\n{}.\n", usage(command), roff(command.summary));
  if (!command.positional.name.empty())
    out +=
        fmt::format(".IP\n\\fI{}\\fR: {}.\n", roff(command.positional.name), roff(command.positional.help));
  if (const auto flags = own_flags(command, false); !flags.empty())
    out += fmt::format(".IP\nFlags: {}.\n", bold(flags));
  out += ".IP\n.nf\n";
  for (const std::string& example : command.examples) out += roff(example) + "\n";
  return out + ".fi\n";
}

/// Statuses and what they mean.
std::vector<std::pair<std::string, std::string>> exit_statuses() {
  const auto number = [](ExitCode code) { return std::to_string(static_cast<int>(code)); };
  return {
      {number(ExitCode::answered),
       "ran and answered; a learner that fails to learn, or whose --time-limit runs out, is an answer"},
      {number(ExitCode::our_bug),
       "a bug of the program, a suite that is made otherwise than published, a failed self-test"},
      {number(ExitCode::bad_input), "input or usage"},
      {number(ExitCode::over_budget), "refused before it started: predicted to need more than allowed"},
      {number(ExitCode::not_recovered),
       "not recovered, with --require-recovery; a wrong answer to a challenge"},
      {"128 + N",
       "a signal of number N stopped it, after which it printed what it had so far: 130 for SIGINT, 143 for "
       "SIGTERM"},
  };
}

constexpr const char* files = R"(.SH FILES
Layers and data are safetensors files.
A folder of \fBhardhead sweep\fR or \fBhardhead reproduce\fR has a journal, \fIjournal.jsonl\fR, by
which the same
command goes on after a stop, and the page \fIreport.html\fR that \fBhardhead report\fR writes.
)";

std::string page() {
  std::string out = fmt::format(
      ".TH HARDHEAD 1 \"\" \"hardhead {}\"\n.SH NAME\nhardhead \\- {}\n.SH SYNOPSIS\n"
      "\\fBhardhead\\fR \\fICOMMAND\\fR [\\fIARGUMENT\\fR ...] [\\fIFLAG\\fR ...]\n.SH COMMANDS\n",
      version(), roff(program_summary));
  for (const Section& section : sections()) {
    out += fmt::format(".SS {}\n", roff(section.title));
    for (const Command& command : section.commands) out += command_entry(command);
  }
  out += fmt::format(".SH FLAGS\nEvery command has {}.\n", bold(common_names()));
  for (const Flag& flag : all_flags())
    out += fmt::format(".TP\n{}\n{}.\n", flag_heading(flag), roff(flag.text()));
  out += ".SH EXIT STATUS\n";
  for (const auto& [status, meaning] : exit_statuses())
    out += fmt::format(".TP\n.B {}\n{}\n", roff(status), roff(meaning));
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
  const Positional& positional = command.positional;
  std::string name = positional.name;
  if (!name.empty() && positional.repeatable) name += " ...";
  if (!name.empty() && !positional.required) name = fmt::format("[{}]", name);
  std::string out = fmt::format("\n### hardhead {}{}{}\n\n{}.\n", command.name, name.empty() ? "" : " ", name,
                                command.summary);
  if (!name.empty()) out += fmt::format("\n{}: {}.\n", code(positional.name), positional.help);
  for (const auto& [title, rows] : command.parameters) {
    out += fmt::format("\n{}:\n\n", title);
    for (const Parameter& row : rows)
      out += fmt::format("- `{}`: {} ({}; default: {})\n", row.name, row.meaning, row.range(), row.fallback);
  }
  if (const auto flags = own_flags(command, true); !flags.empty())
    out += fmt::format("\nNeeds {}.\n", codes(flags));
  if (const auto flags = own_flags(command, false); !flags.empty())
    out += fmt::format("\nFlags: {}.\n", codes(flags));
  out += "\n";
  for (const std::string& example : command.examples) out += fmt::format("    {}\n", example);
  return out;
}

std::string markdown() {
  std::string out = fmt::format(
      "# Commands\n\nMade by `hardhead help --markdown` from the table of commands and flags. Every command "
      "has {}, and `--help`.\n",
      codes(common_names()));
  for (const Section& section : sections()) {
    out += fmt::format("\n## {}\n", section.title);
    for (const Command& command : section.commands) out += markdown_entry(command);
  }
  out += "\n## Flags\n\n";
  for (const Flag& flag : all_flags()) {
    const std::string argument = flag.argument.empty() ? "" : " " + flag.argument;
    out += fmt::format("- {}: {}\n", code(fmt::format("{}{}", fmt::join(spellings(flag), ", "), argument)),
                       flag.text());
  }
  out += "\n## Exit status\n\n| status | meaning |\n|---|---|\n";
  for (const auto& [status, meaning] : exit_statuses()) out += fmt::format("| {} | {} |\n", status, meaning);
  return out;
}

template <class Record>
std::string record_section(const char* title, const char* where) {
  std::string out = fmt::format("\n## {}\n\n{}\n\n| key | value |\n|---|---|\n", title, where);
  for (const RecordField& field : record_fields<Record>())
    out += fmt::format("| `{}` | {} |\n", field.key, field.type);
  return out;
}

/// docs/records.md: the keys of the JSON records, made of their descriptions (base/text/record.h).
std::string record_page() {
  const std::string head =
      "# Records\n\nThe keys of the JSON that commands print and files have. Made by "
      "`hardhead help --records`\n"
      "from the descriptions in the headers, which say what each value means. A key `a.b` stands in the\n"
      "object `a`; `..` stands for more keys. A number that is not finite is null.\n";
  return head +
         record_section<study::RunResult>("A run",
                                          "`hardhead learn --json`, a line of a journal, and Python's "
                                          "`RunResult` ([run.h](../study/run/run.h)).") +
         record_section<learner::Phase>("A phase",
                                        "An entry of `phases`; its measures stand beside its fields "
                                        "([report.h](../learner/report.h)).") +
         record_section<study::HeadMatch>("An error of parameters",
                                          "`parameter_error` ([match.h](../study/run/match.h)).") +
         record_section<study::Comparison>("A comparison",
                                           "`hardhead compare --json` "
                                           "([compare.h](../study/sweep/compare.h)).") +
         record_section<study::ComparisonRow>("A row of a comparison", "An entry of `rows`.") +
         record_section<study::BestShot>("A best shot",
                                         "An entry of `shots` of `hardhead best --json` "
                                         "([best_shot.h](../study/best/best_shot.h)).") +
         record_section<study::RungResult>("A rung", "An entry of `ladder`.") +
         record_section<study::BriefRun>("A run of a rung", "An entry of `tuning` and `fresh`.") +
         record_section<study::SuccessCurve>("A success curve",
                                             "An entry of `curves` of `hardhead fewest --json` "
                                             "([examples_search.h](../study/sweep/examples_search.h)).") +
         record_section<study::BudgetResult>("A budget", "An entry of `budgets`.") +
         record_section<report::Finding>("A finding",
                                         "`verdicts.json` of `hardhead reproduce`, and Python's `Finding` "
                                         "([finding.h](../study/report/finding.h)).") +
         record_section<study::SweepRecord>("A sweep",
                                            "`sweep.json` of `hardhead sweep` "
                                            "([sweep_folder.h](../study/results/sweep_folder.h)).") +
         record_section<experiments::DistinguishResult>(
             "A distinguisher",
             "`hardhead lwe distinguish --json`, and Python's `DistinguishResult` "
             "([distinguish.h](../experiments/distinguish.h)).") +
         record_section<hardness::Condition>("A condition",
                                             "An entry of `conditions` of `hardhead certify --json` "
                                             "([niceness.h](../hardness/niceness/niceness.h)).") +
         record_section<hardness::Family>("A family",
                                          "An entry of `families` of `hardhead families --json` "
                                          "([family.h](../hardness/families/family.h)).") +
         record_section<learner::Method>("A learner",
                                         "An entry of `methods` of the same "
                                         "([method.h](../learner/method.h)).") +
         record_section<Parameter>("A parameter",
                                   "An entry of `parameters` and `options` "
                                   "([option_table.h](../base/text/option_table.h)).");
}

/// Of all commands, or of those that the words name.
Json commands_json(const std::string& words) {
  Json out = report::report_json("commands", {{"version", version()}});
  for (const Section& section : sections())
    for (const Command& command : section.commands) {
      if (!words.empty() && words != command.name && words != split(command.name).first) continue;
      Json listed = Json::array();
      for (const Flag& flag : command.flags)
        listed.push_back({{"spellings", spellings(flag)},
                          {"argument", flag.argument},
                          {"required", flag.required},
                          {"help", flag.help},
                          {"range", flag.range},
                          {"default", flag.fallback}});
      out["commands"].push_back({{"name", command.name},
                                 {"summary", command.summary},
                                 {"positional", command.positional.name},
                                 {"flags", std::move(listed)},
                                 {"examples", command.examples}});
    }
  return out;
}

Answer run_help(const HelpOptions& options, const RunContext&) {
  if (options.common.json + options.man + options.markdown + options.records > 1)
    throw InputError("help: of --json, --man, --markdown and --records one can be asked for");
  const std::string words = fmt::format("{}", fmt::join(options.words, " ")), text = help_of(options.words);
  if (options.common.json) return {text_of(commands_json(words))};
  if (!options.words.empty() && (options.man || options.markdown || options.records))
    throw InputError(fmt::format("help {}: --man, --markdown and --records are of the whole program", words));
  return {options.man ? page() : options.markdown ? markdown() : options.records ? record_page() : text};
}

}  // namespace

Command help_command() {
  return make_command(
      {.name = "help",
       .summary = "what a command does, with its flags and examples; without one, all commands, as a manual "
                  "page too",
       .examples = {"hardhead help", "hardhead help learn", "hardhead help lwe attack", "hardhead help --man",
                    "hardhead help --json"}},
      FlagTable<HelpOptions>()
          .positional({.name = "COMMAND", .help = "a command or a group of commands", .required = false},
                      &HelpOptions::words)
          .on({"--man", "", "the manual page: all commands and flags"}, &HelpOptions::man)
          .on({"--markdown", "", "the same as Markdown: docs/commands.md"}, &HelpOptions::markdown)
          .on({"--records", "", "the keys of the JSON that commands print, as Markdown: docs/records.md"},
              &HelpOptions::records),
      run_help);
}

}  // namespace hardhead::app
