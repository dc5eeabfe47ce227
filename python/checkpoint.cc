#include <fmt/format.h>

#include <memory>

#include "attention/files/model.h"
#include "python/bindings.h"

namespace hardhead::python {
namespace {

using attention::Index;
using attention::Model;
using attention::ModelLayer;

std::unique_ptr<Model> load_checkpoint(const std::string& path, const std::optional<std::string>& arch,
                                       std::optional<Index> num_heads, Index offset) {
  return std::make_unique<Model>(
      path, attention::ModelOptions{.architecture = arch.value_or(""), .heads = num_heads, .offset = offset});
}

ModelLayer read_layer_of(const Model& model, Index number) {
  const py::gil_scoped_release release;
  return model.layer(number);
}

}  // namespace

void bind_checkpoint(py::module_& module) {
  Record<ModelLayer>(module, "ModelLayer", "An attention layer of a model as a layer of heads.")
      .field("layer", &ModelLayer::layer)
      .field("has_constant_feature", &ModelLayer::has_constant_feature)
      .field("heads", &ModelLayer::heads)
      .field("key_value_heads", &ModelLayer::key_value_heads)
      .field("head_size", &ModelLayer::head_size)
      .field("notes", &ModelLayer::notes);

  py::class_<Model>(module, "Checkpoint",
                    "A trained model whose attention layers are read when they are asked for.")
      .def_property_readonly("architecture", [](const Model& model) { return model.architecture().name; })
      .def_property_readonly("layers", &Model::layers, "their numbers")
      .def("layer", &read_layer_of, "number"_a, "Attention layer `number`.")
      .def("__repr__", [](const Model& model) {
        return fmt::format("Checkpoint(architecture='{}', layers={})", model.architecture().name,
                           model.layers().size());
      });
  module.def("load_checkpoint", &load_checkpoint, "path"_a, py::kw_only(), "arch"_a = py::none(),
             "num_heads"_a = py::none(), "offset"_a = 0,
             "Opens a safetensors file, an index of several, or their folder; reads headers only.");
}

}  // namespace hardhead::python
