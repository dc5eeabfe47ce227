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
};

/// Where a kind of model keeps an attention layer and what surrounds it: one row of a table. A name is prefix
/// + text, with "{}" for the layer's number; a weight is that + "weight", a bias + "bias". The prefix of a
/// checkpoint is whatever its names have in front.
struct Architecture {
  std::string name;                     ///< "gpt2", as --arch takes it
  std::string models;                   ///< which models have it, for readers
  std::vector<std::string> prefixes;    ///< that are taken where a checkpoint has several
  std::string attention;                ///< in front of the names of the projections
  Packing packing = Packing::separate;  ///< of `inputs`
  bool by_inputs = false;               ///< weights are [inputs, outputs], not PyTorch's [outputs, inputs]
  std::vector<std::string> inputs;      ///< queries, keys, values; or the one that has all of them
  std::string output;                   ///< the projection of the heads' outputs
  std::optional<std::string>
      single_biases{};  ///< in front of the names q_bias, k_bias and v_bias, which some models have
  std::vector<std::string> harmless{};  ///< other tensors behind `attention`: masks, tables, a norm behind it
  std::string norm_kind{};              ///< "LayerNorm", "RMSNorm"; empty where its place is not known
  std::string norm{};                   ///< the norm whose output the layer gets; empty for none
  std::string first_norm{};             ///< if set, `norm` of layer N is that of N - 1, and of 0 is this
  std::string tokens{};                 ///< the table of the vocabulary, behind the prefix; empty for none
  std::string positions{};              ///< that of positions; empty for none
  std::string token_types{};  ///< that of kinds of tokens, of which the first is used; empty for none
  Index first_position = 0;   ///< the row of the first position
  /// Of the model types, those that keep a row of `positions` for padding, by the number of the padding
  /// token, and whose first position is the row behind it. Without config.json a prefix tells the type.
  std::vector<std::string> positions_after_padding{};
  double rotary_share = 0;  ///< by default; 0 where there is no rotary embedding
  /// Parts of names, of prefixes too, that tell a model with such layers and another attention.
  std::vector<std::string> other_models{};
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

/// The architecture of a checkpoint, one of that name if `name` is not empty. Throws InputError naming the
/// checkpoint: no row of the table fits (or that row does not), or several do and no name is given; an
/// unknown name; quantised weights, adapters.
FoundArchitecture find_architecture(const Checkpoint& checkpoint, const std::string& name);

/// Every tensor behind a layer's `attention` is a projection's or harmless, and no other tensor tells of
/// offsets in logits or of another model. Throws InputError naming the tensor that is not so.
void check_surroundings(const Checkpoint& checkpoint, const FoundArchitecture& found, Index layer);

}  // namespace hardhead::attention
