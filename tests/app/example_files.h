#pragma once
#include <cmath>
#include <string>
#include <vector>

#include "attention/files/safetensors.h"
#include "tests/scratch_folder.h"

/// The files that the examples of commands speak of.
namespace hardhead::app {

/// A checkpoint of two encoder layers of PyTorch's, without biases, with d = 4.
inline void write_model(const std::string& path) {
  using attention::DType;
  attention::SafetensorsWriter writer(path,
                                      {{"layers.0.self_attn.in_proj_weight", DType::f32, {12, 4}},
                                       {"layers.0.self_attn.out_proj.weight", DType::f32, {4, 4}},
                                       {"layers.1.self_attn.in_proj_weight", DType::f32, {12, 4}},
                                       {"layers.1.self_attn.out_proj.weight", DType::f32, {4, 4}}},
                                      {});
  for (std::size_t t = 0; t < 4; ++t) {
    std::vector<double> numbers(t % 2 == 0 ? 48 : 16);
    for (std::size_t n = 0; n < numbers.size(); ++n)
      numbers[n] = std::sin(static_cast<double>(7 * t + n * n));
    writer.write(t, 0, numbers);
  }
  writer.commit();
}

/// A checkpoint and a plan of a sweep.
inline void write_example_files(const ScratchFolder& folder) {
  write_model(folder.path("model.safetensors"));
  folder.write("study.toml", "[[grid]]\nsource = 'nice:d=8,k=2'\nmethod = 'gauss-newton'\nexamples = 1000\n");
}

}  // namespace hardhead::app
