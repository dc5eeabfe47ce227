#include "attention/files/data_file.h"
#include "attention/files/layer_file.h"
#include "base/error.h"
#include "tests/fuzz/target.h"

namespace hardhead::fuzz {
namespace {

using namespace attention;

void read_tensors(const std::string& path) {
  const SafetensorsFile file(path);
  for (const auto& [name, tensor] : file.tensors()) {
    if (!is_real(tensor.dtype) && tensor.dtype != DType::i8) continue;
    const auto count = static_cast<std::int64_t>(tensor.bytes.size()) / size_of(tensor.dtype);
    for (std::int64_t i = 0; i < count; ++i) SafetensorsFile::element(tensor, i);
  }
}

void read_layer_of(const Folder& folder, const std::string& path) {
  try {
    const SafetensorsFile file(path);
    const Layer layer = read_layer(file);
    write_layer(folder.path("again"), layer, file.metadata());
    require(content_digest(read_layer(folder.path("again"))) == content_digest(layer),
            "a layer comes back as it was");
  } catch (const Error&) {
  }
}

}  // namespace

void read(std::string_view bytes) {
  static const Folder folder;
  const std::string path = folder.write("file", bytes);
  read_tensors(path);
  read_layer_of(folder, path);
  const FileSource data(path);
  write_data(folder.path("again"), data, data.size(), data.metadata(), {});
  const FileSource again(folder.path("again"));
  require(content_digest(again, again.size(), {}) == content_digest(data, data.size(), {}),
          "examples come back as they were");
}

}  // namespace hardhead::fuzz
