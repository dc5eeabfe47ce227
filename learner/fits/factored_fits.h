#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "base/numeric/random.h"
#include "base/text/option_table.h"
#include "learner/factors/factored_squares.h"
#include "learner/learner.h"

namespace hardhead::learner {

/// What the learners share that can fit heads in factors (factors.h): `gauss-newton` and `lbfgs`.
struct FactorOptions {
  attention::Index rank = 0;        ///< of the Theta_i and W_i; 0: whole matrices
  attention::Index value_rank = 0;  ///< of the W_i; 0: `rank`

  /// m heads with d features in factors, or nothing where whole matrices are asked for. Throws InputError for
  /// a rank above d, in the name of `learner`.
  std::optional<Factors> factors(std::string_view learner, attention::Index d, attention::Index m) const;
};

/// The rows of both.
OptionTable<FactorOptions> factor_rows();
/// Throws InputError for a value_rank without a rank.
void check_factor_options(std::string_view learner, const FactorOptions& options);

/// Least number of examples that can determine such heads: the larger of both bounds.
std::int64_t least_examples(const Factors& factors, ExampleShape shape);
/// Examples for a fit: oversampling times the larger of least_examples and d m / k, and at least 1000. From
/// fewer than d m / k times a few, heads of a transformer's layer do not stand out of the noise of the
/// first-order map (head_strengths.h).
std::int64_t examples_for(const Factors& factors, ExampleShape shape, double oversampling);

/// Start number `start` of a fit. The first one has what the labels show to first order (low_rank_heads.h),
/// of `norm` or 2 or 4 times that, whichever comes nearest to the labels: to first order, labels do not tell
/// the norms of a Theta_i and its W_i apart. The others have random Q_i, K_i and V_i, Theta_i of Frobenius
/// norm `norm` in the root mean square. The O_i are by least squares. Throws Stopped.
Stacked factored_start(const std::vector<attention::Block>& training, const Factors& factors, int start,
                       double norm, const Stream& stream, const RunContext& context);
/// Bytes that it takes at most, besides its examples.
double factored_start_bytes(const attention::PassShape& shape, const Factors& factors, std::int64_t examples);

}  // namespace hardhead::learner
