#pragma once
#include <memory>

#include "learner/network/hinges.h"
#include "learner/oracle/value_oracle.h"

namespace hardhead::learner::network {

/// Values of the heads in front of a network, from values of both: what a learner of layers is put on.
///
///     without a residual   v_r = N~^-1(T(X)_r) = (F(X) W_sum^-1)_r: the layer with W_sum = I
///     with one             F(X)_r = v_r M^T - x_r,   M = I + W_sum^T
///
/// N~ is the network as X of one row show it. Each X costs one query of the oracle of T.
class InvertedNetwork final : public attention::Teacher {
 public:
  /// `residual`: M; empty for none. The oracle must outlive it.
  InvertedNetwork(ValueOracle& values, Inverse inverse, Matrix residual, StopToken stop)
      : values_(values),
        inverse_(std::move(inverse)),
        residual_(std::move(residual)),
        stop_(std::move(stop)) {}

  /// Throws Failed where N~ is not injective, and what the oracle of T throws.
  void label(attention::Block& block) const override {
    attention::Block asked = block;
    values_.ask(asked);
    for (Index c = 0; c < block.x.cols(); ++c) {
      stop_.check();
      const Vector v = inverse_(asked.y.col(c));
      block.y.col(c) = residual_.size() == 0 ? v : Vector(residual_ * v - block.x.col(c));
    }
  }
  attention::Labelled labelled() const override { return values_.domain(); }

 private:
  ValueOracle& values_;
  Inverse inverse_;
  Matrix residual_;
  StopToken stop_;
};

}  // namespace hardhead::learner::network
