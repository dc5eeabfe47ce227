#pragma once
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/parameters.h"

namespace hardhead {

/// A value of an enumeration with its name.
template <class Enum>
struct EnumName {
  Enum value;             ///< a value of the enumeration
  std::string_view name;  ///< how it is written
};

/// The names of an enumeration's values, as they are written in specs, files and reports. An enumeration that
/// is read or written has a function of this name beside its definition, which is found by its argument:
///
///     enum class Route { paper, practical };
///     constexpr auto enum_names(Route) {
///       return std::to_array<EnumName<Route>>({{Route::paper, "paper"}, {Route::practical, "practical"}});
///     }
template <class Enum>
constexpr auto names_and_values() {
  return enum_names(Enum{});
}

/// The name of a value.
template <class Enum>
std::string name_of(Enum value) {
  static constexpr auto known = names_and_values<Enum>();
  return std::string(std::ranges::find(known, value, &EnumName<Enum>::value)->name);
}

/// The names of all values, in the table's order.
template <class Enum>
std::vector<std::string> names_of() {
  std::vector<std::string> out;
  for (const auto& entry : names_and_values<Enum>()) out.emplace_back(entry.name);
  return out;
}

/// The value of that name. Throws InputError "unknown KIND 'name', did you mean ..? (one of: ..)".
template <class Enum>
Enum value_named(std::string_view kind, std::string_view name) {
  const std::vector<std::string> known = names_of<Enum>();
  return names_and_values<Enum>()[find_name(kind, name, known)].value;
}

}  // namespace hardhead
