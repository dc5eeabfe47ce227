#include <fmt/format.h>

#include <memory>

#include "attention/files/embeddings.h"
#include "attention/files/model.h"
#include "python/samples.h"

namespace hardhead::python {

template <>
struct Members<attention::ModelLayer> {
  using T = attention::ModelLayer;
  static constexpr auto list = std::tuple(&T::layer, &T::has_constant_feature, &T::heads, &T::key_value_heads,
                                          &T::head_size, &T::notes);
};

namespace {

using attention::Model;
using attention::ModelLayer;

std::shared_ptr<Model> load_checkpoint(const Path<>& path, const std::optional<Text<"arch">>& arch,
                                       const std::optional<Text<"prefix">>& prefix,
                                       std::optional<Whole<"num_heads">> num_heads,
                                       Integer<"offset"> offset) {
  const attention::ModelOptions options{.architecture = value_of(arch).value_or(""),
                                        .prefix = value_of(prefix).value_or(""),
                                        .heads = value_of(num_heads),
                                        .offset = offset};
  return interruptibly([&](const RunContext&) { return std::make_shared<Model>(path.value, options); });
}

ModelLayer read_layer_of(const Model& model, Integer<"number"> number) {
  return interruptibly([&](const RunContext&) { return model.layer(number); });
}

/// Examples keep the model that they are read from.
struct ModelSamples {
  std::shared_ptr<const Model> model;
  attention::EmbeddingSource source;
};

Samples samples_of_model(const std::shared_ptr<const Model>& model, Integer<"number"> number, Tokens tokens,
                         Seed<> seed) {
  const auto owned = interruptibly([&](const RunContext&) {
    return std::make_shared<ModelSamples>(model, attention::EmbeddingSource(*model, number, tokens, seed));
  });
  return {std::shared_ptr<const attention::SampleSource>(owned, &owned->source)};
}

}  // namespace

void bind_checkpoint(py::module_& module) {
  Record<ModelLayer>(module, "ModelLayer", "An attention layer of a model as a layer of heads.")
      .field("layer", &ModelLayer::layer)
      .field("has_constant_feature", &ModelLayer::has_constant_feature)
      .field("heads", &ModelLayer::heads)
      .field("key_value_heads", &ModelLayer::key_value_heads)
      .field("head_size", &ModelLayer::head_size)
      .field("notes", &ModelLayer::notes)
      .pickled();

  py::class_<Model, std::shared_ptr<Model>>(
      module, "Checkpoint", "A trained model whose attention layers are read when they are asked for.")
      .def_property_readonly("architecture", [](const Model& model) { return model.architecture().name; })
      .def_property_readonly("layers", &Model::layers, "their numbers")
      .def("layer", &read_layer_of, "number"_a,
           "Attention layer `number` with its norm and its biases folded in. Throws InputError naming file "
           "and tensor.")
      .def("samples", &samples_of_model, "number"_a, "tokens"_a, "seed"_a = 1,
           "Examples of that layer on what the model's first one is given: embeddings of random sequences of "
           "its vocabulary, as many tokens each, behind the norm.")
      .def("__repr__", [](const Model& model) {
        return fmt::format("Checkpoint(architecture='{}', layers={})", model.architecture().name,
                           model.layers().size());
      });
  module.def(
      "load_checkpoint", &load_checkpoint, "path"_a, py::kw_only(), "arch"_a = py::none(),
      "prefix"_a = py::none(), "num_heads"_a = py::none(), "offset"_a = 0,
      "Opens a safetensors file, an index of several, or their folder, and the config.json beside it; reads "
      "headers only. `arch` overrules what the names of the tensors say, `prefix` one of several parts "
      "(as \"encoder\"), `num_heads` overrules what config.json says; "
      "`offset` is between the positions of two tokens in models with rotary embeddings. Throws InputError "
      "naming file and tensor.");
}

}  // namespace hardhead::python
