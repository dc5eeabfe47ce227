#include "hardness/gadget/switch_gadget.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/run/parallel.h"
#include "hardness/gadget/certified_rounding.h"

namespace hardhead::hardness {
namespace {

using attention::Block;
using attention::ExactLayer;
using attention::Index;
using attention::Matrix;
using Place = std::pair<Index, Index>;

/// The label of feature 0 for each level (h = 0 .. H with the switch on, last: switch off) and each sign of
/// x_{r,j0}. Every entry was rounded on its own; labelling only selects.
class SwitchTeacher final : public attention::Teacher {
 public:
  SwitchTeacher(std::vector<std::int64_t> s, Index switch_coordinate, const SwitchLabels& labels)
      : d_(static_cast<Index>(s.size())),
        switch_coordinate_(switch_coordinate),
        s_(std::move(s)),
        off_(std::ssize(labels.on)) {
    for (const double level : labels.on) add_level(level);
    add_level(labels.off);
  }

  attention::Labelled labelled() const override { return {.boolean_only = true, .tokens = 2}; }

  void label(Block& block) const override {
    if (block.k != 2 || block.d() != d_)
      throw InputError(
          fmt::format("switch gadget: a block of k={} tokens of {} features; this teacher labels k=2 of {}",
                      block.k, block.d(), d_));
    const Index count = block.count;
    std::vector<std::int64_t> level(static_cast<std::size_t>(count), 0);
    for (Index f = 0; f < d_; ++f) {
      const std::int64_t s = s_[static_cast<std::size_t>(f)];
      if (s == 0) continue;
      const double *first = block.x.row(f).data(), *second = first + count;
      for (Index n = 0; n < count; ++n)
        level[static_cast<std::size_t>(n)] += first[n] == second[n] ? std::int64_t{0} : s;
    }
    const double* x = block.x.row(switch_coordinate_).data();
    for (Index n = 0; n < count; ++n)
      if (x[n] == x[count + n]) level[static_cast<std::size_t>(n)] = off_;

    block.y.setZero();
    double* y = block.y.row(0).data();
    for (Index r = 0; r < 2; ++r)
      for (Index n = 0; n < count; ++n)
        y[r * count + n] = labels_[static_cast<std::size_t>(level[static_cast<std::size_t>(n)])]
                                  [x[r * count + n] < 0 ? 1 : 0];
  }

 private:
  /// Rounding is symmetric, and 0.0 - 0.0 is +0.0.
  void add_level(double value) { labels_.push_back({value, 0.0 - value}); }

  Index d_, switch_coordinate_;
  std::vector<std::int64_t> s_;
  std::int64_t off_;
  std::vector<std::array<double, 2>> labels_;
};

struct StepsOffset {
  const StepWeights& steps;
  std::int64_t base;
  const Rational& a;
};

template <class Real>
Real real(const Rational& x) {
  return Real(numerator(x)) / Real(denominator(x));
}

template <unsigned decimal_digits>
class SumOfSteps {
  using Real = RealOf<decimal_digits>;
  static constexpr int bits = std::numeric_limits<Real>::digits;

 public:
  explicit SumOfSteps(const StepsOffset& input) : a_(real<Real>(input.a)) {
    const StepWeights& steps = input.steps;
    std::vector<std::size_t> order(steps.weights.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return steps.twice_steps[i]; });
    Rational sum = 0;
    Real size = abs(a_);
    for (const std::size_t i : order) {
      twice_steps_.push_back(steps.twice_steps[i]);
      weights_.push_back(real<Real>(steps.weights[i]));
      above_.push_back(real<Real>(sum));
      sum += steps.weights[i];
      size += 2 * abs(weights_.back());
    }
    above_.push_back(real<Real>(sum));
    far_ = static_cast<long>(std::ceil(bits / std::log2(input.base))) + 1;
    const Real inverse = 1 / Real(input.base);
    Real power = 1;
    for (long u = 0; u <= far_; ++u, power *= inverse) sigma_.push_back(power / (1 + power));
    // far_ <= bits + 2 roundings of a power, a few for each term, and what is left out of each.
    const auto terms = static_cast<long>(weights_.size());
    error_ = ldexp(size * (2 * bits + 8 * terms + 64), -bits);
  }

