#include "attention/files/model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "attention/forward/memory.h"
#include "base/error.h"
#include "base/text/quoted.h"

namespace hardhead::attention {
namespace {

/// Rows of queries, and of keys and of values, which may be fewer, in one tensor.
struct PackedRows {
  Index query, key;
};

bool divides_heads(const PackedRows& rows, Index heads) {
  const Index l = rows.query / heads;
  return rows.key % l == 0 && heads % (rows.key / l) == 0;
}

/// One tensor in three, by the packing.
Matrix part_of(const Matrix& all, Packing packing, const PackedRows& rows, Index part, Index heads) {
  const Index own = part == 0 ? rows.query : rows.key;
  if (packing == Packing::stacked)
    return all.middleRows(part == 0 ? 0 : rows.query + (part - 1) * rows.key, own);
  const Index l = rows.query / heads, groups = rows.key / l, of_group = own / groups,
              before = part == 0 ? 0 : rows.query / groups + (part - 1) * l, stride = all.rows() / groups;
  Matrix out(own, all.cols());
  for (Index g = 0; g < groups; ++g)
    out.middleRows(g * of_group, of_group) = all.middleRows(g * stride + before, of_group);
  return out;
}

/// The projections of a layer as they lie in the checkpoint, by their stems.
struct Reader {
  const Checkpoint& checkpoint;
  const Architecture& row;
  const std::string& place;
  bool by_inputs;

