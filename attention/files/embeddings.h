#pragma once
#include <memory>
#include <optional>

#include "attention/files/model.h"
#include "attention/samples/sample_source.h"
#include "base/numeric/random.h"

namespace hardhead::attention {

/// Examples whose tokens are of the model's own kind: what its first attention layer is given for random
/// sequences of its vocabulary,
///
///     x_r = norm( token[t_r] + position[p + r] + type[0] ),   r = 0 .. k - 1,
///
/// with independent uniform tokens t_r and a uniform first position p, the tables that the model has, and its
/// norm without gain and shift, which are in the layer (Model::layer). No token is one of padding in models
/// like RoBERTa, which give such a token no position. The last feature is 1 where the layer has biases.
/// Labels are the layer's. Of a later layer this is one part of what it is given: the layers before it have
/// added theirs.
///
/// E[x x^T] is not the identity, as it is for the other distributions (samples/inputs.h): features are
/// correlated, and with LayerNorm sum to 0. Learners that assume it say so. inputs() can only say that the
/// entries are real numbers: gaussian, or gaussian_and_one.
class EmbeddingSource final : public SampleSource {
 public:
  /// Keeps a reference to `model`, and reads rows of its tables when they are needed. Throws InputError as
  /// Model::layer() does, and naming the tensor: a model without a vocabulary, a table that is missing or has
  /// another number of features, a table of fewer than k positions, one that is not known beside that of
  /// tokens.
  EmbeddingSource(const Model& model, Index layer, Index k, std::uint64_t seed);

  Index d() const override { return layer_.layer.d; }
  Index k() const override { return k_; }
  Inputs inputs() const override {
    return layer_.has_constant_feature ? Inputs::gaussian_and_one : Inputs::gaussian;
  }
  std::int64_t size() const override { return std::int64_t{1} << 40; }
  /// Throws InputError naming table, row and value: an entry that is not finite.
  void read(std::int64_t first, Block& block) const override;

  const ModelLayer& layer() const { return layer_; }  ///< that labels

 private:
  struct Table {
    std::string name;
    const SafetensorsFile::Tensor* tensor = nullptr;
    Index rows = 0;
  };

  Table table(const std::string& text, Index features) const;
  void check_beside_tables() const;
  void check_tables() const;
  Index token_at(std::uint64_t item) const;
  Index first_position_at(std::uint64_t item) const;
  void add_row(const Table& table, Index row, Vector& to) const;

  const Model& model_;
  Index k_;
  ModelLayer layer_;
  Index features_;  ///< of the model
  Table tokens_, positions_, types_;
  std::optional<Index> padding_;  ///< a token that is not drawn
  Index first_position_;
  Stream stream_;
  std::unique_ptr<const LayerTeacher> teacher_;
};

/// ||E[x x^T] - I|| / ||I|| (Frobenius) over the tokens of the first `examples` examples: how far the inputs
/// are from what phase 1 of the six assumes (learner/phases/w_sum.h). Of order sqrt(d / tokens) where it
/// holds.
double distance_from_isotropy(const SampleSource& source, std::int64_t examples);

}  // namespace hardhead::attention