  /// Of h.
  std::optional<double> item(long h) const {
    const auto place = [&](long twice) {
      return static_cast<std::size_t>(std::ranges::lower_bound(twice_steps_, twice, std::greater()) -
                                      twice_steps_.begin());
    };
    const std::size_t first = place(2 * h + far_), last = place(2 * h - far_);
    Real sum = above_[first];  // there sigma is 1
    for (std::size_t i = first; i < last; ++i) {
      const long u = 2 * h - twice_steps_[i];
      const Real& small = sigma_[static_cast<std::size_t>(std::abs(u))];
      sum += weights_[i] * (u > 0 ? small : Real(1 - small));
    }
    return rounded(Real(a_ - 2 * sum), error_);
  }

 private:
  std::vector<long> twice_steps_;      // the largest first
  std::vector<Real> weights_, above_;  // above_[i]: the sum of the first i weights
  std::vector<Real> sigma_;            // of u: 1 / (1 + B^u)
  long far_ = 0;
  Real a_, error_;
};

/// a - 2 evaluate(steps, base, h) for h = 0 .. h_max, each the nearest double (certified_rounding.h). Only
/// the steps within bits / (2 log2 B) of h are summed: beyond that sigma is 0 or 1 up to 2^-bits, and sums of
/// weights stand for all of them.
std::vector<double> rounded_steps(const StepWeights& steps, std::int64_t base, long h_max,
                                  const Rational& a) {
  return certified_roundings<SumOfSteps>(h_max + 1, StepsOffset{steps, base, a}, [&](long h) {
    return round_to_nearest(a - 2 * evaluate(steps, base, h));
  });
}

bool is_diagonal(const Matrix& matrix) {
  for (Index j = 0; j < matrix.cols(); ++j)
    for (Index i = 0; i < matrix.rows(); ++i)
      if (i != j && matrix(i, j) != 0) return false;
  return true;
}

/// Where the only entry of any W_i that is not 0 stands; empty if there are several places or none.
std::optional<Place> only_entry(const attention::Layer& layer) {
  std::optional<Place> place;
  for (const attention::Head& head : layer.heads)
    for (Index j = 0; j < layer.d; ++j)
      for (Index i = 0; i < layer.d; ++i) {
        if (head.w(i, j) == 0) continue;
        if (place && *place != Place{i, j}) return std::nullopt;
        place = {i, j};
      }
  return place;
}

/// Whether one is a positive multiple of the other, to rounding.
bool are_parallel(const attention::Vector& a, const attention::Vector& b) {
  constexpr double rounding = 1e-14;
  return (a * b.norm() - b * a.norm()).cwiseAbs().maxCoeff() <= rounding * a.norm() * b.norm();
}

}  // namespace

void SwitchGadget::validate() const {
  if (d < 1 || static_cast<Index>(s.size()) != d)
    throw InputError(fmt::format("switch gadget: s has {} entries, d={} (at least 1)", s.size(), d));
  if (base < 2) throw InputError(fmt::format("switch gadget: base={} is less than 2", base));
  if (switch_coordinate < 0 || switch_coordinate >= d)
    throw InputError(
        fmt::format("switch gadget: switch coordinate {} is not in 0 .. {}", switch_coordinate, d - 1));
  if (s[static_cast<std::size_t>(switch_coordinate)] != 0)
    throw InputError(fmt::format("switch gadget: s[{}]={} at the switch coordinate; it must be 0",
                                 switch_coordinate, s[static_cast<std::size_t>(switch_coordinate)]));
  for (std::size_t j = 0; j < s.size(); ++j)
    if (s[j] < 0) throw InputError(fmt::format("switch gadget: s[{}]={} is negative", j, s[j]));
  if (steps.weights.size() != steps.twice_steps.size())
    throw InputError(fmt::format("switch gadget: {} weights for {} steps", steps.weights.size(),
                                 steps.twice_steps.size()));
  if (!steps.values.empty() && static_cast<long>(steps.values.size()) != h_max() + 1)
    throw InputError(fmt::format("switch gadget: steps were fitted on 0 .. {}, but s sums to {}",
                                 static_cast<long>(steps.values.size()) - 1, h_max()));
}

