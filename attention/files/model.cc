#include "attention/files/model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "attention/forward/memory.h"
#include "base/error.h"
#include "base/text/quoted.h"

namespace hardhead::attention {
namespace {

/// Query, key and value maps [outputs, inputs], and their biases.
struct Projections {
  std::array<Matrix, 3> maps;
  std::array<Vector, 3> biases;
};

/// One tensor in three: rows `part` of each group of rows, by the packing.
Matrix part_of(const Matrix& all, Packing packing, Index part, Index heads) {
  const Index third = all.rows() / 3;
  if (packing == Packing::stacked) return all.middleRows(part * third, third);
  const Index l = third / heads;
  Matrix out(third, all.cols());
  for (Index i = 0; i < heads; ++i) out.middleRows(i * l, l) = all.middleRows((3 * i + part) * l, l);
  return out;
}

/// A projection as it lies in the checkpoint.
struct Reader {
  const Checkpoint& checkpoint;
  bool by_inputs;

  /// [outputs, inputs]
  Matrix map(const std::string& stem) const {
    const Matrix out = checkpoint.matrix(stem + "weight");
    return by_inputs ? Matrix(out.transpose()) : out;
  }
  /// Empty where there is none.
  Vector bias(const std::string& stem, Index size) const {
    const std::string name = stem + "bias";
    if (!checkpoint.has(name)) return {};
    Vector out = checkpoint.vector(name);
    if (out.size() != size)
      checkpoint.fail(name,
                      fmt::format("has {} numbers, but {}weight has {} outputs", out.size(), stem, size));
    return out;
  }
};

Projections separate(const Reader& reader, const std::string& place, const Architecture& row) {
  Projections out;
  for (std::size_t p = 0; p < 3; ++p) {
    const std::string stem = place + row.inputs[p];
    out.maps[p] = reader.map(stem);
    out.biases[p] = reader.bias(stem, out.maps[p].rows());
  }
  return out;
}

Projections packed(const Reader& reader, const std::string& place, const Architecture& row, Index heads) {
  const std::string stem = place + row.inputs.front();
  const Matrix all = reader.map(stem);
  if (all.rows() % 3 != 0 || all.rows() / 3 % heads != 0)
    reader.checkpoint.fail(
        stem + "weight",
        fmt::format("has {} outputs, but 3 times a multiple of {} heads is expected", all.rows(), heads));
  const Vector bias = reader.bias(stem, all.rows());
  Projections out;
  for (std::size_t p = 0; p < 3; ++p) {
    out.maps[p] = part_of(all, row.packing, static_cast<Index>(p), heads);
    if (bias.size() != 0) out.biases[p] = part_of(bias, row.packing, static_cast<Index>(p), heads);
  }
  return out;
}

}  // namespace

Model::Model(const std::string& path, ModelOptions options)
    : options_(std::move(options)),
      checkpoint_(path),
      found_(find_architecture(checkpoint_, options_.architecture)),
      config_(read_model_config(checkpoint_.folder())) {
  check_type();
  if (options_.offset == 0) return;
  if (architecture().rotary_share == 0)
    throw InputError(fmt::format("offset {}: '{}' is {}, whose layers do not depend on positions",
                                 options_.offset, path, architecture().name));
  if (config_ && config_->rotary_scaling)
    throw InputError(
        fmt::format("offset {}: '{}' scales its rotary embedding by the rule {}, which is not "
                    "modelled",
                    options_.offset, config_->path, hardhead::quoted(*config_->rotary_scaling)));
}

void Model::check_type() const {
  if (!config_) return;
  const auto& known = architecture().model_types;
  if (config_->model_type && options_.architecture.empty() && !known.empty() &&
      std::ranges::find(known, *config_->model_type) == known.end())
    throw InputError(
        fmt::format("'{}': model_type is {}, but the tensors have the names of {} ({}); --arch {} "
                    "reads them so all the same",
                    config_->path, hardhead::quoted(*config_->model_type), architecture().name,
                    fmt::join(known, ", "), architecture().name));
  for (const char* rule : {"yarn", "longrope"})
    if (config_->rotary_scaling == rule)
      throw InputError(
          fmt::format("'{}': the rotary embedding is scaled by the rule {}, which changes all logits "
                      "and is not modelled",
                      config_->path, rule));
}

Index Model::heads() const {
  if (options_.heads) return *options_.heads;
  if (config_ && config_->heads) return *config_->heads;
  throw InputError(
      fmt::format("'{}': {} says the number of heads; give it by --num-heads", checkpoint_.path(),
                  config_ ? "nothing in the config.json beside it" : "no config.json beside it"));
}

std::optional<Index> Model::padding_before_positions() const {
  constexpr Index usual = 1;
  const auto& types = architecture().positions_after_padding;
  const std::string type = config_ && config_->model_type ? *config_->model_type
                                                          : found_.prefix.substr(0, found_.prefix.find('.'));
  if (std::ranges::find(types, type) == types.end()) return std::nullopt;
  return config_ ? config_->padding_token.value_or(usual) : usual;
}

void Model::check_present(Index number) const {
  if (std::ranges::find(layers(), number) != layers().end()) return;
  const std::string place = found_.prefix + architecture().attention, mine = numbered(place, number);
  const auto at = checkpoint_.tensors().lower_bound(mine);
  if (mine != place && at != checkpoint_.tensors().end() && at->first.starts_with(mine))
    throw InputError(fmt::format("'{}': there is no tensor '{}{}weight', which layer {} needs",
                                 checkpoint_.path(), mine, architecture().output, number));
  throw InputError(fmt::format("'{}': layer {} is asked for, but it has {} attention layers, {} .. {}",
                               checkpoint_.path(), number, layers().size(), layers().front(),
                               layers().back()));
}

AttentionWeights Model::weights(const std::string& place, ModelLayer& out) const {
  const Architecture& row = architecture();
  for (const std::string& name : row.not_modelled)
    if (checkpoint_.has(place + name))
      checkpoint_.fail(place + name, "changes attention in a way that a layer of heads has no place for");
  const Reader reader{checkpoint_, row.by_inputs};
  const Index h = heads();
  Projections all =
      row.packing == Packing::separate ? separate(reader, place, row) : packed(reader, place, row, h);
  const std::string first = place + row.inputs.front() + "weight";
  const Index d = all.maps[0].cols(), rows = all.maps[0].rows();
  if (rows % h != 0)
    checkpoint_.fail(first, fmt::format("has {} outputs, which {} heads do not divide", rows, h));
  const Index l = rows / h, key_rows = all.maps[1].rows();
  if (config_ && config_->head_size && *config_->head_size != l)
    checkpoint_.fail(first, fmt::format("makes {} heads of size {}, but '{}' says head_dim = {}", h, l,
                                        config_->path, *config_->head_size));
  const std::string key = place + row.inputs[row.packing == Packing::separate ? 1 : 0] + "weight";
  if (key_rows % l != 0 || h % (key_rows / l) != 0)
    checkpoint_.fail(key, fmt::format("has {} outputs for keys: heads of size {} whose number divides {} are "
                                      "expected",
                                      key_rows, l, h));
  if (config_ && config_->key_value_heads && *config_->key_value_heads != key_rows / l)
    checkpoint_.fail(key, fmt::format("has {} key-value heads of size {}, but '{}' says {}", key_rows / l, l,
                                      config_->path, *config_->key_value_heads));
  for (std::size_t p = 1; p < 3; ++p)
    if (all.maps[p].rows() != key_rows || all.maps[p].cols() != d)
      checkpoint_.fail(place + row.inputs[row.packing == Packing::separate ? p : 0] + "weight",
                       fmt::format("maps {} features to {}, but {} to {} is expected", all.maps[p].cols(),
                                   all.maps[p].rows(), d, key_rows));
  const std::string stem = place + row.output;
  Matrix output = reader.map(stem);
  if (output.rows() != d || output.cols() != rows)
    checkpoint_.fail(stem + "weight", fmt::format("maps {} features to {}, but {} to {} is expected",
                                                  output.cols(), output.rows(), rows, d));
  Vector output_bias = reader.bias(stem, d);
  if (all.biases[1].size() != 0)
    out.notes.emplace_back("Biases of keys are left out: they change no attention pattern.");
  return {.heads = h,
          .query = std::move(all.maps[0]),
          .key = std::move(all.maps[1]),
          .value = std::move(all.maps[2]),
          .output = std::move(output),
          .query_bias = std::move(all.biases[0]),
          .value_bias = std::move(all.biases[2]),
          .output_bias = std::move(output_bias)};
}

bool Model::folds_norm() const {
  return !architecture().norm.empty() && (!config_ || config_->norm_before);
}

Vector Model::normalised(const Vector& token) const {
  if (!folds_norm()) return token;
  constexpr double usual_epsilon = 1e-5;
  const double epsilon = config_ ? config_->norm_epsilon.value_or(usual_epsilon) : usual_epsilon;
  const Vector centred =
      architecture().norm_kind == "LayerNorm" ? Vector(token.array() - token.mean()) : token;
  return centred / std::sqrt(centred.squaredNorm() / static_cast<double>(centred.size()) + epsilon);
}

void Model::fold_norm(Index number, AttentionWeights& weights, ModelLayer& out) const {
  const Architecture& row = architecture();
  if (!folds_norm()) {
    out.notes.emplace_back("No norm is folded in: tokens are what the attention itself is given.");
    return;
  }
  const bool previous = !row.first_norm.empty();
  const std::string place =
      found_.prefix +
      (previous && number == 0 ? row.first_norm : numbered(row.norm, previous ? number - 1 : number));
  const auto spelling = [&](const char* name, const char* old_name) {
    return checkpoint_.has(place + old_name) ? place + old_name : place + name;
  };
  const Index d = weights.query.cols();
  const auto read = [&](const std::string& name) {
    Vector values = checkpoint_.vector(name);
    if (values.size() != d)
      checkpoint_.fail(name, fmt::format("has {} numbers, but tokens have {} features", values.size(), d));
    return values;
  };
  const std::string gain = spelling("weight", "gamma"), shift = spelling("bias", "beta");
  const bool has_shift = checkpoint_.has(shift);
  weights = with_norm_folded(weights, read(gain), has_shift ? read(shift) : Vector());
  out.notes.push_back(
      fmt::format("The {} of the {} '{}' {} folded into the maps: tokens are what the norm gives "
                  "before.",
                  has_shift ? "gain and the shift" : "gain", row.norm_kind, place, has_shift ? "are" : "is"));
}

void Model::rotate(AttentionWeights& weights, ModelLayer& out) const {
  const double by_default = architecture().rotary_share;
  if (by_default == 0) return;
  constexpr double usual_base = 10000;
  const double share = config_ ? config_->rotary_share.value_or(by_default) : by_default;
  const double base = config_ ? config_->rotary_base.value_or(usual_base) : usual_base;
  if (options_.offset != 0) weights.rotation = rotary_matrix(out.head_size, share, base, options_.offset);
  out.notes.push_back(fmt::format("Rotary embedding: Theta is that of two tokens at positions r and r + {}.",
                                  options_.offset));
}

ModelLayer Model::layer(Index number) const {
  check_present(number);
  ModelLayer out;
  AttentionWeights all = weights(numbered(found_.prefix + architecture().attention, number), out);
  out.heads = all.heads;
  out.head_size = all.head_size();
  out.key_value_heads = all.key_value_heads();
  fold_norm(number, all, out);
  rotate(all, out);
  if (config_ && !config_->scaled_by_head_size)
    all.logit_factor = std::sqrt(static_cast<double>(out.head_size));
  if (config_ && config_->scaled_by_layer) all.logit_factor /= static_cast<double>(number + 1);
  out.has_constant_feature = all.has_bias();
  if (out.has_constant_feature)
    out.notes.emplace_back("Biases: the last feature of tokens is the constant 1, and that of labels is 0.");
  out.layer = layer_of(all);
  return out;
}

double Model::layer_file_bytes(Index number) const {
  check_present(number);
  const Architecture& row = architecture();
  const std::string place = numbered(found_.prefix + row.attention, number);
  std::vector<std::string> stems = row.inputs;
  stems.push_back(row.output);
  double stored = 0, widened = 0;
  Index d = 0;
  for (const std::string& stem : stems) {
    const auto at = checkpoint_.tensors().find(place + stem + "weight");
    if (at == checkpoint_.tensors().end()) continue;  // layer() says what is missing
    const SafetensorsFile::Tensor& tensor = at->second->tensor(at->first);
    const auto bytes = static_cast<double>(tensor.bytes.size());
    stored += bytes;
    widened += sizeof(double) * bytes / static_cast<double>(size_of(tensor.dtype));
    if (stem == row.output && !tensor.shape.empty())
      d = tensor.shape[row.by_inputs ? tensor.shape.size() - 1 : 0];
  }
  constexpr double copies_of_maps = 4, copies_of_layer = 2;
  return stored + copies_of_maps * widened + copies_of_layer * layer_bytes(d + 1, heads());
}

Matrix rotary_matrix(Index head_size, double share, double base, Index offset) {
  const auto rotated = static_cast<Index>(share * static_cast<double>(head_size));
  if (rotated < 2 || rotated % 2 != 0 || rotated > head_size)
    throw InputError(fmt::format(
        "a rotary embedding of {} of {} features: an even number of them is expected", rotated, head_size));
  Matrix out = Matrix::Identity(head_size, head_size);
  const Index half = rotated / 2;
  for (Index i = 0; i < half; ++i) {
    const double angle = static_cast<double>(offset) *
                         std::pow(base, -2 * static_cast<double>(i) / static_cast<double>(rotated));
    out(i, i) = out(i + half, i + half) = std::cos(angle);
    out(i, i + half) = -std::sin(angle);
    out(i + half, i) = std::sin(angle);
  }
  return out;
}

}  // namespace hardhead::attention
