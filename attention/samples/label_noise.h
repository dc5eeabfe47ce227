#pragma once
#include <memory>

#include "attention/samples/sample_source.h"

namespace hardhead::attention {

/// A law of noise on labels.
class LabelNoise {
 public:
  virtual ~LabelNoise() = default;
  /// Changes the labels of examples first .. first + block.count - 1; example n's noise is a function of item
  /// n of the stream, whatever block it is read in. Safe to call from several threads at once.
  virtual void apply(std::int64_t first, const Stream& noise, Block& block) const = 0;
};

/// Gaussian noise: entry (a, f) of example n, token by token, gets sigma times number a*d + f of item n.
class GaussianNoise final : public LabelNoise {
 public:
  /// sigma: standard deviation, in the labels' units.
  explicit GaussianNoise(double sigma) : sigma_(sigma) {}
  void apply(std::int64_t first, const Stream& noise, Block& block) const override;

 private:
  double sigma_;
};

/// Another source's examples with noise on their labels.
class NoisySource final : public SampleSource {
 public:
  /// `law` changes the labels of `source` by the numbers of `noise`.
  NoisySource(std::shared_ptr<const SampleSource> source, std::shared_ptr<const LabelNoise> law,
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