Rational SwitchGadget::weight_sum() const {
  return std::accumulate(steps.weights.begin(), steps.weights.end(), flat_weight);
}

Rational SwitchGadget::g(long h) const {
  const Rational step_part =
      steps.values.empty() ? evaluate(steps, base, h) : steps.values.at(static_cast<std::size_t>(h));
  return step_part + flat_weight / 2;
}

std::vector<double> SwitchGadget::levels(const Rational& a) const {
  const long h_max = this->h_max();
  if (steps.values.empty()) return rounded_steps(steps, base, h_max, a - flat_weight);
  std::vector<double> out;
  for (long h = 0; h <= h_max; ++h) out.push_back(round_to_nearest(a - 2 * g(h)));
  return out;
}

long SwitchGadget::h_max() const {
  return std::accumulate(s.begin(), s.end(), std::int64_t{0});
}

ExactLayer SwitchGadget::exact_layer() const {
  validate();
  ExactLayer layer;
  layer.d = d;
  layer.base = base;
  for (std::size_t i = 0; i < steps.weights.size(); ++i) {
    ExactLayer::Head head;
    for (Index j = 0; j < d; ++j)
      if (s[static_cast<std::size_t>(j)] != 0)
        head.theta.push_back({j, j, 2 * s[static_cast<std::size_t>(j)]});
    head.theta.push_back({switch_coordinate, switch_coordinate, -steps.twice_steps[i]});
    head.w.push_back({switch_coordinate, 0, steps.weights[i]});
    layer.heads.push_back(std::move(head));
  }
  if (flat_weight != 0) layer.heads.push_back({{}, {{switch_coordinate, 0, flat_weight}}});
  return layer;
}

std::shared_ptr<const attention::Teacher> SwitchGadget::teacher() const {
  validate();
  const Rational w = weight_sum();
  return switch_teacher(s, switch_coordinate, {.on = levels(w), .off = round_to_nearest(w)});
}

std::shared_ptr<const attention::Teacher> switch_teacher(std::vector<std::int64_t> s, Index switch_coordinate,
                                                         const SwitchLabels& labels) {
  return std::make_shared<SwitchTeacher>(std::move(s), switch_coordinate, labels);
}

double gadget_bytes(const GadgetSize& size) {
  // A level is a rational in a few lists, some numbers of 1600 bits and two doubles; an entry lies in a list
  // that grows.
  constexpr double level_bytes = 2048, entry_bytes = 64, rational_bytes = 128;
  // A weight is kept by the steps and the layer; while it is made, each thread has products as long as it.
  constexpr double copies = 4, products = 16;
  const double weight = rational_bytes + size.weight_bits / 8;
  return level_bytes * static_cast<double>(size.levels) +
         entry_bytes * static_cast<double>(size.heads * size.entries) +
         (copies * static_cast<double>(size.heads) + products * threads()) * weight;
}

double exact_weight_bits(std::int64_t steps, std::int64_t base) {
  return 2.0 * static_cast<double>(steps * steps) * std::log2(static_cast<double>(base));
}

bool has_gadget_form(const attention::Layer& layer) {
  const std::optional<Place> place = only_entry(layer);
  if (!place || layer.d < 2) return false;
  std::optional<attention::Vector> slopes;  // the diagonal without entry j0, up to a factor
  for (const attention::Head& head : layer.heads) {
    if (!is_diagonal(head.theta)) return false;
    attention::Vector diagonal = head.theta.diagonal();
    if (diagonal.isZero(0)) continue;  // a flat head
    diagonal(place->first) = 0;
    if (slopes && !are_parallel(*slopes, diagonal)) return false;
    slopes = std::move(diagonal);
  }
  return slopes && !slopes->isZero(0);
}

void refuse_gadget_form(const attention::Layer& layer, const std::string& what) {
  if (has_gadget_form(layer))
    throw InputError(fmt::format(
        "{} has the form of a hard one. Labels by a forward pass would write equal levels as several "
        "doubles, and which one tells what is hidden: name the spec of the family, or label by a function",
        what));
}

}  // namespace hardhead::hardness
