#include "app/learning_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "study/problem/source.h"

namespace hardhead::app {

Reader<learner::Learner> learner_spec() {
  return {[](const std::string&, const std::string& text) { return learner::Learner::parse(text); }};
}

Reader<Spec> method_spec() {
  return {[](const std::string&, const std::string& text) { return parse_learner(text); }};
}

study::RunOptions LearningOptions::run_options() const {
  study::RunOptions options{.task = task, .recovery = recovery};
  if (!methods.empty()) options.method = methods.front();
  return options;
}

std::vector<std::string> LayerExamples::of(std::vector<std::string> sources) const {
  if (!tokens && !inputs) return sources;
  std::string said;
  if (tokens) said = fmt::format(":k={}", *tokens);
  if (inputs) said += fmt::format("{}inputs={}", tokens ? "," : ":", *inputs);
  bool any = false;
  for (std::string& source : sources) {
    if (!study::names_a_file(source)) continue;
    any = true;
    source += said;
    if (!study::names_a_file(source)) source = "./" + source;  // else it would be a spec
  }
  if (!any)
    throw InputError(fmt::format(
        "{}: it is said of layer files, and '{}' is a spec, which has its own",
        tokens ? fmt::format("--tokens {}", *tokens) : fmt::format("--inputs {}", *inputs), sources.front()));
  return sources;
}

FlagTable<LayerExamples> layer_examples_flags() {
  std::vector<std::string> names;
  for (const auto& entry : names_and_values<attention::Inputs>()) names.emplace_back(entry.name);
  return FlagTable<LayerExamples>()
      .flag(tokens_flag, &LayerExamples::tokens, integer_in<std::int64_t>(1, most_heads))
      .flag(inputs_flag("what the source says"), &LayerExamples::inputs, one_of_names(names));
}

std::string Axis::at(const std::string& source, const std::string& value) const {
  if (study::names_a_file(source)) return fmt::format("{}:{}={}", source, name, value);
  Spec spec = Spec::parse(source);
  std::erase_if(spec.values, [&](const auto& entry) { return entry.first == name; });
  spec.values.emplace_back(name, value);
  return spec.str();
}

Reader<Axis> axis_values() {
  return {[](const std::string& flag, const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == text.size())
      refuse(flag, text, "KEY=VALUE,VALUE,.. as in m=2,3,4");
    Axis axis{text.substr(0, equals), {}};
    for (std::size_t at = equals + 1; at <= text.size();) {
      const std::size_t comma = std::min(text.find(',', at), text.size());
      if (comma == at) refuse(flag, text, "KEY=VALUE,VALUE,.. as in m=2,3,4");
      axis.values.push_back(text.substr(at, comma - at));
      at = comma + 1;
    }
    return axis;
  }};
}

std::optional<study::JournalFile> journal_of(const std::optional<std::string>& file,
                                             const std::optional<std::string>& folder) {
  if (file) return *file;
  if (folder) return *folder + "/journal.jsonl";
  return std::nullopt;
}

FlagTable<learner::Task> told_flags() {
  return FlagTable<learner::Task>()
      .flag(heads_flag, &learner::Task::heads, integer_in<std::int64_t>(1, most_heads))
      .flag(examples_flag, &learner::Task::examples, example_count());
}

FlagTable<learner::Task> time_limit_flags() {
  return FlagTable<learner::Task>().flag(time_limit_flag, &learner::Task::time_limit_seconds, time_span());
}

FlagTable<study::ValueAccess> value_flags() {
  using learner::Tolerance;
  using study::ValueAccess;
  return FlagTable<ValueAccess>()
      .group(&ValueAccess::tolerance,
             FlagTable<Tolerance>()
                 .flag({"--tolerance", "T", "value queries: an entry of an answer may be off by this much",
                        "0: exact, rounded once"},
                       &Tolerance::tau, number_above(0))
                 .flag({"--policy", "NAME", "value queries: what the tolerance is used for"},
                       &Tolerance::policy, one_of_enum<learner::AnswerPolicy>()))
      .flag({"--length", "KIND",
             "value queries: tokens of an X; fixed: as many as the source's; free: any number",
             "as the learner needs"},
            &ValueAccess::length, one_of_enum<study::QueryLength>())
      .flag({"--budget", "Q", "value queries: the most", "no limit"}, &ValueAccess::budget,
            integer_in<std::int64_t>(1, std::numeric_limits<std::int64_t>::max()));
}

FlagTable<LearningOptions> learning_flags(std::string learners) {
  return FlagTable<LearningOptions>()
      .each(method_flag(std::move(learners)), &LearningOptions::methods, learner_spec())
      .group(&LearningOptions::task, told_flags())
      .flag({"--holdout", "F", "fraction of a data file that is held back for the test"},
            &LearningOptions::holdout, fraction())
      .flag({.name = "--truth",
             .argument = "FILE",
             .help = "a layer file to compare with, for data files",
             .reads = true},
            &LearningOptions::truth, any_text())
      .flag({"--recovery", "E", "test error up to which a layer counts as recovered"},
            &LearningOptions::recovery, number_above(0))
      .group(&LearningOptions::task,
             time_limit_flags().flag(
                 {"--memory-limit", "BYTES", "refuse what is predicted to need more", "none"},
                 &learner::Task::memory_limit_bytes, byte_count()))
      .on({"--require-recovery", "", "exit with 4 unless the layer is recovered"},
          &LearningOptions::require_recovery);
}

}  // namespace hardhead::app
