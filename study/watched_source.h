#pragma once
#include <string>

#include "attention/sample_source.h"
#include "base/run_control.h"

namespace hardhead::study {

/// Another source whose every read polls a run control: long passes over its examples 0 .. count - 1 can be
/// stopped (read() throws Stopped) and show how far they are. Both must outlive it.
class WatchedSource final : public attention::SampleSource {
 public:
  WatchedSource(const attention::SampleSource& source, std::int64_t count, const RunControl& control,
                std::string phase)
      : source_(source), count_(count), control_(control), phase_(std::move(phase)) {}
  attention::Index d() const override { return source_.d(); }
  attention::Index k() const override { return source_.k(); }
  attention::Inputs inputs() const override { return source_.inputs(); }
  std::int64_t size() const override { return source_.size(); }
  void read(std::int64_t first, attention::Block& block) const override {
    control_.check();
    if (first % (1 << 16) == 0)
      control_.progress(phase_, static_cast<double>(first) / static_cast<double>(count_));
    source_.read(first, block);
  }

 private:
  const attention::SampleSource& source_;
  std::int64_t count_;
  const RunControl& control_;
  std::string phase_;
};

}  // namespace hardhead::study
