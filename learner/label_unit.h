#pragma once
#include "attention/samples/sample_source.h"
#include "learner/attention_names.h"
#include "learner/report.h"

namespace hardhead::learner {

/// The power of two in which a learner is given the labels of a source: 1 where the root mean square of the
/// first examples' labels is within 1e-6 .. 1e6, or 0, and the power of two at or below it elsewhere. A layer
/// is linear in its W_i, so a learner of labels of 1e25 would only need other steps, and products in single
/// precision would overflow.
double label_unit(const SampleSource& source);

/// Examples of another source, whose labels are divided by a power of two. The other source must outlive it.
class LabelsInUnits final : public SampleSource {
 public:
  /// Keeps a reference to `source`.
  LabelsInUnits(const SampleSource& source, double unit) : source_(source), unit_(unit) {}
  Index d() const override { return source_.d(); }
  Index k() const override { return source_.k(); }
  Inputs inputs() const override { return source_.inputs(); }
  std::int64_t size() const override { return source_.size(); }
  void read(std::int64_t first, Block& block) const override;
  void pick(std::span<const std::int64_t> examples, Block& block) const override;

 private:
  const SampleSource& source_;
  double unit_;
};

/// The report of a learner that was given labels in this unit, in the labels' own: layers, what phases
/// estimated, and predictions.
void in_own_units(Report& report, double unit);

}  // namespace hardhead::learner
