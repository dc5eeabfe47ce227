#pragma once
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "base/numeric/random.h"
#include "base/text/enum_names.h"
#include "base/text/option_table.h"
#include "learner/factors/factored_squares.h"
#include "learner/method.h"

namespace hardhead::learner {

/// Whether a learner is told the ranks of heads in factors.
enum class Ranks { given, found };

constexpr auto enum_names(Ranks) {
  return std::to_array<EnumName<Ranks>>({{Ranks::given, "given"}, {Ranks::found, "found"}});
}

/// What the learners share that can fit heads in factors (factors.h): `gauss-newton` and `lbfgs`.
struct FactorOptions {
  Index rank = 0;        ///< of the Theta_i and W_i; 0: whole matrices
  Index value_rank = 0;  ///< of the W_i; 0: see factors()

  /// Whether a learner with these options is told that heads have a low rank.
  bool told() const { return rank > 0 || value_rank > 0; }

  /// m heads in factors, or nothing where whole matrices are asked for. Where value_rank is 0, the W_i have
  /// `rank`, and one more, d at most, if tokens have a constant feature: biases of values and of the output
  /// add a row to W_i that need not lie in the span of the others. Throws InputError for a rank above d, in
  /// the name of `learner`.
  std::optional<Factors> factors(std::string_view learner, ExampleShape shape, Index m) const;
};

/// The rows of both.
OptionTable<FactorOptions> factor_rows();
/// Throws InputError for a value_rank without a rank.
void check_factor_options(std::string_view learner, const FactorOptions& options);

/// Where ranks have to be found, those that are tried, ascending: d / m rounded up, since heads of a
/// transformer's layer share the d features; twice that, four times, ..; and those of `largest`. W_i have one
/// more where FactorOptions::factors() gives them one more.
std::vector<Factors> growing_ranks(const Factors& largest, ExampleShape shape);

/// Examples for a fit: oversampling times the largest of both bounds (factors.h) and d m / k, and at least
/// `floor`. From fewer than d m / k times a few, heads of a transformer's layer do not stand out of the noise
/// of the first-order map (head_strengths.h); of whole heads, of ranks d, the counting bound is larger.
std::int64_t examples_for(const Factors& factors, ExampleShape shape, double oversampling,
                          std::int64_t floor = 1000);

/// Numbers of examples for the map of first order, ascending, to be tried until heads stand out of the noise:
/// a 64th, a 16th, a quarter and all of `times` d^2 m k / (36 (k - 1)), those below twice the `fitted` ones
/// being left out, and those of which another one is less than twice as many; `fitted` at least, and
/// `allowed` at most. A head adds in proportion to (k - 1) / k^2 to the map, and noise, of which other heads
/// are a part, as d sqrt(k - 1) / (k sqrt(k examples)). The 36 is for attention as sharp as that of trained
/// layers: logits of deviation 1 to 3 (docs/checkpoints.md).
std::vector<std::int64_t> first_order_examples(const Factors& factors, ExampleShape shape, double times,
                                               std::int64_t fitted, std::int64_t allowed);

/// Starts of fits in factors.
class FactoredStarts {
 public:
  /// Sees what the first examples of a run's source show of the heads to first order (low_rank_heads.h): a
  /// phase "first_order" of the run for each number of them, until the heads stand out and are not
  /// far_from_linear(). `norm`: of the Theta_i of starts.
  FactoredStarts(const Run& run, const Factors& factors, const std::vector<std::int64_t>& examples,
                 double norm, Stream stream);

  /// Whether the heads stand out, and the first start leaves more than a third of the labels on examples that
  /// did not show them: many softmaxes are saturated there, and such examples say little of their heads.
  bool far_from_linear() const { return far_from_linear_; }

  /// Start number `start`. The first one has the Q_i, K_i and V_i that were seen, Theta_i of `norm`, or 2 or
  /// 4 times that, whichever comes nearest to labels of examples that did not show them. The others have
  /// random ones, Theta_i of Frobenius norm `norm` in the root mean square. The O_i are by least squares.
  /// Throws Stopped.
  Stacked start(int start, const std::vector<Block>& training, const StopToken& stop) const;

 private:
  // Chooses the norm of Theta_i with which the heads that were seen come nearest to the labels, and returns
  // the relative error that is left.
  double scale_heads(const std::vector<Block>& judging, const StopToken& stop);
  FactoredSquares with_outputs(const std::vector<Block>& training, const Matrix& inner,
                               const StopToken& stop) const;

  Factors factors_;
  double norm_;
  Stream stream_;
  Matrix heads_;  // Q_i^T, K_i^T and V_i^T that were seen
  bool far_from_linear_ = false;
};

/// Bytes that FactoredStarts() takes at most.
double first_order_bytes(const PassShape& shape, const Factors& factors, std::int64_t examples);
/// Seconds of it (cost.h).
double first_order_seconds(ExampleShape shape, const Factors& factors, std::int64_t examples);
/// Bytes that a start takes at most, besides its examples.
double factored_start_bytes(const PassShape& shape, const Factors& factors, std::int64_t examples);

}  // namespace hardhead::learner
