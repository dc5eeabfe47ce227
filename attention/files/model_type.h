#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "attention/files/architecture.h"

namespace hardhead::attention {

/// What is known of a `model_type` of config.json: whether a row of the table of architectures reads its
/// attention, and with which changes.
struct ModelType {
  std::string name{};                        ///< "mixtral"
  std::vector<std::string> architectures{};  ///< rows that have its tensors' names; empty where none has
  std::string differs{};                     ///< why its attention is not read; empty where it is
  double gain_offset = 0;                    ///< 1 where norms multiply by 1 + weight
  std::string norm_kind{};                   ///< for the row's; empty for the same
  std::optional<double> rotary_share{};      ///< for the row's
  bool rotary_pairs = false;         ///< features 2i and 2i + 1 are rotated together, not i and i + r/2
  std::optional<Packing> packing{};  ///< for the row's
  bool scaled_embeddings = false;    ///< vectors of tokens are multiplied by sqrt(features)

  /// Whether it is read, but not as the row alone says.
  bool is_read_with_changes() const {
    return differs.empty() && (gain_offset != 0 || !norm_kind.empty() || rotary_share || rotary_pairs);
  }
};

/// All of them.
std::span<const ModelType> model_types();
/// The one of that name; null for none.
const ModelType* find_model_type(const std::string& name);
/// Why the attention of a model of timm is not read, by its name; empty where nothing speaks against it.
std::string reason_against_timm(const std::string& name);
/// Whether timm's models of that name are known to be a ViT as its row of the table says.
bool is_known_timm(const std::string& name);

}  // namespace hardhead::attention
