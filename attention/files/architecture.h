#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "attention/files/checkpoint.h"

namespace hardhead::attention {

/// How the maps of queries, keys and values are kept.
enum class Packing {
  separate,     ///< a tensor for each
  stacked,      ///< one tensor: all rows of queries, then of keys, then of values
  interleaved,  ///< one tensor: of each head the rows of its query, of its key, of its value
  grouped,      ///< one tensor: of each key-value head the rows of its queries, of its key, of its value
  by_head,      ///< a tensor [H, inputs, outputs] for each, as TransformerLens keeps them
};

/// Where a kind of model keeps an attention layer and what surrounds it: one row of a table. A name is prefix
/// + text, with "{}" for the layer's number; names of weights and biases are by weight() and bias(). The
/// prefix of a checkpoint is whatever its names have in front.
struct Architecture {
  std::string name;                     ///< "gpt2", as --arch takes it
  std::string models;                   ///< which models have it, for readers
  std::vector<std::string> prefixes{};  ///< that are taken where a checkpoint has several
  std::string attention;                ///< in front of the names of the projections
  Packing packing = Packing::separate;  ///< of `inputs`
  bool by_inputs = false;               ///< weights are [inputs, outputs], not PyTorch's [outputs, inputs]
  /// Queries, keys, values; or the one that has all of them.
  std::vector<std::string> inputs{"q_proj.", "k_proj.", "v_proj."};
  std::string output = "out_proj.";  ///< the projection of the heads' outputs
  std::optional<std::string>
      single_biases{};  ///< in front of the names q_bias, k_bias and v_bias, which some models have
  std::vector<std::string> harmless{};  ///< other tensors behind `attention`: masks, tables, a norm behind it
  std::string norm_kind = "LayerNorm";  ///< or "RMSNorm"; empty where that is not known
  /// The norm whose output the layer gets: the one of these that the checkpoint has; empty for none.
  std::vector<std::string> norms{};
  bool norm_is_optional = false;  ///< a checkpoint without the norm has it folded into the maps
  std::string first_norm{};       ///< if set, the norm of layer N is that of N - 1, and of 0 is this
  double norm_epsilon = 1e-5;     ///< under the norm's root, unless config.json says another
  /// Factors of the layer's outputs, feature by feature, in checkpoints that have one of these.
  std::vector<std::string> layer_scales{};
  bool scaled_by_head_size = true;  ///< logits are divided by sqrt(head size)
  std::string tokens{};             ///< the table of the vocabulary, behind the prefix; empty for none
  std::string positions{};          ///< that of positions; empty for none
  std::string token_types{};        ///< that of kinds of tokens, of which the first is used; empty for none
  Index first_position = 0;         ///< the row of the first position
  /// Of the model types, those that keep a row of `positions` for padding, by the number of the padding
  /// token, and whose first position is the row behind it. Without config.json a prefix tells the type.
  std::vector<std::string> positions_after_padding{};
  double rotary_share = 0;    ///< by default; 0 where there is no rotary embedding
  bool rotary_pairs = false;  ///< features 2i and 2i + 1 are rotated together, not i and i + r/2
  /// Parts of names, of prefixes too, that tell a model with such layers and another attention.
  std::vector<std::string> other_models{};
  /// A tensor, with "{}" for a layer's number, without which a checkpoint is another model; empty for none.
  std::string tell{};
  std::vector<std::string> stacks{};  ///< what prefixes end in; empty for any end

  /// The name of a projection's weight or bias, behind `attention`; `stem` is of `inputs`, or `output`.
  /// "c_proj." has c_proj.weight and c_proj.bias; by_head, "O" has W_O and b_O.
  std::string weight(const std::string& stem) const;
  std::string bias(const std::string& stem) const;  ///< likewise
  /// The stem of the projection of queries, keys or values (0, 1, 2).
  const std::string& input(std::size_t part) const { return inputs[inputs.size() == 1 ? 0 : part]; }
};

/// The text with the number in place of "{}".
std::string numbered(const std::string& text, Index number);

/// The table.
std::span<const Architecture> architectures();

/// A model's architecture as its tensors' names show it.
struct FoundArchitecture {
  const Architecture* architecture;   ///< a row of the table
  std::string prefix;                 ///< in front of the names of its tensors
  std::vector<Index> layers;          ///< the numbers of the layers that are there, ascending
  std::vector<std::string> left_out;  ///< other prefixes with such layers, which are not read
};

/// The architecture of a checkpoint, one of that name if `name` is not empty, under a prefix that begins
/// with the components `prefix` ("encoder", "model.encoder"), or else has them, if that is not empty. Where
/// several rows fit, those are left out that a tensor speaks against (check_surroundings()). Throws
/// InputError naming the checkpoint: no row of the table fits (or that row does not), or several do, or one
/// under several prefixes; an unknown name; quantised weights, adapters.
FoundArchitecture find_architecture(const Checkpoint& checkpoint, const std::string& name,
                                    const std::string& prefix = {});

/// Every tensor behind a layer's `attention` is a projection's or harmless, and no other tensor tells of
/// offsets in logits or of another model. Throws InputError naming the tensor that is not so.
void check_surroundings(const Checkpoint& checkpoint, const FoundArchitecture& found, Index layer);

}  // namespace hardhead::attention
