#pragma once
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
/// + text, with "{}" for the layer's number; a weight is that + "weight", a bias + "bias".
struct Architecture {
  std::string name;                      ///< "gpt2", as --arch takes it
  std::string models;                    ///< which models have it, for readers
  std::vector<std::string> model_types;  ///< in config.json
  std::vector<std::string> prefixes;     ///< of all names; checkpoints differ in them
  std::string attention;                 ///< in front of the names of the projections
  Packing packing = Packing::separate;   ///< of `inputs`
  bool by_inputs = false;                ///< weights are [inputs, outputs], not PyTorch's [outputs, inputs]
  std::vector<std::string> inputs;       ///< queries, keys, values; or the one that has all of them
  std::string output;                    ///< the projection of the heads' outputs
  std::string norm_kind{};               ///< "LayerNorm", "RMSNorm"; empty where its place is not known
  std::string norm{};                    ///< the norm whose output the layer gets; empty for none
  std::string first_norm{};              ///< if set, `norm` of layer N is that of N - 1, and of 0 is this
  std::string tokens{};                  ///< the table of the vocabulary, behind the prefix; empty for none
  std::string positions{};               ///< that of positions; empty for none
  std::string token_types{};  ///< that of kinds of tokens, of which the first is used; empty for none
  Index first_position = 0;   ///< the row of the first position
  /// Of the model types, those that keep a row of `positions` for padding, by the number of the padding
  /// token, and whose first position is the row behind it. Without config.json a prefix tells the type.
  std::vector<std::string> positions_after_padding{};
  double rotary_share = 0;  ///< by default; 0 where there is no rotary embedding
  std::vector<std::string>
      not_modelled{};  ///< tensors behind `attention` that a layer of heads has no place for
};

/// The text with the number in place of "{}".
std::string numbered(const std::string& text, Index number);

/// The table.
std::span<const Architecture> architectures();

/// A model's architecture as its tensors' names show it.
struct FoundArchitecture {
  const Architecture* architecture;  ///< a row of the table
  std::string prefix;                ///< one of its prefixes
  std::vector<Index> layers;         ///< the numbers of the layers that are there, ascending
};

/// The architecture of a checkpoint, one of that name if `name` is not empty. Throws InputError naming the
/// checkpoint: no row of the table fits (or that row does not), or several do and no name is given; an
/// unknown name; quantised weights.
FoundArchitecture find_architecture(const Checkpoint& checkpoint, const std::string& name);

}  // namespace hardhead::attention
