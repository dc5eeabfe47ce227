#pragma once
#include <memory>
#include <string>

#include "attention/layer/layer.h"
#include "attention/samples/sample_source.h"
#include "base/statistics/binomial_interval.h"
#include "hardness/families/instance.h"
#include "python/bindings.h"
#include "study/problem/source.h"

/// What several floors' bindings hand to each other.
namespace hardhead::python {

/// Examples as Python holds them.
struct Samples {
  std::shared_ptr<const attention::SampleSource> source;
};

/// Examples in NumPy arrays x, y [N, k, d]. int8 (x only) and float64 are read where they lie, whatever their
/// strides; numbers of other types are copied as float64.
Samples samples_of_arrays(const py::object& x, const py::object& y, const std::optional<std::string>& inputs);

/// What Python may name where examples are expected: a spec or a file, an instance, a layer, examples, arrays
/// (x, y).
struct SourceArgument {
  std::variant<std::string, Spec, hardness::Instance, attention::Layer, Samples,
               std::pair<py::object, py::object>>
      value{};
};
/// Tokens of an example of a layer, where nobody says how many: those of the families.
inline constexpr attention::Index usual_tokens = 2;
/// The source; `label` is what tables call one that has no name of its own. A layer has Boolean inputs of
/// usual_tokens tokens.
study::Source source_of(const SourceArgument& argument, const std::string& label = {});

/// A learner with its options.
Spec learner_of(const SpecOrText& method);

/// (low, high), or None.
std::optional<std::pair<double, double>> ends(const std::optional<statistics::Interval>& interval);

}  // namespace hardhead::python

namespace pybind11::detail {

/// All of these, and a pathlib.Path.
template <>
struct type_caster<hardhead::python::SourceArgument> {
  PYBIND11_TYPE_CASTER(hardhead::python::SourceArgument, const_name("source"));
  bool load(handle given, bool convert);
};

}  // namespace pybind11::detail
