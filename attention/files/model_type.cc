#include "attention/files/model_type.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace hardhead::attention {
namespace {

constexpr const char* norms_of_queries = "queries and keys have norms";
constexpr const char* rotary_layers = "only some of its layers have a rotary embedding";
constexpr const char* norm_first = "the norm comes before attention, and under other names";
constexpr const char* offset_dependent = "logits depend on offsets of positions";
constexpr const char* alibi = "logits depend on offsets of positions: alibi adds a multiple of them";
constexpr const char* relative_bias =
    "logits depend on offsets of positions: a table of offsets is added to them";
constexpr const char* disentangled =
    "logits depend on offsets of positions: queries and keys of tokens meet those of offsets";
constexpr const char* other_parts = "queries, values and keys are dealt over four parts of one tensor";

/// By the reference implementations in transformers.
const std::vector<ModelType> known_types = {
    // As their rows say.
    {.name = "gpt2", .architectures = {"gpt2"}},
    {.name = "bert", .architectures = {"bert"}},
    {.name = "roberta", .architectures = {"bert"}},
    {.name = "xlm-roberta", .architectures = {"bert"}},
    {.name = "camembert", .architectures = {"bert"}},
    {.name = "electra", .architectures = {"bert"}},
    {.name = "vit", .architectures = {"vit", "vit-layers"}},
    {.name = "deit", .architectures = {"vit", "vit-layers"}},
    {.name = "vit_mae", .architectures = {"vit", "vit-layers"}},
    {.name = "vit_msn", .architectures = {"vit", "vit-layers"}},
    {.name = "yolos", .architectures = {"vit", "vit-layers"}},
    {.name = "videomae", .architectures = {"vit", "vit-layers"}},
    {.name = "audio-spectrogram-transformer", .architectures = {"vit", "vit-layers"}},
    {.name = "llama", .architectures = {"llama"}},
    {.name = "mistral", .architectures = {"llama"}},
    {.name = "mixtral", .architectures = {"llama"}},
    {.name = "qwen2", .architectures = {"llama"}},
    {.name = "qwen2_moe", .architectures = {"llama"}},
    {.name = "granite", .architectures = {"llama"}},
    {.name = "granitemoe", .architectures = {"llama"}},
    {.name = "granitemoeshared", .architectures = {"llama"}},
    {.name = "arcee", .architectures = {"llama"}},
    {.name = "seed_oss", .architectures = {"llama"}},
    {.name = "phi3", .architectures = {"phi3"}},
    {.name = "phi", .architectures = {"phi"}},
    {.name = "opt", .architectures = {"opt"}},
    {.name = "gpt_neox", .architectures = {"gpt-neox"}},
    {.name = "gpt_neo", .architectures = {"gpt-neo"}},
    {.name = "gptj", .architectures = {"gpt-j"}},
    {.name = "falcon", .architectures = {"falcon"}},
    {.name = "distilbert", .architectures = {"distilbert"}},
    {.name = "albert", .architectures = {"albert"}},
    {.name = "dinov2", .architectures = {"vit"}},
    {.name = "dinov2_with_registers", .architectures = {"vit"}},
    {.name = "bart", .architectures = {"bart"}},
    {.name = "whisper", .architectures = {"whisper"}},
    {.name = "mbart", .architectures = {"whisper"}},
    {.name = "pegasus", .architectures = {"whisper"}},
    {.name = "m2m_100", .architectures = {"whisper"}},
    {.name = "blenderbot", .architectures = {"whisper"}},
    {.name = "clip", .architectures = {"clip"}},
    {.name = "clip_text_model", .architectures = {"clip"}},
    {.name = "clip_vision_model", .architectures = {"clip"}},
    {.name = "siglip", .architectures = {"clip"}},
    {.name = "siglip_text_model", .architectures = {"clip"}},
    {.name = "siglip_vision_model", .architectures = {"clip"}},
    // Read with changes.
    {.name = "gpt_bigcode", .architectures = {"gpt2"}, .packing = Packing::grouped},
    {.name = "gemma", .architectures = {"llama"}, .gain_offset = 1, .scaled_embeddings = true},
    {.name = "cohere", .architectures = {"llama"}, .norm_kind = "LayerNorm", .rotary_pairs = true},
    {.name = "starcoder2", .architectures = {"llama"}, .norm_kind = "LayerNorm"},
    {.name = "stablelm", .architectures = {"llama"}, .norm_kind = "LayerNorm", .rotary_share = 0.25},
    {.name = "nemotron",
     .architectures = {"llama"},
     .gain_offset = 1,
     .norm_kind = "LayerNorm",
     .rotary_share = 0.5},
    {.name = "glm", .architectures = {"llama"}, .rotary_share = 0.5, .rotary_pairs = true},
    {.name = "glm4", .architectures = {"llama"}, .rotary_share = 0.5, .rotary_pairs = true},
    {.name = "helium", .architectures = {"llama"}, .rotary_pairs = true},
    {.name = "ernie4_5", .architectures = {"llama"}, .rotary_pairs = true},
    // Not read.
    {.name = "gemma2", .architectures = {"llama"}, .differs = "logits are capped"},
    {.name = "gemma3", .architectures = {"llama"}, .differs = norms_of_queries},
    {.name = "gemma3_text", .architectures = {"llama"}, .differs = norms_of_queries},
    {.name = "qwen3", .architectures = {"llama"}, .differs = norms_of_queries},
    {.name = "qwen3_moe", .architectures = {"llama"}, .differs = norms_of_queries},
    {.name = "olmo2", .architectures = {"llama"}, .differs = norms_of_queries},
    {.name = "olmo3", .architectures = {"llama"}, .differs = norms_of_queries},
    {.name = "hunyuan_v1_dense", .architectures = {"llama"}, .differs = norms_of_queries},
    {.name = "hunyuan_v1_moe", .architectures = {"llama"}, .differs = norms_of_queries},
    {.name = "chameleon", .architectures = {"llama"}, .differs = norms_of_queries},
    {.name = "olmoe", .architectures = {"llama"}, .differs = norms_of_queries},
    {.name = "gemma3n_text", .architectures = {"llama"}, .differs = norms_of_queries},
    {.name = "persimmon", .differs = norms_of_queries},
    {.name = "olmo",
     .architectures = {"llama"},
     .differs = "its norm has no weights, and maps may be clipped"},
    {.name = "cohere2", .architectures = {"llama"}, .differs = rotary_layers},
    {.name = "smollm3", .architectures = {"llama"}, .differs = rotary_layers},
    {.name = "llama4", .architectures = {"llama"}, .differs = rotary_layers},
    {.name = "llama4_text", .architectures = {"llama"}, .differs = rotary_layers},
    {.name = "gpt_oss", .architectures = {"llama"}, .differs = "every head has a sink in its softmax"},
    {.name = "jamba", .architectures = {"llama"}, .differs = "it has no rotary embedding"},
    {.name = "qwen2_vl", .architectures = {"llama"}, .differs = "its rotary embedding has three positions"},
    {.name = "qwen2_5_vl", .architectures = {"llama"}, .differs = "its rotary embedding has three positions"},
    {.name = "bitnet", .architectures = {"llama"}, .differs = "heads' outputs have a norm"},
    {.name = "mllama", .architectures = {"llama"}, .differs = "some layers attend to images"},
    {.name = "deepseek_v2", .differs = "keys and values come from a latent of low rank"},
    {.name = "deepseek_v3", .differs = "keys and values come from a latent of low rank"},
    {.name = "bloom", .architectures = {"falcon"}, .differs = alibi},
    {.name = "mpt", .differs = alibi},
    {.name = "openai-gpt", .architectures = {"gpt2"}, .differs = "the norm comes after attention"},
    {.name = "imagegpt", .architectures = {"gpt2"}, .differs = "its norm does not subtract the mean"},
    {.name = "qwen",
     .architectures = {"gpt2"},
     .differs = "its norm is an RMSNorm, and it has a rotary embedding"},
    {.name = "jais", .architectures = {"gpt2"}, .differs = alibi},
    {.name = "codegen", .differs = other_parts},
    {.name = "roberta-prelayernorm", .architectures = {"bert"}, .differs = norm_first},
    {.name = "xlm-roberta-xl", .architectures = {"bert"}, .differs = norm_first},
    {.name = "megatron-bert", .architectures = {"bert"}, .differs = norm_first},
    {.name = "esm", .architectures = {"bert"}, .differs = norm_first},
    {.name = "nezha", .architectures = {"bert"}, .differs = offset_dependent},
    {.name = "longformer", .architectures = {"bert"}, .differs = "some tokens have other maps"},
    {.name = "layoutlmv2", .architectures = {"bert"}, .differs = offset_dependent},
    {.name = "layoutlmv3", .architectures = {"bert"}, .differs = offset_dependent},
    {.name = "deberta", .differs = disentangled},
    {.name = "deberta-v2", .differs = disentangled},
    {.name = "mpnet", .differs = offset_dependent},
    {.name = "t5", .differs = relative_bias},
    {.name = "mt5", .differs = relative_bias},
    {.name = "umt5", .differs = relative_bias},
    {.name = "modernbert", .differs = "its tensors have other names"},
    {.name = "beit", .architectures = {"vit", "vit-layers"}, .differs = offset_dependent},
    {.name = "data2vec-vision", .architectures = {"vit", "vit-layers"}, .differs = offset_dependent},
    {.name = "marian", .architectures = {"opt"}, .differs = "the norm comes after attention"},
};

}  // namespace

std::span<const ModelType> model_types() {
  return known_types;
}

const ModelType* find_model_type(const std::string& name) {
  const auto at = std::ranges::find(known_types, name, &ModelType::name);
  return at == known_types.end() ? nullptr : &*at;
}

std::string reason_against_timm(const std::string& name) {
  const auto has = [&](const char* part) { return name.find(part) != std::string::npos; };
  if (has("rpn")) return "its norm comes after attention";
  if (has("relpos")) return offset_dependent;
  if (has("rope") || has("_pe_") || has("dinov3")) return "it has a rotary embedding in two dimensions";
  return {};
}

bool is_known_timm(const std::string& name) {
  constexpr std::array<std::string_view, 4> read = {"vit_", "deit", "flexivit_", "eva_"};
  return std::ranges::any_of(read, [&](std::string_view start) { return name.starts_with(start); });
}

}  // namespace hardhead::attention
