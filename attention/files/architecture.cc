#include "attention/files/architecture.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <iterator>
#include <map>
#include <set>

#include "base/error.h"
#include "base/text/number.h"
#include "base/text/parameters.h"
#include "base/text/quoted.h"

namespace hardhead::attention {
namespace {

constexpr std::string_view number_place = "{}";

const std::vector<Architecture> known_architectures = {
    {.name = "gpt2",
     .models = "GPT-2, nanoGPT, SantaCoder",
     .prefixes = {"", "transformer."},
     .attention = "h.{}.attn.",
     .packing = Packing::stacked,
     .by_inputs = true,
     .inputs = {"c_attn."},
     .output = "c_proj.",
     .harmless = {"bias", "masked_bias"},
     .norms = {"h.{}.ln_1."},
     .tokens = "wte.weight",
     .positions = "wpe.weight",
     .other_models = {"tokens_embed." /* GPT-1 */, ".mlp.w1." /* Qwen */}},
    {.name = "bert",
     .models = "BERT, RoBERTa",
     .prefixes = {"", "bert.", "roberta."},
     .attention = "encoder.layer.{}.attention.",
     .inputs = {"self.query.", "self.key.", "self.value."},
     .output = "output.dense.",
     .harmless = {"output.LayerNorm.weight", "output.LayerNorm.bias", "output.LayerNorm.gamma",
                  "output.LayerNorm.beta"},
     .norms = {"encoder.layer.{}.output.LayerNorm."},
     .first_norm = "embeddings.LayerNorm.",
     .tokens = "embeddings.word_embeddings.weight",
     .positions = "embeddings.position_embeddings.weight",
     .token_types = "embeddings.token_type_embeddings.weight",
     .positions_after_padding = {"roberta", "xlm-roberta", "camembert"}},
    {.name = "vit",
     .models = "ViT, DINOv2",
     .prefixes = {"", "vit.", "deit."},
     .attention = "encoder.layer.{}.attention.",
     .inputs = {"attention.query.", "attention.key.", "attention.value."},
     .output = "output.dense.",
     .single_biases = "attention.",
     .norms = {"encoder.layer.{}.layernorm_before.", "encoder.layer.{}.norm1."},
     .layer_scales = {"encoder.layer.{}.layer_scale1.lambda1"}},
    {.name = "vit-layers",
     .models = "ViT, by the newer names",
     .prefixes = {"", "vit.", "deit."},
     .attention = "layers.{}.attention.",
     .output = "o_proj.",
     .norms = {"layers.{}.layernorm_before."}},
    {.name = "timm",
     .models = "ViT of timm",
     .prefixes = {""},
     .attention = "blocks.{}.attn.",
     .packing = Packing::stacked,
     .inputs = {"qkv."},
     .output = "proj.",
     .single_biases = "",
     .norms = {"blocks.{}.norm1."},
     .layer_scales = {"blocks.{}.ls1.gamma", "blocks.{}.gamma_1"}},
    {.name = "llama",
     .models = "LLaMA, Mistral, Qwen2",
     .prefixes = {"", "model."},
     .attention = "layers.{}.self_attn.",
     .output = "o_proj.",
     .harmless = {"rotary_emb.inv_freq", "rotary_emb.cos_cached", "rotary_emb.sin_cached"},
     .norm_kind = "RMSNorm",
     .norms = {"layers.{}.input_layernorm."},
     .tokens = "embed_tokens.weight",
     .rotary_share = 1,
     .other_models = {".pre_feedforward_layernorm."}},
    {.name = "phi3",
     .models = "Phi-3",
     .prefixes = {"", "model."},
     .attention = "layers.{}.self_attn.",
     .packing = Packing::stacked,
     .inputs = {"qkv_proj."},
     .output = "o_proj.",
     .harmless = {"rotary_emb.inv_freq"},
     .norm_kind = "RMSNorm",
     .norms = {"layers.{}.input_layernorm."},
     .tokens = "embed_tokens.weight",
     .rotary_share = 1},
    {.name = "opt",
     .models = "OPT",
     .prefixes = {"", "model.", "decoder.", "model.decoder."},
     .attention = "layers.{}.self_attn.",
     .norms = {"layers.{}.self_attn_layer_norm."},
     .tokens = "embed_tokens.weight",
     .positions = "embed_positions.weight",
     .first_position = 2,
     .other_models = {"encoder." /* BART, Marian */, ".encoder_attn.", "layernorm_embedding."}},
    {.name = "whisper",
     .models = "encoders and decoders with the norm before attention: Whisper, mBART, Pegasus",
     .attention = "layers.{}.self_attn.",
     .norms = {"layers.{}.self_attn_layer_norm."},
     .tell = "layer_norm.weight",
     .stacks = {"encoder.", "decoder."}},
    {.name = "bart",
     .models = "BART",
     .attention = "layers.{}.self_attn.",
     .norms = {"layers.{}.final_layer_norm."},
     .first_norm = "layernorm_embedding.",
     .other_models = {"layer_norm." /* mBART */},
     .tell = "layernorm_embedding.weight",
     .stacks = {"encoder.", "decoder."}},
    {.name = "clip",
     .models = "CLIP, SigLIP",
     .attention = "encoder.layers.{}.self_attn.",
     .norms = {"encoder.layers.{}.layer_norm1."},
     .tokens = "embeddings.token_embedding.weight",
     .positions = "embeddings.position_embedding.weight",
     .tell = "encoder.layers.{}.layer_norm1.weight"},
    {.name = "distilbert",
     .models = "DistilBERT",
     .prefixes = {"", "distilbert."},
     .attention = "transformer.layer.{}.attention.",
     .inputs = {"q_lin.", "k_lin.", "v_lin."},
     .output = "out_lin.",
     .norms = {"transformer.layer.{}.output_layer_norm."},
     .first_norm = "embeddings.LayerNorm.",
     .norm_epsilon = 1e-12,
     .tokens = "embeddings.word_embeddings.weight",
     .positions = "embeddings.position_embeddings.weight"},
    {.name = "albert",
     .models = "ALBERT",
     .prefixes = {"", "albert."},
     .attention = "encoder.albert_layer_groups.{}.albert_layers.0.attention.",
     .inputs = {"query.", "key.", "value."},
     .output = "dense.",
     .harmless = {"LayerNorm.weight", "LayerNorm.bias"},
     .other_models = {"albert_layers.1."}},
    {.name = "phi",
     .models = "Phi, Phi-2",
     .prefixes = {"", "model."},
     .attention = "layers.{}.self_attn.",
     .output = "dense.",
     .harmless = {"rotary_emb.inv_freq"},
     .norms = {"layers.{}.input_layernorm."},
     .tokens = "embed_tokens.weight",
     .rotary_share = 0.5},
    {.name = "gpt-j",
     .models = "GPT-J",
     .prefixes = {"", "transformer."},
     .attention = "h.{}.attn.",
     .harmless = {"bias", "masked_bias"},
     .norms = {"h.{}.ln_1."},
     .tokens = "wte.weight",
     .rotary_share = 0.25,
     .rotary_pairs = true},
    {.name = "gpt-neo",
     .models = "GPT-Neo",
     .prefixes = {"", "transformer."},
     .attention = "h.{}.attn.attention.",
     .harmless = {"bias", "masked_bias"},
     .norms = {"h.{}.ln_1."},
     .scaled_by_head_size = false,
     .tokens = "wte.weight",
     .positions = "wpe.weight"},
    {.name = "falcon",
     .models = "Falcon without alibi",
     .prefixes = {"", "transformer."},
     .attention = "h.{}.self_attention.",
     .packing = Packing::grouped,
     .inputs = {"query_key_value."},
     .output = "dense.",
     .harmless = {"rotary_emb.inv_freq"},
     .norms = {"h.{}.input_layernorm.", "h.{}.ln_attn."},
     .tokens = "word_embeddings.weight",
     .rotary_share = 1,
     .other_models = {"word_embeddings_layernorm." /* BLOOM */}},
    {.name = "gpt-neox",
     .models = "GPT-NeoX, Pythia",
     .prefixes = {"", "gpt_neox."},
     .attention = "layers.{}.attention.",
     .packing = Packing::interleaved,
     .inputs = {"query_key_value."},
     .output = "dense.",
     .harmless = {"bias", "masked_bias", "rotary_emb.inv_freq"},
     .norms = {"layers.{}.input_layernorm."},
     .tokens = "embed_in.weight",
     .rotary_share = 0.25,
     .other_models = {"word_embeddings." /* ChatGLM */}},
    {.name = "torch",
     .models = "torch.nn.MultiheadAttention, TransformerEncoder",
     .prefixes = {"", "layers.{}.self_attn.", "encoder.layers.{}.self_attn."},
     .attention = "",
     .packing = Packing::stacked,
     .inputs = {"in_proj_"},
     .other_models = {"multihead_attn."}},
    {.name = "transformer-lens",
     .models = "what TransformerLens keeps of any model without rotary embeddings",
     .prefixes = {""},
     .attention = "blocks.{}.attn.",
     .packing = Packing::by_head,
     .inputs = {"Q", "K", "V"},
     .output = "O",
     .harmless = {"mask", "IGNORE"},
     .norm_kind = "",
     .norms = {"blocks.{}.ln1."},
     .norm_is_optional = true},
};

/// Parts of names that tell, wherever they are, of logits that depend on offsets, or of adapters.
constexpr std::string_view other_attention[] = {"relative_p", "relative_attention", "rel_pos",
                                                "alibi",      "rel_embeddings",     "pos_bias"};

/// A name that ends in a projection's, taken apart.
struct Place {
  std::string prefix;  ///< with "{}" for the layer's number where the row leaves that to the prefix
  Index layer = 0;
};

std::optional<Index> number_in(std::string_view digits) {
  const auto out = whole_number<Index>(digits);
  const bool plain = digits.size() == 1 || !digits.starts_with('0');
  return out && *out >= 0 && plain ? out : std::nullopt;
}

/// What is in front of the dot at the end of `text` and behind the one before that.
std::string_view last_component(std::string_view text) {
  text.remove_suffix(text.ends_with('.') ? 1 : 0);
  return text.substr(text.rfind('.') + 1);  // npos + 1 is 0
}

/// The last number between dots of a prefix is the layer's.
Place with_number_taken_out(std::string_view prefix) {
  if (!prefix.ends_with('.')) return {std::string(prefix), 0};
  for (std::string_view rest = prefix; !rest.empty();) {
    const std::string_view component = last_component(rest);
    const std::size_t at = rest.size() - component.size() - 1;
    if (const auto number = number_in(component))
      return {fmt::format("{}{}{}", prefix.substr(0, at), number_place, prefix.substr(at + component.size())),
              *number};
    rest = rest.substr(0, at);
  }
  return {std::string(prefix), 0};
}

std::optional<Place> place_of(std::string_view name, const Architecture& row) {
  const std::size_t at = row.attention.find(number_place);
  const bool has_number = at != std::string::npos;
  const std::string_view attention = row.attention;
  const std::string tail = std::string(has_number ? attention.substr(at + number_place.size()) : attention) +
                           row.weight(row.output);
  if (!name.ends_with(tail)) return std::nullopt;
  name.remove_suffix(tail.size());
  Place out;
  if (has_number) {
    const std::string_view digits = name.substr(name.find_last_not_of("0123456789") + 1);
    const std::string_view head = attention.substr(0, at);
    const auto number = number_in(digits);
    name.remove_suffix(digits.size());
    if (!number || !name.ends_with(head)) return std::nullopt;
    out = {std::string(name.substr(0, name.size() - head.size())), *number};
  } else {
    out = with_number_taken_out(name);
  }
  if (!out.prefix.empty() && !out.prefix.ends_with('.')) return std::nullopt;
  return out;
}

/// Whether, besides the output projection, a tensor is there that tells this row from others.
bool has_inputs(const Checkpoint& checkpoint, const Architecture& row, const std::string& place) {
  const auto has = [&](const std::string& name) { return checkpoint.has(place + name); };
  return std::ranges::any_of(row.inputs, [&](const std::string& of) { return has(row.weight(of)); }) ||
         (row.name == "torch" && has("q_proj_weight"));  // keys of another size
}

bool is_of_another_model(const Architecture& row, std::string_view name) {
  return std::ranges::any_of(row.other_models, [&](const std::string& part) {
    // A part without a dot in front begins a component.
    const std::size_t at = name.find(part);
    return at != std::string_view::npos && (part.starts_with('.') || at == 0 || name[at - 1] == '.');
  });
}

/// Whether the row's tensor for telling it from others is there, and the prefix that of one of its stacks.
bool tells_of(const Checkpoint& checkpoint, const Architecture& row, const Place& place) {
  const auto is_end = [&](const std::string& stack) { return ("." + place.prefix).ends_with("." + stack); };
  return (row.stacks.empty() || std::ranges::any_of(row.stacks, is_end)) &&
         (row.tell.empty() || checkpoint.has(place.prefix + numbered(row.tell, place.layer)));
}

bool has_components(const std::string& prefix, const std::string& part) {
  return ("." + prefix).find("." + part + ".") != std::string::npos;
}

/// Where the row has its layers. If a part is asked for: under prefixes that begin with it if there are any,
/// else under those that have it; if not: under those of the row's table if there are any, else under all.
std::vector<FoundArchitecture> layers_of(const Checkpoint& checkpoint, const Architecture& row,
                                         const std::string& part) {
  std::map<std::string, std::vector<Index>> by_prefix;
  for (const auto& [name, file] : checkpoint.tensors()) {
    const auto place = place_of(name, row);
    if (place && (part.empty() || has_components(place->prefix, part)) && tells_of(checkpoint, row, *place) &&
        has_inputs(checkpoint, row, numbered(place->prefix + row.attention, place->layer)))
      by_prefix[place->prefix].push_back(place->layer);
  }
  const auto begins = [&](const auto& one) { return one.first.starts_with(part + "."); };
  if (std::ranges::any_of(by_prefix, begins)) std::erase_if(by_prefix, std::not_fn(begins));
  const auto listed = [&](const std::string& prefix) {
    return std::ranges::find(row.prefixes, prefix) != row.prefixes.end();
  };
  const bool any_listed =
      part.empty() && std::ranges::any_of(by_prefix, [&](const auto& one) { return listed(one.first); });
  std::vector<FoundArchitecture> out;
  std::vector<std::string> left_out;
  for (auto& [prefix, layers] : by_prefix) {
    if (any_listed && !listed(prefix)) {
      left_out.push_back(prefix);
      continue;
    }
    std::ranges::sort(layers);
    out.push_back({&row, prefix, std::move(layers), {}});
  }
  for (FoundArchitecture& one : out) one.left_out = left_out;
  if (out.size() > 1)
    std::erase_if(out, [&](const auto& one) { return is_of_another_model(row, one.prefix); });
  return out;
}

/// Why a tensor that nothing here knows is not left alone.
std::string reason_to_refuse(std::string_view name) {
  const auto has = [&](const char* part) { return name.find(part) != std::string_view::npos; };
  if (has("lora_") || has("base_layer") || has("magnitude_vector") || has("adapter") || has("ia3_"))
    return "belongs to an adapter, which is not read: merge it into the weights first";
  if (has("qweight") || has("weight_packed") || has("scale_inv") || has("weight_scale") || has("qzeros") ||
      has("absmax") || has("quant"))
    return "belongs to quantised weights, which are not read";
  return {};
}

[[noreturn]] void refuse_unknown(const Checkpoint& checkpoint, const std::string& name,
                                 const std::string& part) {
  std::string example;
  for (const auto& [tensor, file] : checkpoint.tensors()) {
    if (const std::string reason = reason_to_refuse(tensor); !reason.empty()) checkpoint.fail(tensor, reason);
    if (example.empty() &&
        (tensor.find("attn") != std::string::npos || tensor.find("ttention") != std::string::npos))
      example = fmt::format("; the first one of attention is {}", hardhead::quoted(tensor));
  }
  if (!part.empty()) example = fmt::format(" under '{}'{}", part, example);
  std::vector<std::string> known;
  for (const Architecture& row : architectures()) known.push_back(row.name);
  if (name.empty())
    throw InputError(
        fmt::format("'{}': none of its {} tensors is the output projection of an attention layer "
                    "of a known architecture ({}){}",
                    checkpoint.path(), checkpoint.tensors().size(), fmt::join(known, ", "), example));
  const Architecture& row = architectures()[find_name("architecture", name, known)];
  throw InputError(fmt::format("'{}': there is no tensor '{}{}' of a layer, as {} has{}", checkpoint.path(),
                               row.attention, row.weight(row.output), row.name, example));
}

/// The tensors of the projections of a row, and those that are harmless.
std::set<std::string, std::less<>> known_tensors(const Architecture& row) {
  std::set<std::string, std::less<>> out(row.harmless.begin(), row.harmless.end());
  std::vector<std::string> stems = row.inputs;
  stems.push_back(row.output);
  for (const std::string& stem : stems) out.insert({row.weight(stem), row.bias(stem)});
  for (const char* part : {"q_bias", "k_bias", "v_bias"})
    if (row.single_biases) out.insert(*row.single_biases + part);
  return out;
}

/// A tensor behind `place`, the `attention` of a layer. Where nothing numbers a module's layers, what is
/// beside its projections may be anything's; only tensors of reals are refused there.
void check_own(const Checkpoint& checkpoint, const FoundArchitecture& found, const std::string& place,
               const std::string& name) {
  const Architecture& row = *found.architecture;
  const bool is_unnumbered = found.prefix.find(number_place) == std::string::npos;
  const bool is_bare = row.attention.empty() && is_unnumbered;
  const std::string text = name.substr(place.size());
  const bool is_read_elsewhere = checkpoint.tensors().at(name) == nullptr;
  if (known_tensors(row).contains(text)) {
    // A mask is a table, a bias a vector.
    const bool is_mask = std::ranges::find(row.harmless, text) != row.harmless.end() && text == "bias";
    if (!is_mask || is_read_elsewhere || checkpoint.tensor(name).shape.size() != 1) return;
  }
  if (is_bare && !is_read_elsewhere && !is_real(checkpoint.tensor(name).dtype)) return;
  const std::string reason = reason_to_refuse(text);
  checkpoint.fail(name, !reason.empty()
                            ? reason
                            : fmt::format("is not known in an attention layer of {}: what it changes "
                                          "there is not modelled",
                                          row.name));
}

/// Leaves out what a tensor speaks against. Throws that InputError where nothing is left.
void leave_out_other_models(const Checkpoint& checkpoint, std::vector<FoundArchitecture>& found) {
  std::vector<FoundArchitecture> rest;
  std::exception_ptr first;
  for (const FoundArchitecture& one : found) {
    try {
      check_surroundings(checkpoint, one, one.layers.front());
      rest.push_back(one);
    } catch (const InputError&) {
      if (!first) first = std::current_exception();
    }
  }
  if (rest.empty()) std::rethrow_exception(first);
  found = std::move(rest);
}

[[noreturn]] void refuse_to_choose(const Checkpoint& checkpoint,
                                   const std::vector<FoundArchitecture>& found) {
  std::vector<std::string> texts, ways;
  std::set<std::string> rows, parts;
  for (const FoundArchitecture& one : found) {
    texts.push_back(
        fmt::format("{} ('{}{}')", one.architecture->name, one.prefix, one.architecture->attention));
    rows.insert(one.architecture->name);
    parts.insert(one.prefix.substr(0, one.prefix.rfind('.')));
  }
  if (rows.size() > 1) ways.emplace_back("--arch");
  if (parts.size() > 1) ways.push_back(fmt::format("--prefix ({})", fmt::join(parts, " or ")));
  throw InputError(fmt::format("'{}' has the attention layers of {}: say which with {}", checkpoint.path(),
                               fmt::join(texts, " and of "), fmt::join(ways, " and ")));
}

}  // namespace

std::string Architecture::weight(const std::string& stem) const {
  return packing == Packing::by_head ? "W_" + stem : stem + "weight";
}

std::string Architecture::bias(const std::string& stem) const {
  return packing == Packing::by_head ? "b_" + stem : stem + "bias";
}

std::string numbered(const std::string& text, Index number) {
  const std::size_t at = text.find(number_place);
  return at == std::string::npos
             ? text
             : fmt::format("{}{}{}", text.substr(0, at), number, text.substr(at + number_place.size()));
}

std::span<const Architecture> architectures() {
  return known_architectures;
}

FoundArchitecture find_architecture(const Checkpoint& checkpoint, const std::string& name,
                                    const std::string& prefix) {
  const std::string part = prefix.substr(0, prefix.size() - (prefix.ends_with('.') ? 1 : 0));
  std::vector<FoundArchitecture> found;
  for (const Architecture& row : architectures())
    if (name.empty() || row.name == name)
      std::ranges::move(layers_of(checkpoint, row, part), std::back_inserter(found));
  if (found.empty()) refuse_unknown(checkpoint, name, part);
  if (found.size() > 1) leave_out_other_models(checkpoint, found);
  if (found.size() > 1) refuse_to_choose(checkpoint, found);
  return found.front();
}

void check_surroundings(const Checkpoint& checkpoint, const FoundArchitecture& found, Index layer) {
  const Architecture& row = *found.architecture;
  const std::string pattern = found.prefix + row.attention, place = numbered(pattern, layer);
  const std::size_t at = pattern.find(number_place);
  const std::string all_layers = pattern.substr(0, at),
                    own_layer = numbered(all_layers + std::string(number_place) + ".", layer);
  std::string_view model = std::string_view(found.prefix).substr(0, found.prefix.find(number_place));
  if (model.size() < found.prefix.size()) model.remove_suffix(last_component(model).size() + 1);  // "layers."
  // Wrappers in front tell nothing: "encoder." of "wrapper.encoder." does.
  const std::size_t own = model.empty() ? 0 : model.size() - last_component(model).size() - 1;
  for (const auto& [name, file] : checkpoint.tensors()) {
    if (name.starts_with(place)) {
      check_own(checkpoint, found, place, name);
      continue;
    }
    const bool of_other_layer =
        at != std::string::npos && name.starts_with(all_layers) && !name.starts_with(own_layer);
    if (of_other_layer || !name.starts_with(model)) continue;
    for (const std::string_view part : other_attention)
      if (name.find(part) != std::string::npos)
        checkpoint.fail(name,
                        fmt::format("tells of attention that is not modelled (its name has '{}')", part));
    if (is_of_another_model(row, name.substr(own)))
      checkpoint.fail(name,
                      fmt::format("tells of another model than {}, whose attention differs", row.models));
  }
}

}  // namespace hardhead::attention
