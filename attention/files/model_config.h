#pragma once
#include <optional>
#include <string>

#include "attention/layer/layer.h"

namespace hardhead::attention {

/// What the `config.json` beside a checkpoint says of its attention layers. Which keys it has depends on the
/// model; those of several names are read by any of them.
struct ModelConfig {
  std::string path;                       ///< of the file
  std::optional<std::string> model_type;  ///< "gpt2", "llama"
  std::optional<std::string> variant;     ///< architecture, as timm names its models: "vit_small_patch16_224"
  std::optional<Index> heads;             ///< num_attention_heads, n_head; of an encoder or decoder its own
  std::optional<Index> key_value_heads;   ///< num_key_value_heads, num_kv_heads; by multi_query 1 or heads
  std::optional<Index> head_size;         ///< head_dim
  std::optional<double> rotary_base;      ///< rope_theta, rotary_emb_base; also in rope_parameters
  std::optional<double> rotary_share;     ///< rotary_pct, partial_rotary_factor; also in rope_parameters
  std::optional<Index> rotary_features{};  ///< rotary_dim: of each head
  std::optional<std::string>
      rotary_scaling;        ///< rope_type of rope_scaling or rope_parameters, but for "default"
  double rotary_factor = 1;  ///< attention_factor: what queries and keys are multiplied by as well
  std::optional<std::string> positions;  ///< position_embedding_type
  std::optional<double> logit_scale;  ///< attention_multiplier, query_pre_attn_scalar^(-1/2): for 1 / sqrt(l)
  std::optional<double> embedding_factor;  ///< embedding_multiplier: of the vectors of tokens
  std::optional<Index> features;           ///< hidden_size, n_embd
  bool scaled_by_head_size = true;         ///< scale_attn_weights: logits are divided by sqrt(head size)
  bool scaled_by_layer = false;            ///< scale_attn_by_inverse_layer_idx: and by 1 + the layer's number
  std::optional<double> norm_epsilon{};    ///< layer_norm_eps, layer_norm_epsilon, rms_norm_eps
  std::optional<Index> padding_token{};    ///< pad_token_id, where it is a token's number
  bool norm_before = true;                 ///< do_layer_norm_before: the norm comes before attention
};

/// The config.json of a folder, if there is one. In a model of several parts it is the object of the part
/// whose tensors have this prefix: `vision_config`, `audio_config`, `text_config`. Throws InputError naming
/// the file and the key: a value that is not of its kind or out of range; what would change attention in a
/// way that is not modelled (quantised weights, capped logits, norms of queries and keys, offsets in logits,
/// a rule of a rotary embedding that is not known).
std::optional<ModelConfig> read_model_config(const std::string& folder, const std::string& prefix);

}  // namespace hardhead::attention
