#pragma once
#include "attention/sample_source.h"
#include "base/error.h"
#include "hardness/family.h"

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

}  // namespace hardhead::learner::testing
