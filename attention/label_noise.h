#pragma once
#include <memory>

#include "attention/sample_source.h"

namespace hardhead::attention {

/// Noise on labels of a kind of its own: wrong labels rather than Gaussian noise on entries (NoisySource).
class LabelNoise {
 public:
  virtual ~LabelNoise() = default;
  /// Changes the labels of examples first .. first + block.count - 1; example n's noise is a function of item n of the
  /// stream. Safe to call from several threads at once.
  virtual void apply(std::int64_t first, const Stream& noise, Block& block) const = 0;
};

/// Another source's examples with such noise.
class WrongLabelSource final : public SampleSource {
 public:
  /// `law` changes the labels of `source` by the numbers of `noise`.
  WrongLabelSource(std::shared_ptr<const SampleSource> source, std::shared_ptr<const LabelNoise> law,
                   Stream noise);
  Index d() const override { return source_->d(); }
  Index k() const override { return source_->k(); }
  Inputs inputs() const override { return source_->inputs(); }
  std::int64_t size() const override { return source_->size(); }
  void read(std::int64_t first, Block& block) const override;

 private:
  std::shared_ptr<const SampleSource> source_;
  std::shared_ptr<const LabelNoise> law_;
  Stream noise_;
};

}  // namespace hardhead::attention
