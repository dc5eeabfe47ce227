#pragma once
#include <string_view>

namespace hardhead::app {

/// Opens those of the descriptors 0, 1 and 2 that the process was started without, so that no file gets one
/// of these numbers and what is meant for a terminal. They can be neither read nor written.
void open_standard_descriptors();

/// Whether the memory of this process is limited (ulimit -v, -d).
bool memory_is_limited();

/// Where memory is limited, lets the process begin again with OpenBLAS held to one thread, if
/// the linear algebra that is loaded is OpenBLAS: it starts threads before main() is called, and one of them
/// that gets no memory asks for it without end, which the exit of the process then waits for. Returns where
/// there is nothing to do, or where the process cannot be begun again. `arguments` are those of main().
void hold_blas_to_one_thread_if_short_of_memory(char** arguments);

/// The value of a variable of the environment; empty where it is not set.
std::string_view environment_variable(const char* name);

/// How many of `wanted` threads can be made at a time; limits on processes and on memory may leave fewer.
int threads_to_be_had(int wanted);

}  // namespace hardhead::app
