#include "learner/label_unit.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace hardhead::learner {
namespace {

// Examples whose labels are looked at.
constexpr std::int64_t looked_at = 64;
// Within a factor of this of 1, labels are as they are: steps of some learners are absolute.
constexpr double usual = 1e6;

Answers times(Answers answers, double unit) {
  return [answers = std::move(answers), unit](std::int64_t first, Block& block) {
    answers(first, block);
    block.y *= unit;
  };
}

void scale(Layer& layer, double unit) {
  for (Head& head : layer.heads) head.w *= unit;
}
void scale(WSumEstimate& estimate, double unit) {
  estimate.value *= unit;
}
void scale(AffineHull&, double) {}

}  // namespace

double label_unit(const SampleSource& source) {
  Block block(source.d(), source.k(), static_cast<Index>(std::min(looked_at, source.size())));
  source.read(0, block);
  const double size = block.y.norm() / std::sqrt(static_cast<double>(block.y.size()));
  const bool as_it_is = !std::isfinite(size) || size == 0 || (size >= 1 / usual && size <= usual);
  return as_it_is ? 1 : std::exp2(std::floor(std::log2(size)));
}

void LabelsInUnits::read(std::int64_t first, Block& block) const {
  source_.read(first, block);
  block.y /= unit_;
}

void LabelsInUnits::pick(std::span<const std::int64_t> examples, Block& block) const {
  source_.pick(examples, block);
  block.y /= unit_;
}

void in_own_units(Report& report, double unit) {
  if (report.layer) scale(*report.layer, unit);
  for (Phase& phase : report.phases)
    for (Estimate& estimate : phase.estimates) std::visit([unit](auto& one) { scale(one, unit); }, estimate);
  if (report.held_back) report.held_back->answers = times(std::move(report.held_back->answers), unit);
  if (report.predictor)
    report.predictor = [inner = std::move(report.predictor), unit](
                           const SampleSource& tokens, std::int64_t count, const RunContext& context) {
      return times(inner(tokens, count, context), unit);
    };
}

}  // namespace hardhead::learner