  std::string weight(const std::string& stem) const { return place + row.weight(stem); }
  /// [outputs, inputs]; `is_output`: of the projection of the heads' outputs.
  Matrix map(const std::string& stem, bool is_output = false) const {
    if (row.packing != Packing::by_head) {
      const Matrix out = checkpoint.matrix(weight(stem));
      return by_inputs ? Matrix(out.transpose()) : out;
    }
    const Matrix all = checkpoint.matrix(weight(stem), 3);
    if (is_output) return all.transpose();
    const Index heads = checkpoint.tensor(weight(stem)).shape[0], l = all.cols(), d = all.rows() / heads;
    Matrix out(heads * l, d);
    for (Index i = 0; i < heads; ++i) out.middleRows(i * l, l) = all.middleRows(i * d, d).transpose();
    return out;
  }
  /// Empty where there is none.
  Vector bias(const std::string& stem, Index size, bool is_output = false) const {
    const std::string name = place + row.bias(stem);
    if (!checkpoint.has(name)) return {};
    Vector out = checkpoint.vector(name, row.packing == Packing::by_head && !is_output ? 2 : 1);
    if (out.size() != size)
      checkpoint.fail(name,
                      fmt::format("has {} numbers, but {} has {} outputs", out.size(), weight(stem), size));
    return out;
  }
};

Projections separate(const Reader& reader) {
  Projections out;
  for (std::size_t p = 0; p < 3; ++p) {
    const std::string& stem = reader.row.input(p);
    out.maps[p] = reader.map(stem);
    out.biases[p] = reader.bias(stem, out.maps[p].rows());
  }
  return out;
}

Projections packed(const Reader& reader, const Matrix& output, Packing packing, Index heads) {
  const std::string& stem = reader.row.input(0);
  const Matrix all = reader.map(stem);
  const PackedRows rows{output.cols(), (all.rows() - output.cols()) / 2};
  const bool same = rows.key == rows.query;
  const bool is_odd = rows.key < 1 || rows.query + 2 * rows.key != all.rows() || rows.query % heads != 0;
  if (is_odd || (packing == Packing::interleaved && !same) ||
      (packing == Packing::grouped && !divides_heads(rows, heads)))
    reader.checkpoint.fail(
        reader.weight(stem),
        fmt::format("has {} outputs, but {} for queries of {} heads and as many for keys as for values are "
                    "expected",
                    all.rows(), rows.query, heads));
  const Vector bias = reader.bias(stem, all.rows());
  Projections out;
  for (std::size_t p = 0; p < 3; ++p) {
    out.maps[p] = part_of(all, packing, rows, static_cast<Index>(p), heads);
    if (bias.size() != 0) out.biases[p] = part_of(bias, packing, rows, static_cast<Index>(p), heads);
  }
  return out;
}

/// The biases that a model keeps beside a projection without them.
void add_single_biases(const Reader& reader, const std::string& place, Projections& all) {
  constexpr const char* names[] = {"q_bias", "k_bias", "v_bias"};
  for (std::size_t p = 0; p < 3; ++p) {
    const std::string name = place + names[p];
    if (!reader.checkpoint.has(name)) continue;
    if (all.biases[p].size() != 0) reader.checkpoint.fail(name, "is a second bias of the same outputs");
    all.biases[p] = reader.checkpoint.vector(name);
    if (all.biases[p].size() != all.maps[p].rows())
      reader.checkpoint.fail(name, fmt::format("has {} numbers, but there are {} outputs",
                                               all.biases[p].size(), all.maps[p].rows()));
  }
}

/// "roberta" of "module.roberta."
std::string last_part(std::string prefix) {
  if (prefix.ends_with('.')) prefix.pop_back();
  return prefix.substr(prefix.rfind('.') + 1);  // npos + 1 is 0
}

/// Does any tensor's name begin so?
bool has_place(const Checkpoint& checkpoint, const std::string& place) {
  const auto at = checkpoint.tensors().lower_bound(place);
  return at != checkpoint.tensors().end() && at->first.starts_with(place);
}

void refuse_if_it_differs(const ModelConfig& config, const ModelType& type) {
  if (!type.differs.empty())
    throw InputError(fmt::format("'{}': model_type is {}, whose attention is not read: {}", config.path,
                                 hardhead::quoted(type.name), type.differs));
}

/// The architecture; where there is none, an error that says what config.json calls the model.
FoundArchitecture found_in(const Checkpoint& checkpoint, const ModelOptions& options) {
  try {
    return find_architecture(checkpoint, options.architecture, options.prefix);
  } catch (const InputError& error) {
    const auto config = read_model_config(checkpoint.folder(), "");
    if (!config || !config->model_type) throw;
    const ModelType* type = find_model_type(*config->model_type);
    if (type != nullptr) refuse_if_it_differs(*config, *type);
    if (type != nullptr) throw;
    throw InputError(fmt::format("{}; config.json says model_type {}", error.what(),
                                 hardhead::quoted(*config->model_type)));
  }
}

/// A rotary embedding of the first r features of a head.
struct RotaryEmbedding {
  Index features = 0;   // r
  double base = 10000;  // of the angles
  double factor = 1;    // what rotated features of queries and of keys are multiplied by
  bool pairs = false;   // Architecture::rotary_pairs
};

/// factor^2 R_offset, l x l: the first r features are rotated two by two, those of number i by the angle
/// offset base^(-2i/r).
Matrix rotary_matrix(const RotaryEmbedding& rotary, Index head_size, Index offset) {
  const Index rotated = rotary.features;
  if (rotated < 2 || rotated % 2 != 0 || rotated > head_size)
    throw InputError(fmt::format(
        "a rotary embedding of {} of {} features: an even number of them is expected", rotated, head_size));
  Matrix out = Matrix::Identity(head_size, head_size);
  const double length = rotary.factor * rotary.factor;
  for (Index i = 0; i < rotated / 2; ++i) {
    const double angle = static_cast<double>(offset) *
                         std::pow(rotary.base, -2 * static_cast<double>(i) / static_cast<double>(rotated));
    const Index first = rotary.pairs ? 2 * i : i, second = rotary.pairs ? first + 1 : i + rotated / 2;
    out(first, first) = out(second, second) = length * std::cos(angle);
    out(first, second) = -length * std::sin(angle);
    out(second, first) = length * std::sin(angle);
  }
  return out;
}

}  // namespace

Model::Model(const std::string& path, ModelOptions options)
    : options_(std::move(options)),
      checkpoint_(path),
      found_(found_in(checkpoint_, options_)),
      config_(read_model_config(checkpoint_.folder(), found_.prefix)) {
  check_type();
  check_family();
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

void Model::check_type() {
  const Architecture& row = architecture();
  if (!config_ || !config_->model_type || row.name == "torch") return;  // that is a module, whoever uses it
  const ModelType* type = find_model_type(*config_->model_type);
  if (type != nullptr) refuse_if_it_differs(*config_, *type);
  if (type != nullptr && std::ranges::find(type->architectures, row.name) != type->architectures.end()) {
    type_ = type;
    return;
  }
  if (!options_.architecture.empty()) return;
  check_surroundings(checkpoint_, found_, layers().front());  // what it finds says more
  const std::string says =
      fmt::format("'{}': model_type is {}", config_->path, hardhead::quoted(*config_->model_type));
  const std::string attention = numbered(row.attention, layers().front()),
                    told_by = row.tell.empty() ? attention + row.weight(row.output)
                                               : numbered(row.tell, layers().front()),
                    tensor = hardhead::quoted(found_.prefix + told_by);
  if (type != nullptr)
    throw InputError(fmt::format("{}, which has the names of {}, but tensor {} is named as in {}", says,
                                 fmt::join(type->architectures, " or "), tensor, row.name));
  throw InputError(
      fmt::format("{}, which is not known; tensor {} is named as in {}. If its attention is that of {}, "
                  "--arch {} reads it",
                  says, tensor, row.name, row.models, row.name));
}

void Model::check_family() const {
  if (!config_ || !config_->variant || architecture().name != "timm") return;
  const std::string says = fmt::format("'{}': architecture is {}", config_->path,
                                       hardhead::quoted(*config_->variant)),
                    reason = reason_against_timm(*config_->variant);
  if (!reason.empty()) throw InputError(fmt::format("{}, whose attention is not read: {}", says, reason));
  if (options_.architecture.empty() && !is_known_timm(*config_->variant))
    throw InputError(
        fmt::format("{}, which is not known. If its attention is that of a ViT, --arch timm reads it", says));
}

void Model::check_positions() const {
  if (!config_ || !config_->positions) return;
  const std::string& kind = *config_->positions;
  const bool rotary = architecture().rotary_share != 0;
  if (kind != "none" &&
      (rotary ? kind != "rope" && kind != "rotary" : kind != "absolute" && kind != "learned"))
    throw InputError(fmt::format(
        "'{}': position_embedding_type is {}, but attention of {} is read with {} "
        "positions only",
        config_->path, hardhead::quoted(kind), architecture().models, rotary ? "rotary" : "absolute"));
}

/// Where each head has its own part of a tensor, the number of heads is an extent.
std::optional<Index> Model::heads_of_tensors() const {
  const Architecture& row = architecture();
  if (row.packing != Packing::by_head) return std::nullopt;
  const std::string name = numbered(found_.prefix + row.attention, layers().front()) + row.weight(row.output);
  const auto& shape = checkpoint_.tensor(name).shape;
  if (shape.size() != 3) return std::nullopt;
  if (options_.heads && *options_.heads != shape.front())
    checkpoint_.fail(name, fmt::format("has {} heads, but {} are asked for", shape.front(), *options_.heads));
  return shape.front();
}

Index Model::heads() const {
  if (const auto extent = heads_of_tensors()) return *extent;
  if (options_.heads) return *options_.heads;
  if (config_ && config_->heads) return *config_->heads;
  throw InputError(
      fmt::format("'{}': {} says the number of heads; give it by --num-heads", checkpoint_.path(),
                  config_ ? "nothing in the config.json beside it" : "no config.json beside it"));
}

std::optional<Index> Model::padding_before_positions() const {
  constexpr Index usual = 1;
  const auto& types = architecture().positions_after_padding;
  const std::string type = config_ && config_->model_type ? *config_->model_type : last_part(found_.prefix);
  if (std::ranges::find(types, type) == types.end()) return std::nullopt;
  return config_ ? config_->padding_token.value_or(usual) : usual;
}

void Model::check_present(Index number) const {
  if (std::ranges::find(layers(), number) != layers().end()) return;
  const std::string place = found_.prefix + architecture().attention, mine = numbered(place, number);
  if (mine != place && has_place(checkpoint_, mine))
    throw InputError(fmt::format("'{}': there is no tensor '{}{}', which layer {} needs", checkpoint_.path(),
                                 mine, architecture().weight(architecture().output), number));
  throw InputError(fmt::format("'{}': layer {} is asked for, but it has {} attention layers, {} .. {}",
                               checkpoint_.path(), number, layers().size(), layers().front(),
                               layers().back()));
}

bool Model::weights_by_inputs(const std::string& place) const {
  const Architecture& row = architecture();
  if (!row.by_inputs) return false;
  const auto& input = checkpoint_.tensor(place + row.weight(row.input(0))).shape;
  const auto& output = checkpoint_.tensor(place + row.weight(row.output)).shape;
  // The output projection is square and does not tell.
  const bool is_linear =
      input.size() == 2 && output.size() == 2 && input[1] == output[0] && input[0] != output[0];
  return !is_linear;
}

Packing Model::packing() const {
  return type_ != nullptr ? type_->packing.value_or(architecture().packing) : architecture().packing;
}

Projections Model::projections(const std::string& place, const Matrix& output) const {
  const Architecture& row = architecture();
  const Reader reader{checkpoint_, row, place, weights_by_inputs(place)};
  Projections out = row.inputs.size() == 3 ? separate(reader) : packed(reader, output, packing(), heads());
  if (row.single_biases) add_single_biases(reader, place + *row.single_biases, out);
  check_shapes(place, out, output);
  return out;
}

AttentionWeights Model::weights(const std::string& place, ModelLayer& out) const {
  const Architecture& row = architecture();
  const Reader reader{checkpoint_, row, place, weights_by_inputs(place)};
  constexpr bool is_output = true;
  Matrix output = reader.map(row.output, is_output);
  Vector output_bias = reader.bias(row.output, output.rows(), is_output);
  Projections all = projections(place, output);
  if (all.biases[1].size() != 0)
    out.notes.emplace_back(
        row.rotary_share == 0
            ? "Biases of keys are left out: they change no attention pattern."
            : "Biases of keys are left out: at one offset they add the same to all logits of a row. In the "
              "model, whose offsets differ within a row, they do change the pattern.");
  return {.heads = heads(),
          .query = std::move(all.maps[0]),
          .key = std::move(all.maps[1]),
          .value = std::move(all.maps[2]),
          .output = std::move(output),
          .query_bias = std::move(all.biases[0]),
          .value_bias = std::move(all.biases[2]),
          .output_bias = std::move(output_bias)};
}

void Model::check_shapes(const std::string& place, const Projections& all, const Matrix& output) const {
  const Architecture& row = architecture();
  const Index h = heads();
  const std::string first = place + row.weight(row.input(0));
  const Index d = all.maps[0].cols(), rows = all.maps[0].rows();
  if (rows % h != 0)
    checkpoint_.fail(first, fmt::format("has {} outputs, which {} heads do not divide", rows, h));
  const Index l = rows / h, key_rows = all.maps[1].rows();
  if (config_ && config_->head_size && *config_->head_size != l)
    checkpoint_.fail(first, fmt::format("makes {} heads of size {}, but '{}' says head_dim = {}", h, l,
                                        config_->path, *config_->head_size));
  const std::string key = place + row.weight(row.input(1));
  if (key_rows % l != 0 || h % (key_rows / l) != 0)
    checkpoint_.fail(key, fmt::format("has {} outputs for keys: heads of size {} whose number divides {} are "
                                      "expected",
                                      key_rows, l, h));
  if (config_ && config_->key_value_heads && *config_->key_value_heads != key_rows / l)
    checkpoint_.fail(key, fmt::format("has {} key-value heads of size {}, but '{}' says {}", key_rows / l, l,
                                      config_->path, *config_->key_value_heads));
  for (std::size_t p = 1; p < 3; ++p)
    if (all.maps[p].rows() != key_rows || all.maps[p].cols() != d)
      checkpoint_.fail(place + row.weight(row.input(p)),
                       fmt::format("maps {} features to {}, but {} to {} is expected", all.maps[p].cols(),
                                   all.maps[p].rows(), d, key_rows));
  if (output.rows() != d || output.cols() != rows)
    checkpoint_.fail(place + row.weight(row.output),
                     fmt::format("maps {} features to {}, but {} to {} is expected", output.cols(),
                                 output.rows(), rows, d));
}

std::string Model::norm_kind() const {
  return type_ != nullptr && !type_->norm_kind.empty() ? type_->norm_kind : architecture().norm_kind;
}

double Model::embedding_factor(Index features) const {
  if (type_ != nullptr && type_->scaled_embeddings) return std::sqrt(static_cast<double>(features));
  return config_ ? config_->embedding_factor.value_or(1) : 1;
}

bool Model::folds_norm() const {
  return !architecture().norms.empty() && (!config_ || config_->norm_before);
}

Vector Model::normalised(const Vector& token) const {
  if (!folds_norm()) return token;
  const double usual = architecture().norm_epsilon;
  const double epsilon = config_ ? config_->norm_epsilon.value_or(usual) : usual;
  const Vector centred = norm_kind() == "LayerNorm" ? Vector(token.array() - token.mean()) : token;
  return centred / std::sqrt(centred.squaredNorm() / static_cast<double>(centred.size()) + epsilon);
}

/// The name of the norm in front of a layer; empty where it is folded into the maps already.
std::string Model::norm_of(Index number) const {
  const Architecture& row = architecture();
  const bool is_previous = !row.first_norm.empty();
  if (is_previous && number == 0) return found_.prefix + row.first_norm;
  std::vector<std::string> there;
  for (const std::string& norm : row.norms)
    if (const std::string place = found_.prefix + numbered(norm, is_previous ? number - 1 : number);
        has_place(checkpoint_, place))
      there.push_back(place);
  if (there.size() > 1)
    throw InputError(
        fmt::format("'{}': layer {} has the norms '{}', but one in front of attention is expected",
                    checkpoint_.path(), number, fmt::join(there, "' and '")));
  if (!there.empty()) return there.front();
  if (row.norm_is_optional) return {};
  return found_.prefix + numbered(row.norms.front(), is_previous ? number - 1 : number);
}

/// Every tensor of a norm is its gain or its shift.
void Model::check_norm(const std::string& place) const {
  constexpr std::string_view known[] = {"weight", "bias", "gamma", "beta", "w", "b"};
  for (auto at = checkpoint_.tensors().lower_bound(place);
       at != checkpoint_.tensors().end() && at->first.starts_with(place); ++at)
    if (std::ranges::find(known, std::string_view(at->first).substr(place.size())) == std::end(known))
      checkpoint_.fail(at->first, "is not known in a norm: what it changes there is not modelled");
}

void Model::fold_norm(Index number, AttentionWeights& weights, ModelLayer& out) const {
  const Architecture& row = architecture();
  const std::string place = folds_norm() ? norm_of(number) : "";
  if (place.empty()) {
    out.notes.emplace_back("No norm is folded in: tokens are what the attention itself is given.");
    return;
  }
  const auto spelling = [&](const char* usual, std::initializer_list<const char*> others) {
    for (const char* other : others)
      if (checkpoint_.has(place + other)) return place + other;
    return place + usual;
  };
  check_norm(place);
  const Index d = weights.query.cols();
  const auto read = [&](const std::string& name) {
    Vector values = checkpoint_.vector(name);
    if (values.size() != d)
      checkpoint_.fail(name, fmt::format("has {} numbers, but tokens have {} features", values.size(), d));
    return values;
  };
  const std::string gain = spelling("weight", {"gamma", "w"}), shift = spelling("bias", {"beta", "b"});
  const bool has_shift = checkpoint_.has(shift);
  if (has_shift && norm_kind() == "RMSNorm")
    checkpoint_.fail(
        shift, fmt::format("is the shift of a norm, but that of {} is an RMSNorm, which has none: this is "
                           "another model",
                           row.models));
  if (!has_shift && norm_kind() == "LayerNorm" && type_ == nullptr && weights.has_bias())
    checkpoint_.fail(gain, fmt::format("has no shift beside it, but projections have biases: in {} both have",
                                       row.models));
  if (has_shift && row.rotary_share != 0)
    out.notes.emplace_back(
        "What the shift of the norm adds to keys is left out as a bias of theirs would be.");
  const double gain_offset = type_ != nullptr ? type_->gain_offset : 0;
  const Vector gains = read(gain).array() + gain_offset;
  weights = with_norm_folded(weights, gains, has_shift ? read(shift) : Vector());
  out.notes.push_back(
      fmt::format("The {} of the {} '{}' {} folded into the maps: tokens are what the norm gives "
                  "before.",
                  has_shift ? "gain and the shift" : "gain", norm_kind().empty() ? "norm" : norm_kind(),
                  place, has_shift ? "are" : "is"));
}

void Model::rotate(AttentionWeights& weights, ModelLayer& out) const {
  if (architecture().rotary_share == 0) return;
  double share = architecture().rotary_share;
  RotaryEmbedding rotary{.pairs = architecture().rotary_pairs};
  if (type_ != nullptr) {
    share = type_->rotary_share.value_or(share);
    rotary.pairs = rotary.pairs || type_->rotary_pairs;
  }
  if (config_) {
    share = config_->rotary_share.value_or(share);
    rotary.base = config_->rotary_base.value_or(rotary.base);
    rotary.factor = config_->rotary_factor;
  }
  rotary.features = static_cast<Index>(share * static_cast<double>(out.head_size));
  if (config_) rotary.features = config_->rotary_features.value_or(rotary.features);
  if (options_.offset != 0 || rotary.factor != 1)
    weights.rotation = rotary_matrix(rotary, out.head_size, options_.offset);
  out.notes.push_back(fmt::format("Rotary embedding: Theta is that of two tokens at positions r and r + {}.",
                                  options_.offset));
  if (options_.offset != 0 && (!config_ || !config_->rotary_base))
    out.notes.push_back(fmt::format("No config.json says the base of its angles: {} is taken.", rotary.base));
}

/// What was not known of the model and had to be taken for granted, and what is not read of it.
void Model::describe(ModelLayer& out) const {
  const Architecture& row = architecture();
  if (!found_.left_out.empty())
    out.notes.push_back(
        fmt::format("Layers that are not read are under '{}'.", fmt::join(found_.left_out, "', '")));
  if (type_ != nullptr || row.name == "torch" ||
      (config_ && config_->variant && is_known_timm(*config_->variant)))
    return;
  std::optional<std::string> said;
  if (config_) said = config_->model_type ? config_->model_type : config_->variant;
  if (said) {
    out.notes.push_back(
        fmt::format("{} is read as {} ({}), as --arch says: right only if its attention is theirs.",
                    hardhead::quoted(*said), row.name, row.models));
    return;
  }
  std::vector<std::string> others;
  for (const ModelType& type : model_types())
    if (type.is_read_with_changes() &&
        std::ranges::find(type.architectures, row.name) != type.architectures.end())
      others.push_back(type.name);
  out.notes.push_back(fmt::format(
      "No config.json says which model this is: by its names it is read as {} ({}).{}", row.name, row.models,
      others.empty()
          ? ""
          : fmt::format(" The names of {} are the same, but not the attention.", fmt::join(others, ", "))));
}

/// AttentionWeights::logit_factor
double Model::logit_factor(Index number, Index head_size) const {
  const double root = std::sqrt(static_cast<double>(head_size));
  double out = architecture().scaled_by_head_size ? 1 : root;
  if (!config_) return out;
  if (!config_->scaled_by_head_size) out = root;
  if (config_->logit_scale) out = *config_->logit_scale * root;
  if (config_->scaled_by_layer) out /= static_cast<double>(number + 1);
  return out;
}

/// The factors of a layer's outputs are those of the rows of its output projection.
void Model::scale_output(Index number, AttentionWeights& weights, ModelLayer& out) const {
  for (const std::string& text : architecture().layer_scales) {
    const std::string name = found_.prefix + numbered(text, number);
    if (!checkpoint_.has(name)) continue;
    const Vector factors = checkpoint_.vector(name);
    if (factors.size() != weights.output.rows())
      checkpoint_.fail(name, fmt::format("has {} numbers, but there are {} outputs", factors.size(),
                                         weights.output.rows()));
    weights.output = Matrix(factors.asDiagonal() * weights.output);
    if (weights.output_bias.size() != 0) weights.output_bias = weights.output_bias.cwiseProduct(factors);
    out.notes.push_back(fmt::format("The layer scale '{}' is folded into the output projection.", name));
  }
}

ModelLayer Model::layer(Index number) const {
  check_present(number);
  check_surroundings(checkpoint_, found_, number);
  check_positions();
  ModelLayer out;
  AttentionWeights all = weights(numbered(found_.prefix + architecture().attention, number), out);
  out.heads = all.heads;
  out.head_size = all.head_size();
  out.key_value_heads = all.key_value_heads();
  fold_norm(number, all, out);
  rotate(all, out);
  all.logit_factor = logit_factor(number, out.head_size);
  scale_output(number, all, out);
  out.has_constant_feature = all.has_bias();
  if (out.has_constant_feature)
    out.notes.emplace_back("Biases: the last feature of tokens is the constant 1, and that of labels is 0.");
  describe(out);
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
    const std::string name = place + row.weight(stem);
    if (!checkpoint_.has(name)) continue;  // layer() says what is missing
    const SafetensorsFile::Tensor& tensor = checkpoint_.tensor(name);
    if (tensor.dtype == DType::other) continue;  // and what is not read
    const auto bytes = static_cast<double>(tensor.bytes.size());
    stored += bytes;
    widened += sizeof(double) * bytes / static_cast<double>(size_of(tensor.dtype));
    if (stem == row.output && !tensor.shape.empty())
      d = tensor.shape[row.by_inputs || row.packing == Packing::by_head ? tensor.shape.size() - 1 : 0];
  }
  constexpr double copies_of_maps = 4, copies_of_layer = 2;
  return stored + copies_of_maps * widened + copies_of_layer * layer_bytes(d + 1, heads());
}

}  // namespace hardhead::attention
