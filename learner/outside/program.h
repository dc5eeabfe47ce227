#pragma once
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
/// `exec` failed, and the message has its last line. What the machine did to it (guarded_process.h), a disk
/// that has no room for DATA among it, ends the run as undone.
class ExampleProgram final : public ExampleAlgorithm, public OutsideProgram {
 public:
  using OutsideProgram::OutsideProgram;

  Told told() const override { return Told::unknown; }
  void run(const Run& run) const override;
};

/// A program of the user's that asks for values, in any language. It is talked to by its standard input and
/// output, a JSON text on each line:
///
///     hardhead   {"d": 8, "tokens": 2, "boolean": false, "tau": 0, "heads": null, "seed": 1}
///     program    {"ask": [X, ..]}                 each X a list of tokens, each token a list of d numbers
///     hardhead   {"values": [F(X), ..]}           of the same shape
///     program    {"theta": [..], "w": [..]}       its layer, both [m, d, d]; it may then end
///
/// `tokens` is null where X may have any number; all X of one line have the same. `boolean` says that entries
/// other than -1 and +1 have no answer. A program that asks what cannot be asked, writes anything else, or
/// ends without a layer is an outcome: phase `exec` fails, and the message says why. An X has at most
/// most_tokens tokens. One that asks for more than the budget is killed, as is one whose time is up.
class ValueProgram final : public ValueAlgorithm, public OutsideProgram {
 public:
  /// Of an X: attention makes a matrix of tokens by tokens for each head.
  static constexpr Index most_tokens = 4096;

  using OutsideProgram::OutsideProgram;

  Told told() const override { return Told::unknown; }
  Needs needs() const override;
  void run(const ValueRun& run) const override;
};

}  // namespace hardhead::learner
