#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hardhead {

/// A name with parameters, as written on the command line: `name:key=value,key=value`. It names a family of
/// instances (`parity:d=20,m=6`) or a learner with its options (`sculpt:rows=4000`). Light, comparable,
/// printable; `Parameters` gives the values their meaning.
struct Spec {
  std::string name;                                         ///< what stands before the colon
  std::vector<std::pair<std::string, std::string>> values;  ///< in the order written

  /// Reads `text`. Names and keys are [A-Za-z0-9_-]+; a value runs to the next comma and is not empty; no
  /// key comes twice. Throws InputError naming the text and the column otherwise.
  static Spec parse(std::string_view text);

  /// The value of a key as it is written; null where the spec does not have the key.
  const std::string* value(std::string_view key) const;

  /// `name:key=value,...`, the inverse of parse.
  std::string str() const;

  bool operator==(const Spec&) const = default;  // of texts; Parameters::canonical() compares meanings
};

/// A learner with its options. `exec` is a program of the user's: `exec:COMMAND` takes all that follows the
/// colon for the value of `command`, of any characters. A leading "access=NAME," is an option of its own, and
/// a leading "command=" no part of the command. Any other text is a spec. Inverse: Spec::str(). Throws
/// InputError.
Spec parse_learner(std::string_view text);

}  // namespace hardhead
