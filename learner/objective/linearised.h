#pragma once
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "learner/objective/blocks.h"
#include "learner/objective/loss.h"

namespace hardhead::learner {

/// A nonlinear least squares problem of fitting a layer to examples, linearised at a point: residuals F(X) -
/// Y over all rows, J their Jacobian in the parameters, everything relative to sum ||Y||^2. What the
/// parameters are is the implementation's: all of a layer (least_squares.h) or factors of it
/// (factored_squares.h).
class Linearised {
 public:
  virtual ~Linearised() = default;

  /// The same at another point, in the memory that is there: asking the system for it again costs as much as
  /// products do.
  virtual void move_to(const Stacked& parameters) = 0;
  /// The same, with the parameters in which labels are linear by least squares where that costs no more than
  /// a few products, and otherwise as given. Returns the point.
  virtual Stacked move_to_best(const Stacked& parameters) {
    move_to(parameters);
    return parameters;
  }

  /// sum ||F(X) - Y||^2 / sum ||Y||^2.
  virtual double relative_error() const = 0;
  /// J^T (F(X) - Y) / sum ||Y||^2.
  virtual const Stacked& gradient() const = 0;
  /// J^T J v / sum ||Y||^2.
  virtual Stacked normal_product(const Stacked& v) const = 0;

  /// The same for conjugate gradients that need not go far: in single precision where that is faster.
  virtual Stacked rough_normal_product(const Stacked& v) const { return normal_product(v); }
  /// Whether it is in single precision.
  virtual bool is_rough() const { return false; }

  /// A symmetric positive definite stand-in M for J^T J that is cheap to invert.
  class Preconditioner {
   public:
    virtual ~Preconditioner() = default;
    virtual Stacked apply(const Stacked& v) const = 0;  ///< M v
    virtual Stacked solve(const Stacked& v) const = 0;  ///< M^-1 v
  };
  /// The stand-in at this point.
  virtual std::unique_ptr<const Preconditioner> preconditioner() const = 0;

  /// What one takes besides its examples, at most.
  struct Bytes {
    double itself = 0;          ///< one that lives: its point, gradient, what it keeps, scratch
    double preconditioner = 0;  ///< one that lives
    double work = 0;            ///< of whatever is being computed of one of them
  };
};

/// One on examples in memory, which must outlive it. All that it computes polls its stop token.
class LinearisedOnBlocks : public Linearised {
 public:
  double relative_error() const override { return loss_.relative_error(); }
  const Stacked& gradient() const override { return loss_.gradient; }

 protected:
  /// `zero` has the shape of the parameters.
  LinearisedOnBlocks(const std::vector<Block>& blocks, Stacked zero, StopToken stop)
      : blocks_(blocks), stop_(std::move(stop)), loss_(std::move(zero)) {}

  /// What add(part, b) adds up to over all blocks.
  template <class Sum, class Add>
  Sum summed(const Sum& zero, const Add& add) const {
    return sum_over_blocks(blocks_.size(), zero, stop_, add);
  }
  /// The same for parameters, relative to sum ||Y||^2.
  Stacked relative_sum(const auto& add) const { return summed(zero(), add) / unit_; }
  /// Takes the loss at a point from what add(part, b) adds up to.
  void set_loss(const auto& add) {
    loss_ = summed(Loss(zero()), add);
    unit_ = std::max(loss_.total, 1e-300);
    loss_.gradient /= unit_;
  }

  /// Sizes of a pass of m heads over these blocks; 0 where there are none.
  PassShape pass_shape(Index m) const {
    if (blocks_.empty()) return {};
    return {.d = blocks_.front().d(), .k = blocks_.front().k, .m = m};
  }
  /// How many of the first blocks may keep `rows` doubles for each of their tokens within so many bytes.
  std::size_t blocks_within(double bytes, Index rows) const {
    std::size_t count = 0;
    for (; count < blocks_.size(); ++count) {
      bytes -= 8.0 * static_cast<double>(rows * blocks_[count].x.cols());
      if (bytes < 0) break;
    }
    return count;
  }
  /// sqrt(N / sum ||Y||^2) over the number of examples, with N rows: the factor of ThetaCurvature::common.
  double common_scale() const {
    const auto examples = static_cast<double>(examples_in(blocks_));
    return std::sqrt(static_cast<double>(blocks_.front().k) * examples / unit_) / examples;
  }

  const std::vector<Block>& blocks_;  ///< the examples
  StopToken stop_;                    ///< asked all the time
  Loss loss_;                         ///< at the point, the gradient relative to unit_
  double unit_ = 1;                   ///< sum ||Y||^2, but not 0

 private:
  Stacked zero() const { return Stacked::Zero(loss_.gradient.rows(), loss_.gradient.cols()); }
};

}  // namespace hardhead::learner
