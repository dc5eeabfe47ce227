#include "python/own_call.h"

#include <fmt/format.h>

#include <condition_variable>
#include <thread>

#include "base/error.h"
#include "learner/oracle/value_oracle.h"
#include "learner/recorder.h"

namespace hardhead::python {
namespace {

thread_local const StopToken* surrounding = nullptr;

/// Ends the Python code of a thread once a token says so.
class Watch {
 public:
  /// Watches the calling thread.
  explicit Watch(const StopToken& stop)
      : stop_(stop), thread_(PyThread_get_thread_ident()), watcher_([this] { watch(); }) {}
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  /// Without Python's lock, which the watcher may be waiting for.
  ~Watch() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    ended_.notify_all();
    watcher_.join();
  }

  /// The Python code is over: it cannot be ended any more. With Python's lock.
  void finish() {
    done_ = true;
    PyThreadState_SetAsyncExc(thread_, nullptr);
  }

 private:
  void watch() {
    constexpr std::chrono::milliseconds patience(20), pause(500);
    std::unique_lock lock(mutex_);
    const auto is_done = [&] { return done_.load(); };
    while (!ended_.wait_for(lock, patience, is_done)) {
      if (!stop_.stopped()) continue;
      lock.unlock();
      Underway::wait_if_given_up();
      {
        const py::gil_scoped_acquire acquire;
        if (!done_) PyThreadState_SetAsyncExc(thread_, ended_type());
      }
      lock.lock();
      ended_.wait_for(lock, pause, is_done);
    }
  }

  const StopToken& stop_;
  unsigned long thread_;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::atomic<bool> done_{false};
  std::thread watcher_;
};

/// "ValueError: no" and where it came from. With Python's lock.
std::string traceback_of(const std::string& name, const py::error_already_set& error) {
  const py::object lines =
      py::module_::import("traceback").attr("format_exception")(error.type(), error.value(), error.trace());
  const std::string all = py::str("").attr("join")(lines).cast<std::string>();
  const std::string last = py::module_::import("traceback")
                               .attr("format_exception_only")(error.type(), error.value())
                               .attr("pop")()
                               .attr("strip")()
                               .cast<std::string>();
  return fmt::format("{} raised {}\n{}", name, last, all);
}

[[noreturn]] void rethrow(const std::string& name, const StopToken& stop, bool raises,
                          py::error_already_set& error) {
  if (error.matches(ended_type())) {
    stop.check();
    throw Stopped{"interrupted"};
  }
  if (raises || !error.matches(PyExc_Exception)) throw error;
  throw learner::Failed{traceback_of(name, error), "python"};
}

}  // namespace

PyObject* ended_type() {
  static PyObject* const type = PyErr_NewException("hardhead._core._Ended", PyExc_BaseException, nullptr);
  return type;
}

bool is_to_end() {
  return surrounding != nullptr && surrounding->stopped();
}

void call_python(const std::string& name, const StopToken& stop, bool raises,
                 const std::function<void()>& body) {
  const StopToken* const before = surrounding;
  surrounding = &stop;
  Watch watch(stop);
  const py::gil_scoped_acquire acquire;
  const auto end = [&] {
    watch.finish();
    surrounding = before;
  };
  try {
    body();
    end();
  } catch (py::error_already_set& error) {
    end();
    rethrow(name, stop, raises, error);
  } catch (const Error& error) {
    end();
    if (raises) throw;
    throw learner::Failed{fmt::format("{}: {}", name, error.what()), "python"};
  } catch (...) {
    end();
    throw;
  }
}

}  // namespace hardhead::python
