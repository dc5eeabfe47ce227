#include "study/run/likely_cause.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "attention/samples/reduce_blocks.h"
#include "base/error.h"
#include "base/statistics/median.h"
#include "base/text/number.h"
#include "hardness/families/nice_layer.h"
#include "hardness/niceness/niceness.h"
#include "study/run/phase_measures.h"
#include "study/run/test_error.h"

namespace hardhead::study {
namespace {

using attention::Block;
using attention::Index;
using hardness::Condition;

constexpr double least_factor = 1.8, by_far = 1e6;

std::map<std::string, double> shortfalls(const attention::Layer& layer, Index k, const RunContext& context) {
  std::map<std::string, double> out;
  for (const Condition& c : hardness::certify_worst(layer, k, {}, context.stop).conditions)
    if (c.counts && c.status != hardness::ConditionStatus::not_applicable)
      out[c.name] = c.at_least ? 1 / c.constant_at_flip : c.constant_at_flip;
  return out;
}

/// Are all Theta_i that are not 0 multiples of one matrix, and not all the same?
bool have_one_direction(const attention::Layer& layer) {
  constexpr double rounding = 1e-12;
  const attention::Matrix* first = nullptr;
  bool differ = false;
  for (const attention::Head& head : layer.heads) {
    const double norm = head.theta.norm();
    if (norm == 0) continue;
    if (first == nullptr) {
      first = &head.theta;
      continue;
    }
    const double along = first->cwiseProduct(head.theta).sum() / first->squaredNorm();
    if ((head.theta - along * *first).norm() > rounding * norm) return false;
    differ = differ || std::abs(along - 1) > rounding;
  }
  return differ;
}

/// Squared distance of each example's labels from the answers.
std::vector<double> distances(const attention::SampleSource& source, std::int64_t count,
                              const Answers& answers, const RunContext& context) {
  std::vector<double> out(static_cast<std::size_t>(count));
  const auto add = [&](int&, std::int64_t first, Block& block) {
    const attention::RowMatrix labels = block.y;
    answers(first, block);
    for (Index n = 0; n < block.count; ++n)
      for (Index a = 0; a < block.k; ++a) {
        const Index at = block.column(a, n);
        out[static_cast<std::size_t>(first + n)] += (labels.col(at) - block.y.col(at)).squaredNorm();
      }
  };
  attention::reduce_blocks({source, 0, count}, Reduction{0, add, [](int&, int) {}}, context, "labels");
  return out;
}

/// Those of all examples of a problem: to learn from, and held back.
std::vector<double> distances(const Problem& problem, const Answers& answers, const RunContext& context) {
  std::vector<double> out = distances(*problem.training, problem.training->size(), answers, context);
  const std::vector<double> held_back =
      distances(*problem.test, std::min(problem.test_count, problem.test->size()), answers, context);
  out.insert(out.end(), held_back.begin(), held_back.end());
  return out;
}

void find_outliers(LabelFaults& faults, const std::vector<double>& squares) {
  constexpr std::size_t one_in = 100;
  constexpr double rounding = 1e-24;  // squared: where all others fit exactly
  faults.examples = std::ssize(squares);
  const double largest = std::ranges::max(squares);
  if (!(largest > 0)) return;
  const double median = std::max(statistics::median(squares), rounding * largest);
  const auto distance = [&](std::int64_t n) {
    return std::sqrt(squares[static_cast<std::size_t>(n)] / median);
  };
  std::vector<std::int64_t> far;
  for (std::int64_t n = 0; n < faults.examples; ++n)
    if (distance(n) >= LabelFaults::far_off) far.push_back(n);
  if (far.empty() || far.size() * one_in > squares.size()) return;
  std::ranges::stable_sort(far, std::greater(), distance);
  faults.farthest = distance(far.front());
  faults.outliers = std::move(far);
}

/// The constant's share of the labels' mean square; 0 where it is within five standard errors of 0.
double constant_share(const Problem& problem, const RunContext& context) {
  constexpr double standard_errors = 5;
  const std::int64_t examples = problem.training->size();
  const double rms = label_rms(*problem.training, examples, context);
  const double share =
      problem.null_affine->coefficients.row(0).squaredNorm() / (rms * rms * static_cast<double>(problem.d));
  const auto features = static_cast<double>(1 + 2 * problem.d),
             rows = static_cast<double>(examples * problem.k);
  return share > standard_errors * standard_errors * problem.null_error * features / rows ? share : 0;
}

}  // namespace

std::string LikelyCause::str() const {
  if (!factor) return condition;
  return condition == label_noise ? fmt::format("{} ({:.3g})", condition, *factor)
                                  : fmt::format("{} ({:.2g})", condition, *factor);
}

LikelyCause LikelyCause::parse(const std::string& text) {
  const std::size_t space = text.find(" (");
  LikelyCause out{text.substr(0, space)};
  if (space == std::string::npos) return out;
  const std::string in_brackets = text.substr(space + 2, text.size() - space - 3);
  out.factor = text.ends_with(')') ? whole_number<double>(in_brackets) : std::nullopt;
  if (!out.factor)
    throw InputError(
        fmt::format("likely cause '{}': a condition and its factor in brackets are expected", text));
  return out;
}

std::optional<LikelyCause> noise_cause(const Problem& problem) {
  if (!problem.truth || !problem.instance) return std::nullopt;
  if (problem.instance->label_noise > 0)
    return LikelyCause{LikelyCause::label_noise, problem.instance->label_noise};
  if (problem.instance->wrong_labels) return LikelyCause{LikelyCause::label_noise};
  return std::nullopt;
}

std::optional<LikelyCause> hard_cause(const Problem& problem) {
  if (!problem.truth) return std::nullopt;
  if (auto noise = noise_cause(problem)) return noise;
  if (problem.truth->network) return LikelyCause{LikelyCause::network};
  if (w_sum_vanishes(*problem.truth)) return LikelyCause{LikelyCause::w_sum_zero};
  if (have_one_direction(*problem.truth)) return LikelyCause{LikelyCause::identical_directions};
  return std::nullopt;
}

std::optional<LikelyCause> likely_cause(const Problem& problem, const RunContext& context) {
  if (!problem.truth) return std::nullopt;
  if (auto hard = hard_cause(problem)) return hard;
  const auto usual =
      shortfalls(hardness::nice_layer(
                     {.d = problem.d, .m = problem.truth->m(), .theta_norm = 2, .w_norm = 1, .seed = 1}),
                 problem.k, context);
  std::optional<LikelyCause> cause;
  double largest = least_factor;
  for (const auto& [name, shortfall] : shortfalls(*problem.truth, problem.k, context)) {
    const auto reference = usual.find(name);
    const double factor = shortfall / std::max(1.0, reference == usual.end() ? 1.0 : reference->second);
    if (!(factor > largest)) continue;
    largest = factor;
    cause = LikelyCause{name, factor > by_far ? std::nullopt : std::optional(factor)};
  }
  return cause;
}

double likely_cause_bytes(Index d, Index m) {
  // A nice layer, the certificate's copy of a layer, and in each thread a few matrices.
  return attention::layer_bytes(d, 2 * m) + threads() * attention::layer_bytes(d, 4);
}

std::string LabelFaults::str() const {
  std::vector<std::string> out;
  if (has_constant())
    out.push_back(fmt::format(
        "The labels have a constant part ({:.2g} of their mean square). A layer has none unless a feature of "
        "its tokens is constant: subtract the mean of y; or append a feature that is always 1 to x and one "
        "that is always 0 to y, with inputs = gaussian+1 or boolean+1 in the file's metadata.",
        constant_share));
  if (!outliers.empty()) {
    constexpr std::size_t most = 5;
    const std::size_t shown = std::min(most, outliers.size());
    const std::vector<std::int64_t> first(outliers.begin(),
                                          outliers.begin() + static_cast<std::ptrdiff_t>(shown));
    out.push_back(fmt::format(
        "{} of {} examples {} far off: number {}{}, counted from 0. The labels of the first are {:.0f} times "
        "as far from what fits the others as those of the median example.",
        outliers.size(), examples, outliers.size() == 1 ? "is" : "are", fmt::join(first, ", "),
        outliers.size() > shown ? ", .." : "", farthest));
  }
  return fmt::format("{}", fmt::join(out, " "));
}

std::optional<LikelyCause> LabelFaults::cause() const {
  if (!outliers.empty()) return LikelyCause{LikelyCause::outliers, farthest};
  if (has_constant()) return LikelyCause{LikelyCause::constant_labels, constant_share};
  return std::nullopt;
}

LabelFaults label_faults(const Problem& problem, const attention::Layer* layer, RunContext context) {
  LabelFaults out;
  if (problem.instance != nullptr || problem.training->size() == attention::SampleSource::unlimited)
    return out;
  context.communicator = nullptr;  // each rank has all distances
  context.progress = {};
  if (problem.null_affine) {
    out.constant_share = constant_share(problem, context);
    const auto affine = [&](std::int64_t, Block& block) {
      block.y = predictions(*problem.null_affine, block);
    };
    find_outliers(out, distances(problem, affine, context));
  }
  if (layer == nullptr || !out.outliers.empty()) return out;
  find_outliers(out, distances(problem, answers_of(*layer), context));
  return out;
}

}  // namespace hardhead::study
