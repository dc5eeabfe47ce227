#pragma once
#include "attention/sample_source.h"
#include "base/run_control.h"
#include "hardness/instance.h"

namespace hardhead::study {

/// The best affine function of a row and the mean row: `y_r ~ A^T (1, x_r, (1/k) sum_j x_j)`, A (1 + 2d) x d.
struct AffinePredictor {
  attention::Matrix coefficients;  ///< A
};

/// Least squares over all rows of examples 0 .. count - 1 (count is cut to source.size()); a
/// ridge of 1e-12 of the largest feature's second moment keeps it defined where features are dependent
/// (k = 1, few examples).
AffinePredictor fit_affine(const attention::SampleSource& source, std::int64_t count,
                           const RunControl& control = {});

/// Its relative squared error sum ||Y - Yhat||^2 / sum ||Y||^2 on examples 0 .. count - 1.
double test_error(const AffinePredictor& predictor, const attention::SampleSource& source, std::int64_t count,
                  const RunControl& control = {});

/// Error of the null predictor, against which a learner's error is judged: the family's exact one where it
/// hides something; otherwise that of the affine predictor fitted on `fit` and measured on `test`, at most 1
/// (predicting zero is affine too, and better where `fit` is too short to fit anything).
double null_error(const hardness::NullPredictor& null, const attention::SampleSource& fit,
                  std::int64_t fit_count, const attention::SampleSource& test, std::int64_t test_count,
                  const RunControl& control = {});

}  // namespace hardhead::study
