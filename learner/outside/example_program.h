#pragma once
#include <string>

#include "learner/algorithm.h"
#include "learner/outside/program_files.h"

namespace hardhead::learner {

/// A program of the user's that learns from examples, in any language. It is run by the shell as
///
///     COMMAND DATA RESULT
///
/// with two safetensors files. DATA, written for it, has `x` and `y` [N, k, d], the examples, and
/// `x_held_back` [n, k, d] with n a tenth of the budget (at most 2000); metadata `inputs`, `seed` and, where
/// the number of heads is told, `heads`. RESULT, which it writes, has either a layer, `theta` and `w` [m, d,
/// d], or `y_held_back` [n, k, d], its predictions. Numbers are f64, or int8 for Boolean x; a result may be
/// f32. An error is computed here from the labels that it has not seen.
///
/// A program that fails, writes no result, or one of the wrong shape or with a NaN is an outcome: phase
/// `exec` failed, and the message has its last line. What the machine did to it (program_ending.h), a disk
/// that has no room for DATA among it, ends the run as undone.
class ExampleProgram final : public ExampleAlgorithm, public OutsideProgram {
 public:
  using OutsideProgram::OutsideProgram;

  Told told() const override { return Told::unknown; }
  void run(const Run& run) const override;
};

}  // namespace hardhead::learner
