#pragma once
#include <memory>

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
};

}  // namespace hardhead::learner
