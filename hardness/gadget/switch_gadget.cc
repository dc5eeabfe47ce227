#include "hardness/gadget/switch_gadget.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "base/run/parallel.h"
#include "hardness/gadget/rounded_steps.h"

namespace hardhead::hardness {
namespace {

using attention::Block;
using attention::ExactLayer;
using attention::Index;

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

}  // namespace hardhead::hardness
