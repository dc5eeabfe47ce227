#include "attention/files/model_config.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files/read_file.h"
#include "base/text/json.h"
#include "base/text/json_object.h"
#include "base/text/quoted.h"

namespace hardhead::attention {
namespace {

using Names = std::initializer_list<const char*>;

constexpr std::uintmax_t max_config_bytes = 4 << 20;
constexpr int max_config_depth = 32;

/// Parts of the names of keys that say, unless their value is null, false, 0 or "none", that logits, weights
/// or norms are other than those of a layer of heads.
constexpr std::string_view not_modelled[] = {"quantization_config",
                                             "attn_logit_softcap",
                                             "attention_logit_cap",
                                             "alibi",
                                             "qk_norm",
                                             "qk_layernorm",
                                             "qk_layer_norm",
                                             "clip_qkv",
                                             "relative_",
                                             "rel_pos",
                                             "rot_pos",
                                             "logn",
                                             "talking_head",
                                             "layernorm_1p",
                                             "zero_centered_gamma",
                                             "softmax_scale",
                                             "attn_temperature",
                                             "no_rope",
                                             "cross_attention_layers",
                                             "post_norm"};

bool has_value(const JsonObject& object, const char* key) {
  return object.has(key) && !object.is_null(key);
}

bool is_off(const Json& value) {
  return value.is_null() || value == false || value == 0 || value == "" || value == "none" || value.empty();
}

void refuse_what_is_not_modelled(const JsonObject& object, const Json& document) {
  for (const auto& [key, value] : document.items())
    for (const std::string_view part : not_modelled)
      if (key.find(part) != std::string::npos && !is_off(value))
        object.fail(key, "attention with it is not modelled");
}

constexpr std::int64_t most_counted = 1 << 20;

void read_count(const JsonObject& object, Names names, std::optional<Index>& out) {
  for (const char* name : names) {
    if (!has_value(object, name) || object.at(name).is_array()) continue;  // a list: one for each stage
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

/// By the rule that scales a rotary embedding: what queries and keys are multiplied by besides.
/// Rules: arXiv 2309.00071 (yarn), 2402.13753 (longrope); the others change the angles only.
double factor_of_rule(const std::string& rule, const JsonObject& rotary, const JsonObject& model) {
  const auto number = [&](const char* name) -> std::optional<double> {
    std::optional<double> out;
    for (const JsonObject* object : {&model, &rotary}) read_positive(*object, {name}, out);
    return out;
  };
  if (rule == "linear" || rule == "dynamic" || rule == "llama3") return 1;
  if (rule != "yarn" && rule != "longrope" && rule != "su")
    rotary.fail(fmt::format("the rotary embedding is scaled by the rule {}, which is not known",
                            hardhead::quoted(rule)));
  for (const char* other : {"mscale", "mscale_all_dim", "short_mscale", "long_mscale"})
    if (has_value(rotary, other)) rotary.fail(other, "a rotary embedding with it is not modelled");
  if (const auto given = number("attention_factor")) return *given;
  const auto old_length = number("original_max_position_embeddings"),
             length = number("max_position_embeddings");
  auto stretch = number("factor");
  if ((rule != "yarn" || !stretch) && old_length && length) stretch = *length / *old_length;
  if (!stretch || (rule != "yarn" && !old_length && !length))
    rotary.fail(fmt::format("the rule {} has no factor", hardhead::quoted(rule)));
  if (*stretch <= 1) return 1;
  return rule == "yarn" ? 0.1 * std::log(*stretch) + 1
                        : std::sqrt(1 + std::log(*stretch) / std::log(old_length ? *old_length : *length));
}

void read_rotary(const JsonObject& object, const JsonObject& model, ModelConfig& out) {
  read_positive(object, {"rope_theta", "rotary_emb_base"}, out.rotary_base);
  read_positive(object, {"rotary_pct", "rope_pct", "rope_percentage", "partial_rotary_factor"},
                out.rotary_share);
  std::optional<std::string> rule;
  for (const char* name : {"type", "rope_type"})
    if (has_value(object, name)) rule = object.text(name);
  if (!rule && has_value(object, "factor")) object.fail("rope_type", "there is a factor, but no rule");
  if (has_value(object, "mrope_section"))
    object.fail("mrope_section", "rotary embeddings of several positions are not modelled");
  for (const char* layers : {"full_attention", "sliding_attention"})
    if (has_value(object, layers))
      object.fail(layers, "rotary embeddings that differ by layer are not modelled");
  if (!rule || *rule == "default") return;
  out.rotary_scaling = rule;
  out.rotary_factor = factor_of_rule(*rule, object, model);
}

void read_scales(const JsonObject& object, ModelConfig& out) {
  read_positive(object, {"attention_multiplier"}, out.logit_scale);
  std::optional<double> divisor;
  read_positive(object, {"query_pre_attn_scalar"}, divisor);
  if (divisor) out.logit_scale = 1 / std::sqrt(*divisor);
  read_positive(object, {"embedding_multiplier"}, out.embedding_factor);
  bool embeddings_scaled = false;
  read_switch(object, "scale_embedding", embeddings_scaled);
  if (embeddings_scaled && out.features) out.embedding_factor = std::sqrt(static_cast<double>(*out.features));
  read_switch(object, "scale_attn_weights", out.scaled_by_head_size);
  read_switch(object, "scale_attn_by_inverse_layer_idx", out.scaled_by_layer);
}

/// How many heads share a key and a value. In Falcon `new_decoder_architecture` overrules multi_query.
void read_key_value_heads(const JsonObject& object, ModelConfig& out) {
  bool is_new = false;
  read_switch(object, "new_decoder_architecture", is_new);
  const bool is_falcon = out.model_type == "falcon" && !is_new;
  if (!is_falcon)
    read_count(object, {"num_key_value_heads", "num_kv_heads", "n_head_kv"}, out.key_value_heads);
  if (is_new) return;
  const bool is_usual = is_falcon || out.model_type == "gpt_bigcode";
  bool is_one = is_usual;
  read_switch(object, "multi_query", is_one);
  if (is_one || is_usual) out.key_value_heads = is_one ? 1 : out.heads;
}

ModelConfig config_of(const JsonObject& object, const std::string& path, const std::string& prefix) {
  ModelConfig out;
  out.path = path;
  if (has_value(object, "model_type")) out.model_type = object.text("model_type");
  if (object.has("architecture") && object.at("architecture").is_string())
    out.variant = object.text("architecture");
  if (has_value(object, "position_embedding_type")) out.positions = object.text("position_embedding_type");
  read_count(object, {"num_heads", "n_heads", "num_attention_heads", "n_head"}, out.heads);
  if (prefix.ends_with("encoder.")) read_count(object, {"encoder_attention_heads"}, out.heads);
  if (prefix.ends_with("decoder.")) read_count(object, {"decoder_attention_heads"}, out.heads);
  read_key_value_heads(object, out);
  read_count(object, {"head_dim"}, out.head_size);
  read_count(object, {"hidden_size", "n_embd", "d_model"}, out.features);
  read_token(object, "pad_token_id", out.padding_token);
  read_positive(object, {"rope_theta", "rotary_emb_base"}, out.rotary_base);
  read_positive(object, {"rotary_pct", "rope_pct", "rope_percentage", "partial_rotary_factor"},
                out.rotary_share);
  read_count(object, {"rotary_dim"}, out.rotary_features);
  if (out.model_type == "gptj" && !out.rotary_features) out.rotary_features = 64;  // transformers' default
  read_positive(object, {"layer_norm_eps", "layer_norm_epsilon", "rms_norm_eps", "norm_epsilon", "norm_eps"},
                out.norm_epsilon);
  for (const char* name : {"rope_scaling", "rope_parameters"})
    if (has_value(object, name)) read_rotary(object.object(name), object, out);
  if (out.rotary_share && *out.rotary_share > 1)
    object.fail(
        fmt::format("the rotary share of a head is {}, but at most 1 is possible", *out.rotary_share));
  read_scales(object, out);
  read_switch(object, "do_layer_norm_before", out.norm_before);
  return out;
}

/// Python's json writes and reads the numbers NaN, Infinity and -Infinity. They become texts here, so that a
/// key that is not read may have them and one that is read is refused by its name.
std::string with_python_numbers_quoted(const std::string& text) {
  std::string out;
  bool in_text = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto is_here = [&](std::string_view word) { return text.compare(at, word.size(), word) == 0; };
    std::size_t length = 1;
    if (in_text && text[at] == '\\')
      length = 2;
    else if (text[at] == '"')
      in_text = !in_text;
    else if (!in_text)
      for (const std::string_view word : {"NaN", "Infinity", "-Infinity"})
        if (is_here(word)) length = word.size();
    const std::string piece = text.substr(at, length);
    out += !in_text && length > 1 ? '"' + piece + '"' : piece;
    at += length - 1;
  }
  return out;
}

/// The key of the part of a model that has this prefix; empty for the whole.
std::string part_of_model(const Json& document, const std::string& prefix) {
  if (document.contains("num_attention_heads") || document.contains("n_head")) return {};
  const auto has = [&](const char* part) { return prefix.find(part) != std::string::npos; };
  const char* key = has("visi") || has("visual") ? "vision_config"
                    : has("audio")               ? "audio_config"
                                                 : "text_config";
  return document.contains(key) && document[key].is_object() ? key : "";
}

}  // namespace

std::optional<ModelConfig> read_model_config(const std::string& folder, const std::string& prefix) {
  const std::string path = (std::filesystem::path(folder) / "config.json").string();
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return std::nullopt;
  const std::string text = with_python_numbers_quoted(read_file(path, max_config_bytes));
  const std::string place = fmt::format("'{}'", path);
  const auto document = at_place(place, [&] { return parse_json<Json>(text, max_config_depth); });
  const JsonObject whole(document, place);
  refuse_what_is_not_modelled(whole, document);
  if (document.contains("model_args") && document["model_args"].is_object())  // timm's
    refuse_what_is_not_modelled(whole.object("model_args"), document["model_args"]);
  const std::string part = part_of_model(document, prefix);
  if (part.empty()) return config_of(whole, path, prefix);
  const JsonObject object = whole.object(part);
  refuse_what_is_not_modelled(object, document[part]);
  return config_of(object, path, prefix);
}

}  // namespace hardhead::attention
