#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <set>

#include "base/files/mapped_file.h"
#include "python/bindings.h"

namespace hardhead::python {
namespace {

struct AllUnderway {
  std::mutex mutex;
  std::condition_variable one_ended;
  std::set<std::atomic<bool>*> stops;
  std::atomic<bool> ending{false}, given_up{false};
};

/// Never destroyed: threads may outlive the interpreter.
AllUnderway& all_underway() {
  static auto* const all = new AllUnderway;
  return *all;
}

struct sigaction before_us{};

/// A file that became shorter: its reader goes on, and refuses what it has read. Any other bus error is that
/// of whoever had the signal before.
extern "C" void mend(int, siginfo_t* about, void*) {
  if (!mend_bus_error(about->si_addr)) ::sigaction(SIGBUS, &before_us, nullptr);
}

/// pybind11 asks for memory where an object without a value is used: made by __new__ alone. It would not
/// construct the value.
void* refuse_an_empty_object(std::size_t) {
  throw py::type_error("an object that was made by __new__ has no value: call the class");
}

void refuse_empty_objects(const py::object& scope) {
  for (const auto& [name, value] : scope.attr("__dict__").cast<py::dict>()) {
    if (py::isinstance<py::module_>(value) && std::string(py::str(name)).find('.') == std::string::npos) {
      const std::string inner = py::str(value.attr("__name__"));
      if (inner.starts_with("hardhead.")) refuse_empty_objects(py::reinterpret_borrow<py::object>(value));
    }
    if (!py::isinstance<py::type>(value)) continue;
    if (auto* const info = py::detail::get_type_info(reinterpret_cast<PyTypeObject*>(value.ptr())))
      info->operator_new = &refuse_an_empty_object;
  }
}

}  // namespace

Underway::Underway(std::atomic<bool>& stop) : stop_(&stop) {
  AllUnderway& all = all_underway();
  const std::lock_guard lock(all.mutex);
  if (all.ending) {
    PyErr_SetNone(PyExc_SystemExit);
    throw py::error_already_set();
  }
  all.stops.insert(stop_);
}

Underway::~Underway() {
  AllUnderway& all = all_underway();
  const std::lock_guard lock(all.mutex);
  all.stops.erase(stop_);
  all.one_ended.notify_all();
}

void Underway::end_all() {
  const py::gil_scoped_release release;
  AllUnderway& all = all_underway();
  std::unique_lock lock(all.mutex);
  all.ending = true;
  for (std::atomic<bool>* stop : all.stops) *stop = true;
  constexpr std::chrono::seconds patience(10);
  all.given_up = !all.one_ended.wait_for(lock, patience, [&] { return all.stops.empty(); });
}

bool Underway::ending() {
  return all_underway().ending;
}

void Underway::wait_if_given_up() {
  while (all_underway().given_up) ::pause();
}

void settle(py::module_& module) {
  refuse_empty_objects(module);
  struct sigaction action{};
  action.sa_sigaction = mend;
  action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
  ::sigaction(SIGBUS, &action, &before_us);
  py::module_::import("atexit").attr("register")(py::cpp_function(&Underway::end_all));
}

}  // namespace hardhead::python
