#pragma once
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <atomic>
#include <chrono>
#include <future>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/numeric/rational.h"
#include "base/run/run_context.h"
#include "base/text/parameters.h"
#include "base/text/spec.h"
#include "python/arguments.h"
#include "python/pickles.h"

/// What the files of the Python module share. There is one for each floor, as in the library; each binds what
/// its floor has, and no science is in them.
namespace hardhead::python {

namespace py = pybind11;
using namespace py::literals;

/// What all classes and the process need once everything is bound (process.cc): objects that were made
/// without __init__ are refused, bus errors of files that became shorter are exceptions, and work under way
/// ends before the interpreter does.
void settle(py::module_& module);

void bind_base(py::module_& module);
void bind_attention(py::module_& module);
void bind_checkpoint(py::module_& module);
void bind_hardness(py::module_& module);
void bind_learner(py::module_& module);
void bind_own_learners(py::module_& module);
void bind_own_families(py::module_& module);
void bind_run(py::module_& module);
void bind_study(py::module_& module);
void bind_experiments(py::module_& module);
void bind_sq(py::module_& sq);
void bind_lwe(py::module_& lwe);
void bind_challenges(py::module_& challenge);

/// What SpecOrText says.
Spec spec_of(const SpecOrText& spec);

/// "ndarray": for messages about what a function cannot take.
std::string type_name(py::handle given);

/// A value as an immutable object with named attributes and a repr made of them, like a frozen dataclass.
template <class T>
class Record {
 public:
  Record(py::handle scope, const char* name, const char* doc) : class_(scope, name, doc) {
    class_.def("__repr__", [](const py::object& self) { return describe(self); });
    class_.def("_repr_html_", [](const py::object& self) { return show(self); });
  }
  ~Record() { class_.attr("__match_args__") = py::tuple(names_); }
  Record(const Record&) = delete;
  Record& operator=(const Record&) = delete;

  /// A member, or what a function makes of the value; with the docstring.
  template <class Member>
  Record& field(const char* name, Member member, const std::string& doc = "") {
    if constexpr (std::is_member_object_pointer_v<Member>)
      class_.def_readonly(name, member, doc.c_str());
    else
      class_.def_property_readonly(name, member, doc.c_str());
    names_.append(name);
    return *this;
  }

  /// Objects are pickled by their members (pickles.h).
  Record& pickled() {
    pickled_by_members(class_);
    return *this;
  }

  py::class_<T>& python() { return class_; }

 private:
  static py::str describe(const py::object& self);
  static py::str show(const py::object& self);

  py::class_<T> class_;
  py::list names_;
};

/// "Name(field=value, ...)" of the fields that __match_args__ lists, long values cut short.
py::str describe_record(const py::object& self);

/// A table of the same in HTML, which notebooks show.
py::str show_record(const py::object& self);

template <class T>
py::str Record<T>::describe(const py::object& self) {
  return describe_record(self);
}

template <class T>
py::str Record<T>::show(const py::object& self) {
  return show_record(self);
}

/// progress(phase, fraction done).
using Progress = std::optional<py::function>;

/// Work under way, for as long as this object lives. At the exit of the interpreter all of it is stopped and
/// waited for: a thread that then asked for Python's lock would never get it.
class Underway {
 public:
  /// Raises SystemExit where the interpreter is about to exit.
  explicit Underway(std::atomic<bool>& stop);
  ~Underway();
  Underway(const Underway&) = delete;
  Underway& operator=(const Underway&) = delete;

  /// Stops all work and waits for it, without Python's lock, ten seconds at most. None can be begun any more.
  static void end_all();
  /// Whether end_all() was called.
  static bool ending();
  /// For a thread without Python's lock: does not return where end_all() has given it up.
  static void wait_if_given_up();

 private:
  std::atomic<bool>* stop_;
};

/// What ends a function of the user's from outside: an exception of Python's that `except Exception` does not
/// catch.
PyObject* ended_type();
/// Whether the function of the user's that this thread runs is to end (own_call.h): what it waits for ends,
/// too.
bool is_to_end();

/// Runs work(context) in a thread of its own and without Python's lock. Meanwhile this one waits, passes
/// progress on every 50 ms, and on Ctrl-C, at the exit of the interpreter, or if `progress` throws, stops the
/// work and raises what was raised. Nothing else in the module releases Python's lock.
template <class Work>
auto interruptibly(const Work& work, const Progress& progress = std::nullopt) {
  std::atomic<bool> stop{false};
  const Underway underway(stop);
  std::mutex latest_mutex;
  std::optional<std::pair<std::string, double>> latest;
  RunContext context;
  context.stop = StopToken(&stop);
  if (progress)
    context.progress.on_progress = [&](std::string_view phase, double done) {
      const std::lock_guard lock(latest_mutex);
      latest.emplace(phase, done);
    };
  auto result = std::async(std::launch::async, [&] { return work(std::as_const(context)); });

  std::optional<py::error_already_set> raised;
  const auto look = [&] {
    try {
      if (Underway::ending()) PyErr_SetNone(PyExc_SystemExit);
      const bool to_end = is_to_end();
      if (to_end) PyErr_SetNone(ended_type());
      if (Underway::ending() || to_end || PyErr_CheckSignals() != 0) throw py::error_already_set();
      if (!progress) return;
      std::optional<std::pair<std::string, double>> news;
      {
        const std::lock_guard lock(latest_mutex);
        news.swap(latest);
      }
      if (news) (*progress)(news->first, news->second);
    } catch (py::error_already_set& error) {
      raised.emplace(error);
      stop = true;
    }
  };
  const auto ready = [&] {
    const py::gil_scoped_release release;
    constexpr std::chrono::milliseconds patience(50);
    const bool is_ready = result.wait_for(patience) == std::future_status::ready;
    Underway::wait_if_given_up();
    return is_ready;
  };
  while (!ready())
    if (!raised) look();
  if (!raised) look();
  if (raised) {
    while (!ready()) {
    }
    throw py::error_already_set(*raised);
  }
  return result.get();
}

}  // namespace hardhead::python

namespace pybind11::detail {

/// Rational is fractions.Fraction. From Python also int, text such as "1/10", and float, by its shortest
/// decimal: 0.1 is 1/10.
template <>
struct type_caster<hardhead::Rational> {
  PYBIND11_TYPE_CASTER(hardhead::Rational, const_name("fractions.Fraction"));
  bool load(handle source, bool convert);
  static handle cast(const hardhead::Rational& value, return_value_policy policy, handle parent);
};

}  // namespace pybind11::detail
