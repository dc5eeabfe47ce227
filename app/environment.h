#pragma once

namespace hardhead::app {

/// Opens those of the descriptors 0, 1 and 2 that the process was started without, so that no file gets one
/// of these numbers and what is meant for a terminal. They can be neither read nor written.
void open_standard_descriptors();

/// How many of `wanted` threads can be made at a time; limits on processes and on memory may leave fewer.
int threads_to_be_had(int wanted);

}  // namespace hardhead::app
