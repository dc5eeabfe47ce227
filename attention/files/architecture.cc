#include "attention/files/architecture.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/error.h"
#include "base/text/parameters.h"
#include "base/text/quoted.h"

namespace hardhead::attention {
namespace {

constexpr std::string_view number_place = "{}";

const std::vector<Architecture> known_architectures = {
    {.name = "gpt2",
     .models = "GPT-2",
     .model_types = {"gpt2"},
     .prefixes = {"", "transformer."},
     .attention = "h.{}.attn.",
     .packing = Packing::stacked,
     .by_inputs = true,
     .inputs = {"c_attn."},
     .output = "c_proj.",
     .norm_kind = "LayerNorm",
     .norm = "h.{}.ln_1.",
     .tokens = "wte.weight",
     .positions = "wpe.weight"},
    {.name = "bert",
     .models = "BERT, RoBERTa",
     .model_types = {"bert", "roberta", "xlm-roberta", "camembert"},
     .prefixes = {"", "bert.", "roberta."},
     .attention = "encoder.layer.{}.attention.",
     .inputs = {"self.query.", "self.key.", "self.value."},
     .output = "output.dense.",
     .norm_kind = "LayerNorm",
     .norm = "encoder.layer.{}.output.LayerNorm.",
     .first_norm = "embeddings.LayerNorm.",
     .tokens = "embeddings.word_embeddings.weight",
     .positions = "embeddings.position_embeddings.weight",
     .token_types = "embeddings.token_type_embeddings.weight",
     .positions_after_padding = {"roberta", "xlm-roberta", "camembert"}},
    {.name = "vit",
     .models = "ViT",
     .model_types = {"vit", "deit"},
     .prefixes = {"", "vit.", "deit."},
     .attention = "encoder.layer.{}.attention.",
     .inputs = {"attention.query.", "attention.key.", "attention.value."},
     .output = "output.dense.",
     .norm_kind = "LayerNorm",
     .norm = "encoder.layer.{}.layernorm_before."},
    {.name = "vit-layers",
     .models = "ViT, by the newer names",
     .model_types = {"vit", "deit"},
     .prefixes = {"", "vit.", "deit."},
     .attention = "layers.{}.attention.",
     .inputs = {"q_proj.", "k_proj.", "v_proj."},
     .output = "o_proj.",
     .norm_kind = "LayerNorm",
     .norm = "layers.{}.layernorm_before."},
    {.name = "timm",
     .models = "ViT of timm",
     .model_types = {},
     .prefixes = {""},
     .attention = "blocks.{}.attn.",
     .packing = Packing::stacked,
     .inputs = {"qkv."},
     .output = "proj.",
     .norm_kind = "LayerNorm",
     .norm = "blocks.{}.norm1.",
     .not_modelled = {"q_norm.weight", "k_norm.weight", "norm.weight", "relative_position_bias_table"}},
    {.name = "llama",
     .models = "LLaMA, Mistral, Qwen2",
     .model_types = {"llama", "mistral", "qwen2"},
     .prefixes = {"", "model."},
     .attention = "layers.{}.self_attn.",
     .inputs = {"q_proj.", "k_proj.", "v_proj."},
     .output = "o_proj.",
     .norm_kind = "RMSNorm",
     .norm = "layers.{}.input_layernorm.",
     .tokens = "embed_tokens.weight",
     .rotary_share = 1,
     .not_modelled = {"q_norm.weight", "k_norm.weight", "sinks"}},
    {.name = "opt",
     .models = "OPT",
     .model_types = {"opt"},
     .prefixes = {"", "model.", "decoder.", "model.decoder."},
     .attention = "layers.{}.self_attn.",
     .inputs = {"q_proj.", "k_proj.", "v_proj."},
     .output = "out_proj.",
     .norm_kind = "LayerNorm",
     .norm = "layers.{}.self_attn_layer_norm.",
     .tokens = "embed_tokens.weight",
     .positions = "embed_positions.weight",
     .first_position = 2},
    {.name = "gpt-neox",
     .models = "GPT-NeoX, Pythia",
     .model_types = {"gpt_neox"},
     .prefixes = {"", "gpt_neox."},
     .attention = "layers.{}.attention.",
     .packing = Packing::interleaved,
     .inputs = {"query_key_value."},
     .output = "dense.",
     .norm_kind = "LayerNorm",
     .norm = "layers.{}.input_layernorm.",
     .tokens = "embed_in.weight",
     .rotary_share = 0.25},
    {.name = "torch",
     .models = "torch.nn.MultiheadAttention, TransformerEncoder",
     .model_types = {},
     .prefixes = {"", "layers.{}.self_attn.", "encoder.layers.{}.self_attn."},
     .attention = "",
     .packing = Packing::stacked,
     .inputs = {"in_proj_"},
     .output = "out_proj.",
     .not_modelled = {"bias_k", "bias_v", "q_proj_weight", "k_proj_weight", "v_proj_weight"}},
};

/// The layer's number in a name that is `head`, a number, `tail`.
std::optional<Index> number_between(std::string_view name, std::string_view head, std::string_view tail) {
  if (name.size() <= head.size() + tail.size() || !name.starts_with(head) || !name.ends_with(tail))
    return std::nullopt;
  const std::string_view digits = name.substr(head.size(), name.size() - head.size() - tail.size());
  Index out = 0;
  const auto [stop, status] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
  const bool whole = status == std::errc{} && stop == digits.data() + digits.size();
  const bool plain = digits.size() == 1 || digits.front() != '0';
  return whole && plain && out >= 0 ? std::optional(out) : std::nullopt;
}

/// Whether, besides the output projection, a tensor is there that tells this row from others.
bool has_inputs(const Checkpoint& checkpoint, const Architecture& row, const std::string& place) {
  const auto has = [&](const std::string& name) { return checkpoint.has(place + name); };
  return std::ranges::any_of(row.inputs, [&](const std::string& of) { return has(of + "weight"); }) ||
         std::ranges::any_of(row.not_modelled, has);
}

std::vector<Index> layers_of(const Checkpoint& checkpoint, const Architecture& row,
                             const std::string& prefix) {
  const std::string place = prefix + row.attention, output = row.output + "weight";
  const std::size_t at = place.find(number_place);
  if (at == std::string::npos) {
    const bool there = checkpoint.has(place + output) && has_inputs(checkpoint, row, place);
    return there ? std::vector<Index>{0} : std::vector<Index>();
  }
  const std::string head = place.substr(0, at), tail = place.substr(at + number_place.size()) + output;
  std::vector<Index> out;
  for (auto entry = checkpoint.tensors().lower_bound(head);
       entry != checkpoint.tensors().end() && entry->first.starts_with(head); ++entry) {
    const auto number = number_between(entry->first, head, tail);
    if (number && has_inputs(checkpoint, row, numbered(place, *number))) out.push_back(*number);
  }
  std::ranges::sort(out);
  return out;
}

[[noreturn]] void refuse_unknown(const Checkpoint& checkpoint, const std::string& name) {
  for (const auto& [tensor, file] : checkpoint.tensors())
    if (tensor.ends_with("qweight") || tensor.ends_with("weight_packed"))
      checkpoint.fail(tensor, "has quantised weights, which are not read");
  std::vector<std::string> known;
  for (const Architecture& row : architectures()) known.push_back(row.name);
  if (name.empty())
    throw InputError(
        fmt::format("'{}': none of its {} tensors is the output projection of an attention layer "
                    "of a known architecture ({})",
                    checkpoint.path(), checkpoint.tensors().size(), fmt::join(known, ", ")));
  const Architecture& row = architectures()[find_name("architecture", name, known)];
  throw InputError(fmt::format("'{}': there is no tensor '{}{}weight' of a layer, as {} has",
                               checkpoint.path(), row.attention, row.output, row.name));
}

}  // namespace

std::string numbered(const std::string& text, Index number) {
  const std::size_t at = text.find(number_place);
  return at == std::string::npos
             ? text
             : fmt::format("{}{}{}", text.substr(0, at), number, text.substr(at + number_place.size()));
}

std::span<const Architecture> architectures() {
  return known_architectures;
}

FoundArchitecture find_architecture(const Checkpoint& checkpoint, const std::string& name) {
  std::vector<FoundArchitecture> found;
  for (const Architecture& row : architectures()) {
    if (!name.empty() && row.name != name) continue;
    for (const std::string& prefix : row.prefixes) {
      const FoundArchitecture fits{&row, prefix, layers_of(checkpoint, row, prefix)};
      if (!fits.layers.empty()) found.push_back(fits);
    }
  }
  if (found.empty()) refuse_unknown(checkpoint, name);
  if (found.size() > 1) {
    std::vector<std::string> texts;
    for (const FoundArchitecture& one : found)
      texts.push_back(
          fmt::format("{} ('{}{}')", one.architecture->name, one.prefix, one.architecture->attention));
    throw InputError(
        fmt::format("'{}' has the attention layers of {}: say which with --arch, or give a "
                    "checkpoint that has one kind",
                    checkpoint.path(), fmt::join(texts, " and of ")));
  }
  return found.front();
}

}  // namespace hardhead::attention
