#pragma once
#include <utility>

#include "attention/samples/sample_source.h"

namespace hardhead::learner::testing {

/// Examples of another source with every token x as `map` x.
class MappedSource final : public attention::SampleSource {
 public:
  MappedSource(const attention::SampleSource& source, attention::Matrix map)
      : source_(source), map_(std::move(map)) {}
  attention::Index d() const override { return source_.d(); }
  attention::Index k() const override { return source_.k(); }
  attention::Inputs inputs() const override { return attention::Inputs::gaussian; }
  std::int64_t size() const override { return source_.size(); }
  void read(std::int64_t first, attention::Block& block) const override {
    source_.read(first, block);
    block.x = (map_ * block.x).eval();
  }

 private:
  const attention::SampleSource& source_;
  attention::Matrix map_;
};

}  // namespace hardhead::learner::testing
