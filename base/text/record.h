#pragma once
#include <functional>
#include <string_view>

namespace hardhead {

/// What is written down of a struct, described once beside it. JSON both ways (record_json.h), the attributes
/// of Python's objects and the tables of docs/formats.md are made of the description:
///
///     struct Score { double error = 1; std::optional<std::int64_t> heads; };
///     template <class Visit>
///     void describe(Visit& visit, const Score*) {
///       visit("test_error", &Score::error);
///       visit("heads_found", &Score::heads);
///     }
///
/// A field is a key and the way to its value: pointers to members one after the other, or a function of the
/// struct. What a function returns by value is written and never read. A key "instance.spec" stands in the
/// object `instance`. `visit` also has
///
///     visit.later(key, way..)     a field that documents of older versions lack: they leave its default
///     visit.if_any(key, way..)    null in place of an empty text
///     visit.group(key, is, part)  an object of the fields that part(visit) describes; null where
///                                 is(struct) is false
///     visit.rest(way)             pairs of names and numbers that stand beside the fields
template <class Record>
concept Described =
    requires(struct DescriptionProbe& probe) { describe(probe, static_cast<const Record*>(nullptr)); };

/// A key, and what is special about its field.
struct FieldKey {
  std::string_view name;  ///< "test_error", "instance.spec"
  bool later = false;     ///< documents of older versions lack it
  bool if_any = false;    ///< an empty text is null
};

/// Follows the way to a value: steps are pointers to members, or functions.
template <class First, class... Rest>
constexpr auto way_to(First first, Rest... rest) {
  return [=](auto& record) -> decltype(auto) {
    if constexpr (sizeof...(rest) == 0)
      return std::invoke(first, record);
    else
      return way_to(rest...)(std::invoke(first, record));
  };
}

/// What descriptions call, on top of a class that has
///
///     void field(const FieldKey& key, const auto& way);
///     void object(std::string_view key, const auto& is, const auto& part);
///     void others(const auto& way);
template <class Visitor>
class FieldVisitor {
 public:
  /// A field.
  template <class... Steps>
  void operator()(std::string_view key, Steps... steps) {
    self().field(FieldKey{key}, way_to(steps...));
  }
  /// One that documents of older versions lack.
  template <class... Steps>
  void later(std::string_view key, Steps... steps) {
    self().field(FieldKey{.name = key, .later = true}, way_to(steps...));
  }
  /// One that is null where its text is empty.
  template <class... Steps>
  void if_any(std::string_view key, Steps... steps) {
    self().field(FieldKey{.name = key, .if_any = true}, way_to(steps...));
  }
  /// An object of fields, or null.
  template <class Is, class Part>
  void group(std::string_view key, const Is& is, const Part& part) {
    self().object(key, is, part);
  }
  /// Pairs of names and numbers beside the fields.
  template <class... Steps>
  void rest(Steps... steps) {
    self().others(way_to(steps...));
  }

 private:
  Visitor& self() { return static_cast<Visitor&>(*this); }
};

/// A visitor that does nothing: whatever can be described can be described to it.
struct DescriptionProbe : FieldVisitor<DescriptionProbe> {
  void field(const FieldKey&, const auto&) {}                 ///< nothing
  void object(std::string_view, const auto&, const auto&) {}  ///< nothing
  void others(const auto&) {}                                 ///< nothing
};

}  // namespace hardhead
