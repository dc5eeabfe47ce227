#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "base/run/run_context.h"
#include "base/text/spec.h"

namespace hardhead::challenge {

/// What is to be published.
struct PublishOptions {
  std::string spec;                        ///< without a seed: of a layer, or with samples=N plain samples
  std::optional<std::int64_t> examples{};  ///< training examples of a layer
  std::string file;                        ///< .safetensors for a layer, .json for samples
  std::string keep{};  ///< file of the secret, an answer that is right; empty: it is kept nowhere
};

/// What was published.
struct Published {
  std::string file;           ///< as above
  std::string spec;           ///< canonical
  std::int64_t examples = 0;  ///< training examples, or samples
  std::string keep;           ///< as above
};
/// As `challenge make --json` has it.
template <class Visit>
void describe(Visit& visit, const Published*) {
  visit("file", &Published::file);
  visit("spec", &Published::spec);
  visit("examples", &Published::examples);
  visit.if_any("secret", &Published::keep);
}

/// Makes a challenge (make.h) and writes it and, if asked, its secret: both files or neither. Throws
/// InputError as that does, for a layer without and samples with a number of examples, for names that do not
/// end as their format, and where a file cannot be written; Stopped.
Published publish(const PublishOptions& options, const RunContext& context);

/// Throws InputError unless the name of the file ends in one of these.
void check_ending(const std::string& file, std::initializer_list<const char*> endings);

}  // namespace hardhead::challenge
