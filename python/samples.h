#pragma once
#include <memory>
#include <string>

#include "attention/layer/layer.h"
#include "attention/samples/sample_source.h"
#include "python/bindings.h"

/// What several floors' bindings hand to each other.
namespace hardhead::python {

/// Examples as Python holds them.
struct Samples {
  std::shared_ptr<const attention::SampleSource> source;
};

/// Examples in NumPy arrays x, y [N, k, d]. int8 (x only) and float64 are read where they lie, whatever their
/// strides; numbers of other types are copied as float64.
Samples samples_of_arrays(const py::object& x, const py::object& y, const std::optional<std::string>& inputs);

}  // namespace hardhead::python
