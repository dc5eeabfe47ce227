#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "attention/files/architecture.h"
#include "attention/files/model_config.h"
#include "attention/files/model_type.h"
#include "attention/layer/multihead_attention.h"

namespace hardhead::attention {

/// How a checkpoint is read.
struct ModelOptions {
  std::string architecture;    ///< a name of the table; empty: as the tensors' names show it
  std::string prefix{};        ///< components of the prefix, of a model with several: "encoder"; or empty
  std::optional<Index> heads;  ///< H; by default as config.json says
  /// j - r for tokens at positions r and j, in models with rotary embeddings: Theta depends on it. Masks, and
  /// the causal one among them, take tokens away from a row, and leave every Theta and W as it is.
  Index offset = 0;
};

/// An attention layer of a model as a layer of heads.
struct ModelLayer {
  Layer layer;                       ///< D features, or D + 1, of which the last is the constant 1
  bool has_constant_feature{};       ///< whether it has that last one
  Index heads{}, key_value_heads{};  ///< H, G
  Index head_size{};                 ///< l
  std::vector<std::string> notes;  ///< what was folded into the layer and what was left out, a sentence each
};

/// Query, key and value maps [outputs, inputs], and their biases, which may be empty.
struct Projections {
  std::array<Matrix, 3> maps;    ///< of queries, keys, values
  std::array<Vector, 3> biases;  ///< theirs
};

/// A checkpoint whose architecture is known. Its attention layers are read one by one when they are asked
/// for.
class Model {
 public:
  /// Opens the checkpoint and the config.json beside it. Throws InputError as Checkpoint, find_architecture()
  /// and read_model_config() do; for a model_type of config.json whose attention is known to differ from the
  /// architecture's; for one that is not known or has other names, unless the options name the architecture;
  /// for an offset where there is no rotary embedding.
  Model(const std::string& path, ModelOptions options);

  const Checkpoint& checkpoint() const { return checkpoint_; }               ///< its tensors
  const Architecture& architecture() const { return *found_.architecture; }  ///< its row of the table
  const std::optional<ModelConfig>& config() const { return config_; }       ///< its config.json
  const std::string& prefix() const { return found_.prefix; }                ///< of its tensors' names
  const std::vector<Index>& layers() const { return found_.layers; }         ///< numbers, ascending

  /// Attention layer `number` by its definition: norm, projections, logits, output. Tokens of the layer of
  /// heads are what the norm in front of attention gives before its own gain and shift. Throws InputError
  /// naming file and tensor: a tensor that is missing, quantised, not finite or of a shape that does not fit
  /// the others; heads that do not divide it; a tensor that changes attention in a way that is not modelled;
  /// no number of heads.
  ModelLayer layer(Index number) const;
  /// What the vector of a token is multiplied by before positions are added.
  double embedding_factor(Index features) const;
  /// Bytes that it takes at most to read that layer and to write it to a layer file, by the shapes that the
  /// headers say: the tensors as they lie in the checkpoint, their numbers, which are copied to be folded and
  /// rearranged, and the layer twice. Throws InputError as layer() does for what is missing or has no number
  /// of heads.
  double layer_file_bytes(Index number) const;
  /// The padding token of a model whose positions start behind it (Architecture::positions_after_padding), by
  /// default 1; none of other models.
  std::optional<Index> padding_before_positions() const;
  /// A token as the norm in front of attention leaves it before gain and shift, as it is where none is folded
  /// into the layer. LayerNorm: mean 0, mean square 1; RMSNorm: mean square 1, up to the epsilon under the
  /// root.
  Vector normalised(const Vector& token) const;

 private:
  Index heads() const;
  std::optional<Index> heads_of_tensors() const;
  bool folds_norm() const;
  std::string norm_kind() const;
  void check_type();
  void check_family() const;
  void check_positions() const;
  void check_present(Index number) const;
  bool weights_by_inputs(const std::string& place) const;
  Packing packing() const;
  Projections projections(const std::string& place, const Matrix& output) const;
  AttentionWeights weights(const std::string& place, ModelLayer& out) const;
  void check_shapes(const std::string& place, const Projections& all, const Matrix& output) const;
  void describe(ModelLayer& out) const;
  std::string norm_of(Index number) const;
  void check_norm(const std::string& place) const;
  void fold_norm(Index number, AttentionWeights& weights, ModelLayer& out) const;
  void rotate(AttentionWeights& weights, ModelLayer& out) const;
  double logit_factor(Index number, Index head_size) const;
  void scale_output(Index number, AttentionWeights& weights, ModelLayer& out) const;

  ModelOptions options_;
  Checkpoint checkpoint_;
  FoundArchitecture found_;
  std::optional<ModelConfig> config_;
  const ModelType* type_ = nullptr;  ///< what is known of config_'s model_type
};

}  // namespace hardhead::attention
