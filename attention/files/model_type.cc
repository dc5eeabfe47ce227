#include "attention/files/model_type.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace hardhead::attention {
namespace {

constexpr const char* norms_of_queries = "queries and keys have norms";
constexpr const char* norm_after = "the norm comes after attention";
constexpr const char* offset_dependent = "logits depend on offsets of positions";
constexpr const char* alibi = "logits depend on offsets of positions: alibi adds a multiple of them";

/// Model types that are alike; `shared` has no name.
struct AlikeTypes {
  std::vector<std::string> names;
  ModelType shared;
};

/// By the reference implementations in transformers.
const std::vector<AlikeTypes> alike_types = {
    // As their rows say.
    {{"gpt2"}, {.architectures = {"gpt2"}}},
    {{"bert", "roberta", "xlm-roberta", "camembert", "electra"}, {.architectures = {"bert"}}},
    {{"vit", "deit", "vit_mae", "vit_msn", "yolos", "videomae", "audio-spectrogram-transformer"},
     {.architectures = {"vit", "vit-layers"}}},
    {{"llama", "mistral", "mixtral", "qwen2", "qwen2_moe", "granite", "granitemoe", "granitemoeshared",
      "arcee", "seed_oss"},
     {.architectures = {"llama"}}},
    {{"phi3"}, {.architectures = {"phi3"}}},
    {{"phi"}, {.architectures = {"phi"}}},
    {{"opt"}, {.architectures = {"opt"}}},
    {{"gpt_neox"}, {.architectures = {"gpt-neox"}}},
    {{"gpt_neo"}, {.architectures = {"gpt-neo"}}},
    {{"gptj"}, {.architectures = {"gpt-j"}}},
    {{"falcon"}, {.architectures = {"falcon"}}},
    {{"distilbert"}, {.architectures = {"distilbert"}}},
    {{"albert"}, {.architectures = {"albert"}}},
    {{"dinov2", "dinov2_with_registers"}, {.architectures = {"vit"}}},
    {{"bart"}, {.architectures = {"bart"}}},
    {{"whisper", "mbart", "pegasus", "m2m_100", "blenderbot"}, {.architectures = {"whisper"}}},
    {{"clip", "clip_text_model", "clip_vision_model", "siglip", "siglip_text_model", "siglip_vision_model"},
     {.architectures = {"clip"}}},
    // Read with changes.
    {{"gpt_bigcode"}, {.architectures = {"gpt2"}, .packing = Packing::grouped}},
    {{"gemma"}, {.architectures = {"llama"}, .gain_offset = 1, .scaled_embeddings = true}},
    {{"cohere"}, {.architectures = {"llama"}, .norm_kind = "LayerNorm", .rotary_pairs = true}},
    {{"starcoder2"}, {.architectures = {"llama"}, .norm_kind = "LayerNorm"}},
    {{"stablelm"}, {.architectures = {"llama"}, .norm_kind = "LayerNorm", .rotary_share = 0.25}},
    {{"nemotron"},
     {.architectures = {"llama"}, .gain_offset = 1, .norm_kind = "LayerNorm", .rotary_share = 0.5}},
    {{"glm", "glm4"}, {.architectures = {"llama"}, .rotary_share = 0.5, .rotary_pairs = true}},
    {{"helium", "ernie4_5"}, {.architectures = {"llama"}, .rotary_pairs = true}},
    // Not read.
    {{"gemma2"}, {.architectures = {"llama"}, .differs = "logits are capped"}},
    {{"gemma3", "gemma3_text", "qwen3", "qwen3_moe", "olmo2", "olmo3", "hunyuan_v1_dense", "hunyuan_v1_moe",
      "chameleon", "olmoe", "gemma3n_text"},
     {.architectures = {"llama"}, .differs = norms_of_queries}},
    {{"persimmon"}, {.differs = norms_of_queries}},
    {{"olmo"}, {.architectures = {"llama"}, .differs = "its norm has no weights, and maps may be clipped"}},
    {{"cohere2", "smollm3", "llama4", "llama4_text"},
     {.architectures = {"llama"}, .differs = "only some of its layers have a rotary embedding"}},
    {{"gpt_oss"}, {.architectures = {"llama"}, .differs = "every head has a sink in its softmax"}},
    {{"jamba"}, {.architectures = {"llama"}, .differs = "it has no rotary embedding"}},
    {{"qwen2_vl", "qwen2_5_vl"},
     {.architectures = {"llama"}, .differs = "its rotary embedding has three positions"}},
    {{"bitnet"}, {.architectures = {"llama"}, .differs = "heads' outputs have a norm"}},
    {{"mllama"}, {.architectures = {"llama"}, .differs = "some layers attend to images"}},
    {{"deepseek_v2", "deepseek_v3"}, {.differs = "keys and values come from a latent of low rank"}},
    {{"bloom"}, {.architectures = {"falcon"}, .differs = alibi}},
    {{"mpt"}, {.differs = alibi}},
    {{"openai-gpt"}, {.architectures = {"gpt2"}, .differs = norm_after}},
    {{"imagegpt"}, {.architectures = {"gpt2"}, .differs = "its norm does not subtract the mean"}},
    {{"qwen"},
     {.architectures = {"gpt2"}, .differs = "its norm is an RMSNorm, and it has a rotary embedding"}},
    {{"jais"}, {.architectures = {"gpt2"}, .differs = alibi}},
    {{"codegen"}, {.differs = "queries, values and keys are dealt over four parts of one tensor"}},
    {{"roberta-prelayernorm", "xlm-roberta-xl", "megatron-bert", "esm"},
     {.architectures = {"bert"}, .differs = "the norm comes before attention, and under other names"}},
    {{"longformer"}, {.architectures = {"bert"}, .differs = "some tokens have other maps"}},
    {{"nezha", "layoutlmv2", "layoutlmv3"}, {.architectures = {"bert"}, .differs = offset_dependent}},
    {{"deberta", "deberta-v2"},
     {.differs = "logits depend on offsets of positions: queries and keys of tokens meet those of offsets"}},
    {{"mpnet"}, {.differs = offset_dependent}},
    {{"t5", "mt5", "umt5"},
     {.differs = "logits depend on offsets of positions: a table of offsets is added to them"}},
    {{"modernbert"}, {.differs = "its tensors have other names"}},
    {{"beit", "data2vec-vision"}, {.architectures = {"vit", "vit-layers"}, .differs = offset_dependent}},
    {{"marian"}, {.architectures = {"opt"}, .differs = norm_after}},
};

/// One by one.
const std::vector<ModelType> known_types = [] {
  std::vector<ModelType> out;
  for (const AlikeTypes& types : alike_types)
    for (const std::string& name : types.names) out.emplace_back(types.shared).name = name;
  return out;
}();

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
