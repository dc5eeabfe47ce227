#pragma once
#include "attention/sample_source.h"
#include "base/error.h"
#include "hardness/family.h"
#include "learner/blocks.h"
#include "learner/learner.h"
#include "learner/linear_w.h"

namespace hardhead::learner::testing {

/// A small nice instance and its stream of training examples.
struct NiceSource {
  hardness::Instance instance;
  attention::SimulatedSource source;

  explicit NiceSource(const std::string& spec)
      : instance(hardness::make_instance(Spec::parse(spec))),
        source(instance.teacher, instance.layer.d, instance.k, instance.inputs,
               Stream(Domain::samples, 1, instance.digest)) {}

  const attention::Layer& layer() const { return instance.layer; }
};

/// What the learner that `method` names makes of the examples.
inline Report run(const std::string& method, const NiceSource& nice, const Task& task = {},
                  const RunControl& control = {}) {
  return learn(Spec::parse(method), nice.source, task, control, nullptr);
}

/// Error on examples far beyond any that a learner may have read; 1, that of predicting 0, without a layer.
inline double fresh_error(const NiceSource& nice, const Report& report) {
  if (!report.layer) return 1;
  return relative_error(read_blocks(nice.source, 50'000'000, 2000, {}), *report.layer);
}

}  // namespace hardhead::learner::testing
