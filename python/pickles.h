#pragma once
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <vector>

/// How values of the library are pickled: by their members, which `Members` lists for each type.
namespace hardhead::python {

namespace py = pybind11;

/// Specialised for a type that is pickled: `list`, a std::tuple of pointers to all its members.
template <class Type>
struct Members;

template <class Type>
concept HasMembers = requires { Members<Type>::list; };

template <class Type>
struct IsListOfMembers : std::false_type {};
template <HasMembers Item>
struct IsListOfMembers<std::vector<Item>> : std::true_type {};

/// Plain Python objects that of_state() makes the same value of.
template <class Type>
py::object state_of(const Type& value) {
  if constexpr (std::is_enum_v<Type>) {
    return py::int_(static_cast<int>(value));
  } else if constexpr (HasMembers<Type>) {
    return std::apply([&](auto... member) { return py::object(py::make_tuple(state_of(value.*member)...)); },
                      Members<Type>::list);
  } else if constexpr (IsListOfMembers<Type>::value) {
    py::list out;
    for (const auto& item : value) out.append(state_of(item));
    return out;
  } else {
    return py::cast(value);
  }
}

/// The value of a state.
template <class Type>
Type of_state(const py::object& state) {
  if constexpr (std::is_enum_v<Type>) {
    return static_cast<Type>(state.cast<int>());
  } else if constexpr (HasMembers<Type>) {
    Type out{};
    const auto parts = state.cast<py::tuple>();
    std::apply(
        [&](auto... member) {
          std::size_t at = 0;
          ((out.*member = of_state<std::remove_cvref_t<decltype(out.*member)>>(parts[at++])), ...);
        },
        Members<Type>::list);
    return out;
  } else if constexpr (IsListOfMembers<Type>::value) {
    Type out;
    for (const py::handle item : state)
      out.push_back(of_state<typename Type::value_type>(py::reinterpret_borrow<py::object>(item)));
    return out;
  } else {
    return state.cast<Type>();
  }
}

/// Defines how objects of a class are pickled.
template <class Type>
void pickled_by_members(py::class_<Type>& bound) {
  bound.def(py::pickle([](const Type& value) { return state_of(value).template cast<py::tuple>(); },
                       [](const py::tuple& state) { return of_state<Type>(state); }));
}

}  // namespace hardhead::python
