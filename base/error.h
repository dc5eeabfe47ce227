#pragma once
#include <stdexcept>
#include <string>

/// What a caller gets when a call cannot be carried out. The outcome of an experiment is never an exception
/// but a value in a report: a learner failed, a phase had too few data, a budget ran out midway.
namespace hardhead {

/// Root of every exception this library throws on purpose. Its text names the value that was wrong, the
/// constraint it broke, and the place (a parameter, or a file with an offset).
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A wrong call: an unknown name, a parameter out of range, a file that is damaged or does not fit.
class InputError : public Error {
 public:
  using Error::Error;
};

/// What the machine did to a run, and not the run itself: a process was killed, memory or a disk was full, a
/// program is not installed. It is no result: the same call may succeed the next time.
class MachineError : public Error {
 public:
  using Error::Error;
};

/// A run refused before it starts because its predicted cost exceeds a stated budget. The text gives the
/// prediction, the budget, and the option that changes it.
class BudgetError : public Error {
 public:
  using Error::Error;
};

/// What `body` returns. An InputError of it gets "PLACE: " in front of its text.
template <class Body>
auto at_place(const std::string& place, const Body& body) {
  try {
    return body();
  } catch (const InputError& error) {
    throw InputError(place + ": " + error.what());
  }
}

}  // namespace hardhead
