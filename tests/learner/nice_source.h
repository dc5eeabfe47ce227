#pragma once
#include <stdexcept>

#include "attention/samples/sample_source.h"
#include "base/error.h"
#include "hardness/families/family.h"
#include "learner/method.h"
#include "learner/objective/blocks.h"
#include "learner/objective/linear_w.h"

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

/// Its first `count` examples.
inline attention::Block block_of(const NiceSource& nice, attention::Index count) {
  attention::Block block(nice.source.d(), nice.source.k(), count);
  nice.source.read(0, block);
  return block;
}

/// What the learner that `method` names makes of the examples.
inline Report run(const std::string& method, const NiceSource& nice, const Task& task = {},
                  const RunContext& context = {}) {
  return learn(Spec::parse(method), nice.source, task, context);
}

/// Error on examples far beyond any that a learner may have read; 1, that of predicting 0, without a layer.
inline double fresh_error(const NiceSource& nice, const Report& report) {
  if (!report.layer) return 1;
  return relative_error(read_blocks(nice.source, 50'000'000, 2000, {}), *report.layer);
}

/// The phase of a report that has this name.
inline const Phase& phase(const Report& report, const std::string& name) {
  for (const Phase& candidate : report.phases)
    if (candidate.name == name) return candidate;
  throw std::out_of_range(name);
}

/// What was measured in it under this name.
inline double measure(const Phase& phase, const std::string& name) {
  for (const auto& [label, value] : phase.measures)
    if (label == name) return value;
  throw std::out_of_range(name);
}

/// All learners by examples.
inline std::vector<Method> methods_by_examples() {
  std::vector<Method> out;
  for (const Method& method : methods())
    if (!asks_values(method.access)) out.push_back(method);
  return out;
}

}  // namespace hardhead::learner::testing
