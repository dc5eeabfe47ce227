#include "attention/files/embeddings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace hardhead::attention {

EmbeddingSource::EmbeddingSource(const Model& model, Index layer, Index k, std::uint64_t seed)
    : model_(model),
      k_(k),
      layer_(model.layer(layer)),
      features_(layer_.layer.d - (layer_.has_constant_feature ? 1 : 0)),
      padding_(model.padding_before_positions()),
      first_position_(padding_ ? *padding_ + 1 : model.architecture().first_position),
      stream_(Domain::samples, seed, "embeddings"),
      teacher_(std::make_unique<LayerTeacher>(layer_.layer)) {
  const Architecture& row = model.architecture();
  if (row.tokens.empty())
    throw InputError(fmt::format("'{}': {} has no table of tokens to draw inputs from",
                                 model.checkpoint().path(), row.name));
  tokens_ = table(row.tokens, features_);
  if (!row.positions.empty()) positions_ = table(row.positions, features_);
  if (!row.token_types.empty()) types_ = table(row.token_types, features_);
  check_beside_tables();
  check_tables();
}

/// What a model adds to the vectors of tokens lies beside their table; all of it must be known.
void EmbeddingSource::check_beside_tables() const {
  const Architecture& row = model_.architecture();
  const std::string scope = model_.prefix() + row.tokens.substr(0, row.tokens.find('.') + 1);
  const auto& tensors = model_.checkpoint().tensors();
  for (auto at = tensors.lower_bound(scope); at != tensors.end() && at->first.starts_with(scope); ++at) {
    const std::string text = at->first.substr(model_.prefix().size());
    const bool is_norm = !row.first_norm.empty() && text.starts_with(row.first_norm);
    const bool is_table = text == row.tokens || text == row.positions || text == row.token_types;
    const bool is_number = text.ends_with(".position_ids") || text.ends_with(".token_type_ids");
    if (!is_norm && !is_table && !is_number)
      model_.checkpoint().fail(at->first, fmt::format("is not known beside the tokens of {}", row.name));
  }
}

void EmbeddingSource::check_tables() const {
  if (padding_ && (*padding_ >= tokens_.rows || tokens_.rows == 1))
    model_.checkpoint().fail(tokens_.name,
                             fmt::format("has {} tokens, but pad_token_id is {}", tokens_.rows, *padding_));
  const Index positions = positions_.rows - first_position_;
  if (positions_.tensor != nullptr && positions < k_)
    model_.checkpoint().fail(positions_.name, fmt::format("has {} positions, but {} tokens are asked for",
                                                          std::max<Index>(positions, 0), k_));
}

EmbeddingSource::Table EmbeddingSource::table(const std::string& text, Index features) const {
  const Checkpoint& checkpoint = model_.checkpoint();
  const std::string name = model_.prefix() + text;
  if (!checkpoint.has(name))
    throw InputError(
        fmt::format("'{}': there is no tensor '{}' to draw inputs from", checkpoint.path(), name));
  const SafetensorsFile::Tensor& tensor = checkpoint.tensor(name);
  if (!is_real(tensor.dtype)) checkpoint.fail(name, "has quantised weights, which are not read");
  if (tensor.shape.size() != 2 || tensor.shape[0] < 1 || tensor.shape[1] != features)
    checkpoint.fail(name, fmt::format("has shape [{}], but rows of {} features are expected",
                                      fmt::join(tensor.shape, ", "), features));
  return {name, &tensor, tensor.shape[0]};
}

void EmbeddingSource::add_row(const Table& table, Index row, Vector& to) const {
  for (Index f = 0; f < features_; ++f) {
    const double value = SafetensorsFile::element(*table.tensor, row * features_ + f);
    if (!std::isfinite(value))
      model_.checkpoint().fail(table.name,
                               fmt::format("has {} in row {}, but weights are finite", value, row));
    to(f) += value;
  }
}

Index EmbeddingSource::token_at(std::uint64_t item) const {
  if (!padding_) return static_cast<Index>(stream_.below(item, static_cast<std::uint64_t>(tokens_.rows)));
  const auto other = static_cast<Index>(stream_.below(item, static_cast<std::uint64_t>(tokens_.rows - 1)));
  return other < *padding_ ? other : other + 1;
}

Index EmbeddingSource::first_position_at(std::uint64_t item) const {
  if (positions_.tensor == nullptr) return 0;
  const auto starts = static_cast<std::uint64_t>(positions_.rows - first_position_ - k_ + 1);
  return first_position_ + static_cast<Index>(stream_.below(item, starts));
}

void EmbeddingSource::read(std::int64_t first, Block& block) const {
  if (layer_.has_constant_feature) block.x.bottomRows(1).setOnes();
  Vector token(features_);
  for (Index n = 0; n < block.count; ++n) {
    const auto item = static_cast<std::uint64_t>((first + n) * (k_ + 1));  // k tokens, then the position
    const Index position = first_position_at(item + static_cast<std::uint64_t>(k_));
    for (Index r = 0; r < k_; ++r) {
      token.setZero();
      add_row(tokens_, token_at(item + static_cast<std::uint64_t>(r)), token);
      token *= model_.embedding_factor(features_);
      if (positions_.tensor != nullptr) add_row(positions_, position + r, token);
      if (types_.tensor != nullptr) add_row(types_, 0, token);
      block.x.col(block.column(r, n)).head(features_) = model_.normalised(token);
    }
  }
  for (const Table* table : {&tokens_, &positions_, &types_})
    if (table->tensor != nullptr) model_.checkpoint().tensors().at(table->name)->check_unchanged();
  teacher_->label(block);
}

double distance_from_isotropy(const SampleSource& source, std::int64_t examples) {
  const Index d = source.d();
  Matrix moment = Matrix::Zero(d, d);
  for (std::int64_t first = 0; first < examples; first += block_size) {
    Block block(d, source.k(), std::min<std::int64_t>(block_size, examples - first));
    source.read(first, block);
    moment += block.x * block.x.transpose();
  }
  moment /= static_cast<double>(examples * source.k());
  return (moment - Matrix::Identity(d, d)).norm() / std::sqrt(static_cast<double>(d));
}

}  // namespace hardhead::attention
