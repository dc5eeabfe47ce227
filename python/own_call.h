#pragma once
#include <functional>
#include <string>

#include "python/bindings.h"

namespace hardhead::python {

/// Calls `body`, which runs Python, with Python's lock, from a thread of a run that does not hold it. Once
/// `stop` says so, the Python code under way is ended by an exception (ended_type()), again and again until
/// it ends; code that waits in C is ended when it comes back.
///
/// Throws Stopped where it was ended so; learner::Failed with the traceback for an exception of Python's and
/// for an Error, unless `raises`; all others (KeyboardInterrupt, SystemExit) as they are.
void call_python(const std::string& name, const StopToken& stop, bool raises,
                 const std::function<void()>& body);

}  // namespace hardhead::python
