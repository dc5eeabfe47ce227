#pragma once
#include <cstdint>
#include <string_view>

#include "attention/samples/sample_source.h"
#include "base/run/run_context.h"
#include "learner/objective/blocks.h"

namespace hardhead::learner {

/// Which rows the regression takes.
struct MarginOptions {
  double share = 0.003;  ///< of all rows, that of largest margin that is looked at: 12 d to 100,000 rows
  double kept_fraction = 0.25;  ///< of those, the share whose labels fit best is kept
  int rounds = 10;              ///< concentration steps of the trimmed regression, at most
};

/// A refined W_sum and what it rests on.
struct MarginWSum {
  Matrix estimate;              ///< d x d
  std::int64_t rows_kept = 0;   ///< in the last regression
  double least_margin = 0;      ///< of the rows looked at, in logits
  double residual = 0;          ///< root mean square of ||y_r - W_sum^T x_j*|| over the rows kept
  double residual_dropped = 0;  ///< the same over the rows looked at but not kept
};

/// Phase 3: refine W_sum by rows of large margin. The proxy is the hull's least-norm point Theta*. Where
/// softmax(x_r^T Theta* X^T) is nearly one-hot at token j* with a large margin, so are most true heads, and
/// the softmax turns a small error of the proxy into an exponentially small one of the label:
/// y_r ~ W_sum^T x_{j*}, a linear regression.
///
/// The margin must hold in every head, not only in the proxy. Rows where it does not are outliers of the
/// regression, so it is a trimmed one: of the rows of largest margin the share that fits the current W_sum
/// best is kept and W_sum refitted on it, until the choice settles (concentration steps of least trimmed
/// squares; P. Rousseeuw and K. Van Driessen, Data Min. Knowl. Disc. 12, 2006).
MarginWSum refine_w_sum(const ExampleRange& examples, const Matrix& proxy, const Matrix& w_sum,
                        const MarginOptions& options, const RunContext& context, std::string_view phase);

/// Bytes that refine_w_sum() takes at most for this many examples; what the source takes to read is not
/// counted.
double margin_bytes(Index d, Index k, std::int64_t examples, const MarginOptions& options);

}  // namespace hardhead::learner
