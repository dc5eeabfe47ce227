#pragma once
#include <concepts>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text/enum_names.h"
#include "base/text/parameters.h"

namespace hardhead {

constexpr auto enum_names(Parameter::Kind) {
  using Kind = Parameter::Kind;
  return std::to_array<EnumName<Kind>>(
      {{Kind::integer, "integer"}, {Kind::real, "real"}, {Kind::choice, "choice"}, {Kind::text, "text"}});
}

/// As `families --json` has it, and Python's Parameter.
template <class Visit>
void describe(Visit& visit, const Parameter*) {
  visit("name", &Parameter::name);
  visit("kind", &Parameter::kind);
  visit.if_any("default", &Parameter::fallback);
  visit("range", &Parameter::range);
  visit("meaning", &Parameter::meaning);
}

/// Options as the members of a struct, and the table that binds each member to its key in a spec, its range
/// and its meaning. The defaults are those of the struct. Text is read once, here; everything behind it takes
/// the struct, so a misspelt option is a compile error.
///
///     struct AdamOptions {
///       std::int64_t steps = 4000;
///       double rate = 1e-2;
///     };
///     const OptionTable<AdamOptions> table = OptionTable<AdamOptions>()
///         .integer("steps", &AdamOptions::steps, 1, 1e9, "steps T")
///         .real("rate", &AdamOptions::rate, 1e-12, 10, "first rate");
///     const AdamOptions options = table.read(Spec::parse("adam:steps=100"));
template <class Options>
class OptionTable {
 public:
  /// The defaults are those of `defaults`.
  explicit OptionTable(Options defaults = {}) : defaults_(std::move(defaults)) {}

  /// An integer in [minimum, maximum].
  template <std::integral Integer>
  OptionTable& integer(std::string key, Integer Options::* member, double minimum, double maximum,
                       std::string meaning) {
    const auto fallback = static_cast<std::int64_t>(defaults_.*member);
    rows_.push_back(Parameter::integer(key, fallback, minimum, maximum, std::move(meaning)));
    setters_.push_back([key = std::move(key), member](const Parameters& from, Options& to) {
      to.*member = static_cast<Integer>(from.integer(key));
    });
    return *this;
  }

  /// A finite real in [minimum, maximum].
  OptionTable& real(std::string key, double Options::* member, double minimum, double maximum,
                    std::string meaning) {
    rows_.push_back(Parameter::real(key, defaults_.*member, minimum, maximum, std::move(meaning)));
    setters_.push_back(
        [key = std::move(key), member](const Parameters& from, Options& to) { to.*member = from.real(key); });
    return *this;
  }

  /// A value of an enumeration by its name (enum_names.h): one of `allowed`, or any where that is empty. The
  /// default is listed first.
  template <class Enum>
  OptionTable& choice(std::string key, Enum Options::* member, std::string meaning,
                      const std::vector<Enum>& allowed = {}) {
    std::vector<std::string> names = allowed.empty() ? names_of<Enum>() : std::vector<std::string>{};
    for (const Enum value : allowed) names.push_back(name_of(value));
    const auto first = std::ranges::find(names, name_of(defaults_.*member));
    std::rotate(names.begin(), first, first + 1);
    rows_.push_back(Parameter::choice(key, std::move(names), std::move(meaning)));
    setters_.push_back([key = std::move(key), member](const Parameters& from, Options& to) {
      to.*member = value_named<Enum>(key, from.text(key));
    });
    return *this;
  }

  /// Any text but the empty one. It has no default: a spec must give it.
  OptionTable& text(std::string key, std::string Options::* member, std::string meaning) {
    rows_.push_back(Parameter::text(key, std::move(meaning)));
    setters_.push_back(
        [key = std::move(key), member](const Parameters& from, Options& to) { to.*member = from.text(key); });
    return *this;
  }

  /// All rows of `table`, whose options are those of a member. Tables share what they have in common in this
  /// way. The defaults of these rows are those of `table`.
  template <class Part>
  OptionTable& part(Part Options::* member, const OptionTable<Part>& table) {
    rows_.insert(rows_.end(), table.rows_.begin(), table.rows_.end());
    for (const auto& set : table.setters_)
      setters_.push_back([set, member](const Parameters& from, Options& to) { set(from, to.*member); });
    return *this;
  }

  /// The rows of `table` after these. The defaults of its rows are its own.
  OptionTable& append(const OptionTable& table) {
    rows_.insert(rows_.end(), table.rows_.begin(), table.rows_.end());
    setters_.insert(setters_.end(), table.setters_.begin(), table.setters_.end());
    return *this;
  }

  /// The rows, for help, completion and messages.
  const std::vector<Parameter>& rows() const { return rows_; }

  /// The options that a spec gives, defaults for the rest. Throws InputError naming the spec, the key, the
  /// value and the constraint: a key that the table does not have, text that is not of its kind, a value out
  /// of range.
  Options read(const Spec& spec) const {
    const Parameters values(spec, rows_);
    Options out = defaults_;
    for (const auto& set : setters_) set(values, out);
    return out;
  }

  /// The spec with every option, numbers in their shortest exact form: two specs mean the same if and only if
  /// their canonical specs are equal. Throws as read().
  Spec canonical(const Spec& spec) const { return Parameters(spec, rows_).canonical(); }

 private:
  template <class Other>
  friend class OptionTable;

  Options defaults_;
  std::vector<Parameter> rows_;
  std::vector<std::function<void(const Parameters&, Options&)>> setters_;
};

}  // namespace hardhead
