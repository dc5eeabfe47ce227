#include "learner/fits/factored_fits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "learner/cost.h"
#include "learner/fits/fitting.h"
#include "learner/fits/head_strengths.h"
#include "learner/fits/low_rank_heads.h"

namespace hardhead::learner {
namespace {

// Singular values near those that are wanted slow their convergence down, unless they are computed, too.
constexpr Index computed_beyond = 2;
// With the map of first order.
constexpr int usual_products = leading_heads_products + low_rank_heads_products;
// The share of labels that first order leaves where attention is far from linear. (Layers of the family
// `transformer` leave 0.09 to 0.18, one of a trained encoder 0.46.)
constexpr double most_left = 1.0 / 3;

// Examples that say which heads stand out.
std::int64_t others_of(std::int64_t examples) {
  return std::max<std::int64_t>(examples / 9, 1);
}

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

// The rank of W_i whose Theta_i have this one.
Index with_biases(Index rank, ExampleShape shape) {
  return has_constant_feature(shape.inputs) ? std::min(rank + 1, shape.d) : rank;
}

}  // namespace

std::optional<Factors> FactorOptions::factors(std::string_view learner, ExampleShape shape, Index m) const {
  if (rank == 0) return std::nullopt;
  if (const Index largest = std::max(rank, value_rank); largest > shape.d)
    throw InputError(fmt::format("{}: a rank of {} is more than d = {}", learner, largest, shape.d));
  return Factors{m, rank, value_rank > 0 ? value_rank : with_biases(rank, shape)};
}

OptionTable<FactorOptions> factor_rows() {
  return OptionTable<FactorOptions>()
      .integer("rank", &FactorOptions::rank, 0, 4096,
               "rank of the Theta_i and W_i, which are fitted in factors; 0: whole matrices")
      .integer("value_rank", &FactorOptions::value_rank, 0, 4096,
               "rank of the W_i; 0: `rank`, and one more for tokens with a constant feature");
}

void check_factor_options(std::string_view learner, const FactorOptions& options) {
  if (options.value_rank > 0 && options.rank == 0)
    throw InputError(
        fmt::format("{}: value_rank={} needs rank, that of the Theta_i", learner, options.value_rank));
}

std::vector<Factors> growing_ranks(const Factors& largest, ExampleShape shape) {
  std::vector<Factors> out;
  for (Index rank = (shape.d + largest.m - 1) / largest.m;
       with_biases(rank, shape) < std::max(largest.form, largest.value); rank *= 2)
    out.push_back(
        {largest.m, std::min(rank, largest.form), std::min(with_biases(rank, shape), largest.value)});
  out.push_back(largest);
  return out;
}

std::int64_t examples_for(const Factors& factors, ExampleShape shape, double oversampling,
                          std::int64_t floor) {
  const std::int64_t to_stand_out = (shape.d * factors.m + shape.k - 1) / shape.k;
  return examples_for(std::max({counting_bound(factors, shape.d, shape.k),
                                pattern_bound(factors, shape.d, shape.k), to_stand_out}),
                      oversampling, floor);
}

std::vector<std::int64_t> first_order_examples(const Factors& factors, ExampleShape shape, double times,
                                               std::int64_t fitted, std::int64_t allowed) {
  constexpr double share = 36;
  const double of_heads = static_cast<double>(shape.d * shape.d * factors.m),
               of_tokens =
                   static_cast<double>(shape.k) / static_cast<double>(std::max<Index>(shape.k - 1, 1)),
               wanted = times * of_heads * of_tokens / share;
  std::vector<std::int64_t> out;
  for (const double part : {64, 16, 4, 1}) {
    const double read = std::min(wanted, std::max(2.0 * static_cast<double>(fitted), wanted / part));
    const auto examples = std::min(allowed, std::max(fitted, static_cast<std::int64_t>(std::ceil(read))));
    if (!out.empty() && examples < 2 * out.back()) out.pop_back();
    out.push_back(examples);
  }
  return out;
}

FactoredStarts::FactoredStarts(const Run& run, const Factors& factors,
                               const std::vector<std::int64_t>& examples, double norm, Stream stream)
    : factors_(factors), norm_(norm), stream_(std::move(stream)) {
  Index standing_out = 0;
  for (std::size_t i = 0; i < examples.size() && (standing_out < factors.m || far_from_linear_); ++i)
    run.recorder.phase("first_order", examples[i], [&](Phase& phase) {
      const Index d = run.d(), computed = factors.m + computed_beyond;
      const std::int64_t others = others_of(examples[i]), read = examples[i] - others;
      const FirstOrder map({run.source, 0, read}, computed, usual_products, run.context);
      const FirstOrder fresh({run.source, read, others}, computed, 0, run.context, &map);
      const LeadingHeads leading = leading_heads(map, d, computed, stream_);
      HeadsSeen found =
          low_rank_heads({map, fresh, map.w_sum()}, leading.forms, factors, stream_, run.context.stop);
      heads_ = std::move(found.inner);
      standing_out = found.standing_out;
      phase.add("standing_out", static_cast<double>(standing_out));
      const double left = scale_heads(read_blocks(run.source, read, others, run.context), run.context.stop);
      far_from_linear_ = standing_out == factors.m && left > most_left;
      phase.add("left", left);
    });
}

Stacked FactoredStarts::start(int start, const std::vector<Block>& training, const StopToken& stop) const {
  if (start == 0) return with_outputs(training, heads_, stop).parameters();
  const auto item = static_cast<std::uint64_t>(factors_.m * 1000 + start);
  return with_outputs(training, random_inner(stream_, item, factors_, training.front().d(), norm_), stop)
      .parameters();
}

FactoredSquares FactoredStarts::with_outputs(const std::vector<Block>& training, const Matrix& inner,
                                             const StopToken& stop) const {
  Stacked parameters = Stacked::Zero(factors_.rows(), inner.cols());
  parameters.topRows(inner.rows()) = inner;
  return {training, factors_, parameters, 0, stop, Outputs::fitted};
}

double FactoredStarts::scale_heads(const std::vector<Block>& judging, const StopToken& stop) {
  Matrix best;
  double least = std::numeric_limits<double>::infinity();
  for (const double factor : {1.0, 2.0, 4.0}) {
    Matrix inner = heads_;
    inner.topRows(2 * factors_.m * factors_.form) *= std::sqrt(factor * norm_);
    const double error = with_outputs(judging, inner, stop).relative_error();
    if (error < least || best.size() == 0) best = std::move(inner), least = error;
  }
  heads_ = std::move(best);
  return least;
}

double first_order_bytes(const PassShape& shape, const Factors& factors, std::int64_t examples) {
  PassShape computed = shape;
  computed.m = factors.m + computed_beyond;
  return FirstOrder::bytes(computed, examples, usual_products) +
         FirstOrder::bytes(computed, others_of(examples), 0) +
         std::max(leading_heads_bytes(shape.d, computed.m) + low_rank_heads_bytes(factors, shape.d),
                  example_bytes(shape.d, shape.k, others_of(examples)) +
                      factored_start_bytes(shape, factors, others_of(examples)));
}

// A product of whole matrices in single precision is half of a pass, of which single precision takes half.
double first_order_seconds(ExampleShape shape, const Factors& factors, std::int64_t examples) {
  constexpr double passes = usual_products / 4.0;
  return passes * pass_seconds(shape.d, shape.k, factors.m + computed_beyond, static_cast<double>(examples));
}

double factored_start_bytes(const PassShape& shape, const Factors& factors, std::int64_t examples) {
  constexpr double starts = 5;  // with the heads of first order
  const FactoredSquares::Bytes squares = FactoredSquares::bytes(shape, factors, examples, 0);
  return squares.itself + squares.work + starts * 8 * static_cast<double>(factors.rows() * shape.d);
}

}  // namespace hardhead::learner
