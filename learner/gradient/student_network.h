#pragma once
#include "attention/layer/network_rows.h"
#include "learner/gradient/float_block.h"

namespace hardhead::learner {

/// The network behind a student's heads, in single precision; to_rows() has its numbers.
class StudentNetwork {
 public:
  /// Buffers of one thread.
  struct Scratch {
    FloatMatrix u;       ///< d x (k n): what the network is applied to
    FloatMatrix hidden;  ///< h x (k n): its units
    FloatMatrix change;  ///< h x (k n): derivative of the loss by these
  };

  /// Of the last rows of a student's parameters, which must outlive it.
  StudentNetwork(const attention::NetworkShape& shape, const FloatMatrix& parameters)
      : shape_(shape), parameters_(parameters) {}

  /// Values of the network in place of those of the heads.
  void apply(const FloatBlock& block, FloatMatrix& values, Scratch& scratch) const;
  /// The derivative of the loss by values of the heads in place of that by values of the network; adds that
  /// by the network's numbers to the last rows of `gradient`.
  void add_gradient(FloatMatrix& change, Scratch& scratch, FloatMatrix& gradient) const;

 private:
  auto rows() const { return parameters_.bottomRows(shape_.rows(parameters_.cols())); }

  attention::NetworkShape shape_;
  const FloatMatrix& parameters_;
};

}  // namespace hardhead::learner
