#pragma once
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/text/spec.h"

namespace hardhead {

/// One row of a table of parameters. A family or a learner has one table. It feeds parsing, defaults, range
/// checks, canonical printing and the help text, so that none of these can disagree.
struct Parameter {
  /// What a value is; a choice is one of `choices`.
  enum class Kind { integer, real, choice, text };

  std::string name;                                           ///< the key in a spec
  Kind kind = Kind::integer;                                  ///< of its values
  std::string fallback{};                                     ///< the default, as it would be written
  double minimum = -std::numeric_limits<double>::infinity();  ///< inclusive; unused for a choice
  double maximum = std::numeric_limits<double>::infinity();   ///< inclusive; unused for a choice
  std::vector<std::string> choices{};                         ///< only for a choice
  std::string meaning{};                                      ///< formula or unit, one line

  /// An integer in [minimum, maximum].
  static Parameter integer(std::string name, std::int64_t fallback, double minimum, double maximum,
                           std::string meaning);
  /// A finite real in [minimum, maximum].
  static Parameter real(std::string name, double fallback, double minimum, double maximum,
                        std::string meaning);
  /// One of `choices`; the first is the default.
  static Parameter choice(std::string name, std::vector<std::string> choices, std::string meaning);

  /// Any text but the empty one; it has no default.
  static Parameter text(std::string name, std::string meaning);

  /// The range or the choices, for help and for messages: "1 .. 64", "exact | minimal".
  std::string range() const;
};

/// The values of one spec against one table: checked once, then read by name.
class Parameters {
 public:
  /// Throws InputError naming the spec, the key, the value and the constraint: a key that is not in the
  /// table (with the nearest one that is), text that is not of its kind, a value out of range.
  Parameters(const Spec& spec, std::span<const Parameter> table);

  /// The value of a parameter of that kind. A name that the table does not have, or has as another kind, is a
  /// bug.
  std::int64_t integer(std::string_view name) const;
  double real(std::string_view name) const;              ///< as integer()
  const std::string& text(std::string_view name) const;  ///< as integer(), of a choice as well

  /// Every parameter with its value in the table's order, numbers in their shortest exact form: two specs
  /// mean the same if and only if their canonical specs are equal.
  const Spec& canonical() const { return canonical_; }

 private:
  using Value = std::variant<std::int64_t, double, std::string>;
  const Value& at(std::string_view name) const;

  std::map<std::string, Value, std::less<>> values_;
  Spec canonical_;
};

/// Whether two names of parameters or flags are words for one thing, here or in other programs: "lr" and
/// "rate", "--heads" and "m".
bool are_synonyms(std::string_view a, std::string_view b);

/// The entry of `known` that begins with `name`, or else is nearest to it in edit distance, as ", did you
/// mean 'x'?", or "" if none is near.
std::string did_you_mean(std::string_view name, std::span<const std::string> known);

/// Position of `name` in `known`. Throws InputError "unknown KIND 'name', did you mean ..? (one of: ..)".
std::size_t find_name(std::string_view kind, std::string_view name, std::span<const std::string> known);

/// The entry of a registry with that name (a member `name`); throws like find_name().
template <class Entry>
const Entry& find_named(std::string_view kind, std::string_view name, std::span<const Entry> registry) {
  std::vector<std::string> known;
  for (const Entry& entry : registry) known.push_back(entry.name);
  return registry[find_name(kind, name, known)];
}

}  // namespace hardhead
