#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "attention/files/model.h"

namespace hardhead::app {

/// What a checkpoint holds, by its headers alone: architecture, attention layers, files with their tensors.
std::string checkpoint_text(const attention::Model& model);
/// The same.
nlohmann::ordered_json checkpoint_json(const attention::Model& model);

}  // namespace hardhead::app
