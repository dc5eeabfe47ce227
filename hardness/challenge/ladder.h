#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/run/run_context.h"

namespace hardhead::challenge {

/// An answer that somebody found.
struct KnownAnswer {
  std::string by;                     ///< what found it: a learner or an attack
  std::vector<std::string> commands;  ///< that lead from the challenge to the answer
  bool right = false;                 ///< checked anew, not taken from the file
  std::string problem{};              ///< why the answer could not be read; else empty
};

/// As `challenge verify FOLDER --json` has it.
template <class Visit>
void describe(Visit& visit, const KnownAnswer*) {
  visit("by", &KnownAnswer::by);
  visit("commands", &KnownAnswer::commands);
  visit("right", &KnownAnswer::right);
  visit.if_any("problem", &KnownAnswer::problem);
}

/// One challenge of a folder.
struct Rung {
  std::string file;                           ///< its name in the folder
  std::string spec;                           ///< what it is
  std::int64_t examples = 0;                  ///< training examples, or samples
  std::optional<double> log2_secrets{};       ///< none for `nice`
  std::string attack{};                       ///< the cheapest one by its predicted cost; none for `nice`
  std::optional<double> predicted_seconds{};  ///< of it
  std::vector<KnownAnswer> answers{};         ///< in the order of the folder's list
  std::string problem{};                      ///< why the file could not be read; else empty
};

/// Likewise.
template <class Visit>
void describe(Visit& visit, const Rung*) {
  visit("challenge", &Rung::file);
  visit("spec", &Rung::spec);
  visit("log2_secrets", &Rung::log2_secrets);
  visit("examples", &Rung::examples);
  visit.if_any("best_attack", &Rung::attack);
  visit("predicted_seconds", &Rung::predicted_seconds);
  visit("answers", &Rung::answers);
  visit.if_any("problem", &Rung::problem);
}

/// The challenges of a folder, by name: its files of either kind (any_challenge.h). Answers are those that
/// the folder's solved.json lists, each of which is verified:
///
///     {"schema": "hardhead.solved/1",
///      "answers": [{"challenge": "x.safetensors", "answer": "solved/x.json", "by": "..", "commands": [..]}]}
///
/// with file names that start from the folder, and no file outside it is read. A challenge or an answer that
/// breaks its format, and one that is listed and not there, has a `problem`, and the others go on. Throws
/// InputError for a folder that cannot be read and a list that breaks its format; Stopped.
std::vector<Rung> read_ladder(const std::string& folder, const RunContext& context);

}  // namespace hardhead::challenge
