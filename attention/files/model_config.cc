#include "attention/files/model_config.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files/read_file.h"
#include "base/text/json.h"
#include "base/text/json_object.h"

namespace hardhead::attention {
namespace {

using Names = std::initializer_list<const char*>;

constexpr std::uintmax_t max_config_bytes = 4 << 20;
constexpr int max_config_depth = 32;

/// What would change the logits or the weights in a way that a layer of heads does not have.
constexpr const char* not_modelled[] = {"quantization_config", "attn_logit_softcapping",
                                        "query_pre_attn_scalar", "attention_multiplier"};

bool has_value(const JsonObject& object, const char* key) {
  return object.has(key) && !object.is_null(key);
}

constexpr std::int64_t most_counted = 1 << 20;

void read_count(const JsonObject& object, Names names, std::optional<Index>& out) {
  for (const char* name : names) {
    if (!has_value(object, name)) continue;
    const auto value = object.integer<std::int64_t>(name);
    if (value < 1 || value > most_counted)
      object.fail(name, fmt::format("{} is not in 1 .. {}", value, most_counted));
    out = value;
  }
}

/// Models without a padding token write -1, among others.
void read_token(const JsonObject& object, const char* name, std::optional<Index>& out) {
  if (!has_value(object, name)) return;
  const auto value = object.integer<std::int64_t>(name);
  if (value >= 0 && value < most_counted) out = value;
}

void read_positive(const JsonObject& object, Names names, std::optional<double>& out) {
  for (const char* name : names) {
    if (!has_value(object, name)) continue;
    const double value = object.real(name);
    if (!(value > 0) || !std::isfinite(value)) object.fail(name, fmt::format("{} is not above 0", value));
    out = value;
  }
}

void read_switch(const JsonObject& object, const char* name, bool& out) {
  if (has_value(object, name)) out = object.boolean(name);
}

void read_rotary(const JsonObject& object, ModelConfig& out) {
  read_positive(object, {"rope_theta", "rotary_emb_base"}, out.rotary_base);
  read_positive(object, {"rotary_pct", "partial_rotary_factor"}, out.rotary_share);
  for (const char* name : {"rope_type", "type"})
    if (has_value(object, name) && object.text(name) != "default") out.rotary_scaling = object.text(name);
}

ModelConfig config_of(const JsonObject& object, const std::string& path) {
  ModelConfig out;
  out.path = path;
  for (const char* name : not_modelled)
    if (has_value(object, name)) object.fail(name, "attention with it is not modelled");
  if (has_value(object, "model_type")) out.model_type = object.text("model_type");
  read_count(object, {"num_attention_heads", "n_head"}, out.heads);
  read_count(object, {"num_key_value_heads"}, out.key_value_heads);
  read_count(object, {"head_dim"}, out.head_size);
  read_token(object, "pad_token_id", out.padding_token);
  read_positive(object, {"rope_theta", "rotary_emb_base"}, out.rotary_base);
  read_positive(object, {"rotary_pct", "partial_rotary_factor"}, out.rotary_share);
  read_positive(object, {"layer_norm_eps", "layer_norm_epsilon", "rms_norm_eps"}, out.norm_epsilon);
  for (const char* name : {"rope_scaling", "rope_parameters"})
    if (has_value(object, name)) read_rotary(object.object(name), out);
  if (out.rotary_share && *out.rotary_share > 1)
    object.fail(
        fmt::format("the rotary share of a head is {}, but at most 1 is possible", *out.rotary_share));
  read_switch(object, "scale_attn_weights", out.scaled_by_head_size);
  read_switch(object, "scale_attn_by_inverse_layer_idx", out.scaled_by_layer);
  read_switch(object, "do_layer_norm_before", out.norm_before);
  return out;
}

}  // namespace

std::optional<ModelConfig> read_model_config(const std::string& folder) {
  const std::string path = (std::filesystem::path(folder) / "config.json").string();
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return std::nullopt;
  const std::string text = read_file(path, max_config_bytes);
  nlohmann::ordered_json document;
  try {
    document = parse_json<nlohmann::ordered_json>(text, max_config_depth);
  } catch (const InputError& error) {
    throw InputError(fmt::format("'{}': {}", path, error.what()));
  }
  return config_of(JsonObject(document, fmt::format("'{}'", path)), path);
}

}  // namespace hardhead::attention
