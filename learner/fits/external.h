#pragma once
#include "learner/learner.h"

namespace hardhead::learner {

/// The learner `exec:COMMAND`, a program in any language. It is run by the shell as
///
///     COMMAND DATA RESULT
///
/// with two safetensors files. DATA, written for it, has `x` and `y` [N, k, d], the examples, and
/// `x_held_back` [n, k, d] with n a tenth of the budget (at most 2000); metadata `inputs`, `seed` and, where
/// the number of heads is told, `heads`. RESULT, which it writes, has either a layer, `theta` and `w` [m, d,
/// d], or `y_held_back` [n, k, d], its predictions. Numbers are f64, or int8 for Boolean x; a result may be
/// f32. An error is computed here from the labels that it has not seen.
///
/// A time limit kills the program with all its children, a memory limit makes their allocations fail. A
/// program that fails, writes no result, or one of the wrong shape or with a NaN is an outcome: phase `exec`
/// failed, and the message has its last line.
///
/// The program is on trust. The files tell nothing of the instance, but it runs as the same user: it can read
/// the command line of the process that started it (/proc/PPID/cmdline: the spec, its seed) and make the
/// instance anew, or any file.
extern const Method external_method;

}  // namespace hardhead::learner
