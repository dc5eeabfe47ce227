#include "app/commands.h"

#include <algorithm>

#include "base/parameters.h"

namespace hardhead::app {

std::span<const Section> sections() {
  static const std::vector<Section> all = {
      {"What there is", {demo_command(), families_command()}},
      {"Layers and data",
       {generate_command(), sample_command(), inspect_command(), certify_command(), suite_list_command(),
        suite_show_command(), suite_verify_command(), suite_digest_command()}},
      {"Learning",
       {learn_command(), compare_command(), sweep_command(), reproduce_command(), report_command()}},
      {"Why it is hard",
       {sq_dimension_command(), sq_bound_command(), sq_play_command(), lwe_generate_command(),
        lwe_attack_command(), lwe_report_command(), lwe_estimate_command(), lwe_distinguish_command(),
        lwe_verify_command()}},
      {"This program", {completion_command(), man_command(), doctor_command()}},
  };
  return all;
}

std::pair<std::string, std::string> split(const std::string& name) {
  const std::size_t space = name.find(' ');
  if (space == std::string::npos) return {"", name};
  return {name.substr(0, space), name.substr(space + 1)};
}

std::string group_summary(const std::string& group) {
  if (group == "lwe")
    return "learning with errors, with rounding, parity with noise: samples, attacks, distinguishing";
  if (group == "suite")
    return "named lists of instances with digests, so that results are about the same layers";
  return "statistical queries: exact dimensions, bounds with their theorem, a learner against an oracle";
}

std::vector<std::string> names_after(const std::string& group) {
  std::vector<std::string> out;
  for (const Section& section : sections())
    for (const Command& command : section.commands) {
      const auto [of, name] = split(command.name);
      if (!group.empty() && of != group) continue;
      const std::string& word = group.empty() && !of.empty() ? of : name;
      if (std::ranges::find(out, word) == out.end()) out.push_back(word);
    }
  return out;
}

std::vector<CommandFlag> flags_of(const Command& command) {
  std::vector<CommandFlag> out;
  const auto add = [&](const std::vector<std::string>& names, bool required) {
    for (const std::string& name : names) out.push_back({&find_named("flag", name, flags()), required});
  };
  add(shared_flags(), false);
  add(command.flags, false);
  add(command.required_flags, true);
  return out;
}

std::vector<std::string> spellings(const Flag& flag) {
  const std::size_t comma = flag.name.find(',');
  if (comma == std::string::npos) return {flag.name};
  return {flag.name.substr(0, comma), flag.name.substr(comma + 1)};
}

}  // namespace hardhead::app
