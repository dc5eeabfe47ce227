#pragma once
#include <optional>

#include "attention/samples/sample_source.h"
#include "base/run/run_context.h"
#include "hardness/families/instance.h"

namespace hardhead::study {

/// Root mean square of the entries of Y over examples 0 .. count - 1 of `source`. Throws Stopped.
double label_rms(const attention::SampleSource& source, std::int64_t count, const RunContext& context = {});

/// The best affine function of a row and the mean row: `y_r ~ A^T (1, x_r, (1/k) sum_j x_j)`, A (1 + 2d) x d.
struct AffinePredictor {
  attention::Matrix coefficients;  ///< A
};

/// What a predictor says of a block's labels, d x (k count), columns as in Block.
attention::RowMatrix predictions(const AffinePredictor& predictor, const attention::Block& block);

/// Relative squared error of the null predictor, and what it says where that is known.
struct NullError {
  double value = 1;                         ///< relative to the labels
  std::optional<AffinePredictor> affine{};  ///< empty where `value` is exact, or that of predicting zero
};

/// Error of the null predictor (hardness::NullPredictor), against which a learner's error is judged. Where
/// the family hides something, its error is known exactly. Otherwise it is that of the affine predictor
/// fitted on `fit` and measured on `test`, or 1 where that is less: predicting zero is affine as well, and
/// better where `fit` is too short to fit anything.
NullError null_error(const hardness::NullPredictor& null, const attention::SampleSource& fit,
                     std::int64_t fit_count, const attention::SampleSource& test, std::int64_t test_count,
                     const RunContext& context = {});

/// Bytes that null_error() takes at most where it fits an affine predictor.
double null_error_bytes(attention::Index d, attention::Index k, std::int64_t fit_count);

}  // namespace hardhead::study
