#pragma once
#include <concepts>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/text/enum_names.h"
#include "base/text/json.h"

namespace hardhead {

/// An object of a JSON document that anyone may have written (json.h parses such documents). Every access
/// checks that the key is there and that its value has the type that is asked for. An error is an InputError
/// "PLACE, KEY: what is wrong", or "PLACE: what is wrong" where no key is to blame. The document must outlive
/// the object.
class JsonObject {
 public:
  /// `place` is what errors begin with, such as "file 'challenge.json'". Throws InputError if `document` is
  /// no object.
  JsonObject(const Json& document, std::string place);

  /// As it was given.
  const std::string& place() const { return place_; }
  /// Its keys, in their order.
  std::vector<std::string> keys() const;
  /// Whether there is such a key.
  bool has(const std::string& key) const;
  /// Whether the value is null.
  bool is_null(const std::string& key) const;

  /// The value, whatever its type.
  const Json& at(const std::string& key) const;
  /// A string.
  std::string text(const std::string& key) const;
  /// true or false.
  bool boolean(const std::string& key) const;
  /// A number.
  double real(const std::string& key) const;
  /// A list, whatever is in it.
  const Json& list(const std::string& key) const;
  /// A list of strings.
  std::vector<std::string> texts(const std::string& key) const;
  /// An object, whose place is "PLACE, KEY".
  JsonObject object(const std::string& key) const;
  /// An integer that fits; Integer is int, std::int64_t or std::uint64_t.
  template <std::integral Integer>
  Integer integer(const std::string& key) const;

  /// A value of an enumeration by its name (enum_names.h); `kind` is what errors call it.
  template <class Enum>
  Enum choice(const std::string& key, const char* kind) const {
    const std::string name = text(key);
    try {
      return value_named<Enum>(kind, name);
    } catch (const InputError& error) {
      fail(key, error.what());
    }
  }

  /// Calls `check`. An InputError of it gets the place in front of its text.
  template <class Check>
  void checked(const Check& check) const {
    at_place(place_, check);
  }

  /// Throws the InputError for a key.
  [[noreturn]] void fail(const std::string& key, const std::string& message) const;
  /// Throws the InputError for the whole object.
  [[noreturn]] void fail(const std::string& message) const;

 private:
  const Json* json_;
  std::string place_;
};

}  // namespace hardhead
