#include "learner/fits/factored_fits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "learner/fits/fitting.h"
#include "learner/fits/low_rank_heads.h"

namespace hardhead::learner {

using namespace attention;

namespace {

// Singular values near those that are wanted slow their convergence down, unless they are computed, too.
constexpr Index computed_beyond = 2;

// Q_i^T, K_i^T and V_i^T of all heads on top of each other (Factors): Gaussian, the Theta_i of Frobenius norm
// `norm` in the root mean square, V_i^T with rows of norm 1.
Matrix random_inner(const Stream& stream, std::uint64_t item, const Factors& factors, Index d, double norm) {
  const Index forms = 2 * factors.m * factors.form, rows = factors.outputs();
  std::vector<double> numbers(static_cast<std::size_t>(rows * d));
  stream.normals(item, numbers);
  Matrix inner = Eigen::Map<const RowMatrix>(numbers.data(), rows, d);
  inner.topRows(forms) *=
      std::sqrt(norm / (static_cast<double>(d) * std::sqrt(static_cast<double>(factors.form))));
  inner.bottomRows(rows - forms) /= std::sqrt(static_cast<double>(d));
  return inner;
}

Stacked first_order_start(const std::vector<Block>& training, const Factors& factors, double norm,
                          const Stream& stream, const RunContext& context) {
  const StopToken& stop = context.stop;
  const Matrix heads = low_rank_heads(leading_heads(training, factors.m + computed_beyond, stream, context),
                                      factors, stream, stop);
  Stacked best;
  double least = std::numeric_limits<double>::infinity();
  for (const double factor : {1.0, 2.0, 4.0}) {
    Matrix inner = heads;
    inner.topRows(2 * factors.m * factors.form) *= std::sqrt(factor * norm);
    Stacked start = fit_outputs(training, factors, inner, stop);
    const double error = FactoredSquares(training, factors, start, 0, stop).relative_error();
    if (error < least) best = std::move(start), least = error;
  }
  return best;
}

}  // namespace

std::optional<Factors> FactorOptions::factors(std::string_view learner, Index d, Index m) const {
  if (rank == 0) return std::nullopt;
  const Factors out{m, rank, value_rank > 0 ? value_rank : rank};
  if (const Index largest = std::max(out.form, out.value); largest > d)
    throw InputError(fmt::format("{}: a rank of {} is more than d = {}", learner, largest, d));
  return out;
}

OptionTable<FactorOptions> factor_rows() {
  return OptionTable<FactorOptions>()
      .integer("rank", &FactorOptions::rank, 0, 4096,
               "rank of the Theta_i and W_i, which are fitted in factors; 0: whole matrices")
      .integer("value_rank", &FactorOptions::value_rank, 0, 4096,
               "rank of the W_i where it is another than that of the Theta_i");
}

void check_factor_options(std::string_view learner, const FactorOptions& options) {
  if (options.value_rank > 0 && options.rank == 0)
    throw InputError(
        fmt::format("{}: value_rank={} needs rank, that of the Theta_i", learner, options.value_rank));
}

std::int64_t least_examples(const Factors& factors, ExampleShape shape) {
  return std::max(counting_bound(factors, shape.d, shape.k), pattern_bound(factors, shape.d, shape.k));
}

std::int64_t examples_for(const Factors& factors, ExampleShape shape, double oversampling) {
  const std::int64_t to_stand_out = (shape.d * factors.m + shape.k - 1) / shape.k;
  return examples_for(std::max(least_examples(factors, shape), to_stand_out), oversampling);
}

Stacked factored_start(const std::vector<Block>& training, const Factors& factors, int start, double norm,
                       const Stream& stream, const RunContext& context) {
  if (start == 0) return first_order_start(training, factors, norm, stream, context);
  const auto item = static_cast<std::uint64_t>(factors.m * 1000 + start);
  return fit_outputs(training, factors, random_inner(stream, item, factors, training.front().d(), norm),
                     context.stop);
}

double factored_start_bytes(const PassShape& shape, const Factors& factors, std::int64_t examples) {
  constexpr double starts = 4;
  PassShape computed = shape;
  computed.m = factors.m + computed_beyond;
  const FactoredSquares::Bytes squares = FactoredSquares::bytes(shape, factors, examples, 0);
  return std::max(head_strengths_bytes(computed, examples),
                  squares.itself + squares.work + starts * 8 * static_cast<double>(factors.rows() * shape.d));
}

}  // namespace hardhead::learner
