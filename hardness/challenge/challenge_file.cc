#include "hardness/challenge/challenge_file.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "attention/files/safetensors.h"
#include "base/error.h"
#include "base/text/number.h"
#include "base/text/quoted.h"

namespace hardhead::challenge {
namespace {

using attention::DType;
using attention::SafetensorsFile;
using lwe::Residue;

constexpr const char* schema = "hardhead.challenge/1";

int bits_of(const SamplesBehindSwitch& terms) {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(terms.levels - 1)));
}

/// The metadata of a file, each key with the constraint that it must keep.
class Reader {
 public:
  explicit Reader(const SafetensorsFile& file) : file_(file) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("file '{}': {}", file_.path(), what));
  }
  const std::string& text(const std::string& key) const {
    const auto found = file_.metadata().find(key);
    if (found == file_.metadata().end()) fail(fmt::format("its metadata has no '{}'", key));
    return found->second;
  }
  template <class Integer>
  Integer integer(const std::string& key, Integer least, Integer most) const {
    const std::string& said = text(key);
    const auto value = whole_number<Integer>(said);
    if (!value || *value < least || *value > most)
      fail(fmt::format("metadata {} = {}: not an integer in {} .. {}", key, hardhead::quoted(said), least,
                       most));
    return *value;
  }
  std::string digest(const std::string& key) const {
    const std::string& said = text(key);
    if (said.size() != 64 || said.find_first_not_of("0123456789abcdef") != std::string::npos)
      fail(fmt::format("metadata {} = {}: not 64 hexadecimal digits", key, hardhead::quoted(said)));
    return said;
  }
  const SafetensorsFile::Tensor& tensor(const char* name, DType dtype,
                                        const std::vector<std::int64_t>& shape) const {
    const auto& out = file_.tensor(name);
    if (out.dtype != dtype || out.shape != shape)
      fail(fmt::format("tensor \"{}\" is not {} of shape [{}]", name, attention::to_string(dtype),
                       fmt::join(shape, ", ")));
    return out;
  }

 private:
  const SafetensorsFile& file_;
};

/// Half of the examples have the switch on; more than 16 standard deviations from that is no challenge.
void check_half(const Reader& from, std::int64_t labels, std::int64_t examples) {
  const double difference = std::abs(2 * static_cast<double>(labels) - static_cast<double>(examples));
  if (difference > 16 * std::sqrt(static_cast<double>(examples)))
    from.fail(fmt::format("{} labels for {} training examples, of which about half have the switch on",
                          labels, examples));
}

void read_switch_labels(const Reader& from, LayerChallenge& out) {
  const SamplesBehindSwitch& terms = *out.terms.behind_switch;
  const auto labels = from.integer<std::int64_t>("training_labels", 0, out.examples);
  check_half(from, labels, out.examples);
  const int bits = bits_of(terms);
  const auto& tensor = from.tensor("labels", DType::i8, {(labels * bits + 7) / 8});
  out.g = detail::unpack(tensor.bytes, labels, bits);
  for (std::size_t i = 0; i < out.g.size(); ++i)
    if (out.g[i] >= terms.levels)
      from.fail(fmt::format("label {} is {}, not one of 0 .. {}", i, out.g[i], terms.levels - 1));
}

void read_real_labels(const Reader& from, LayerChallenge& out) {
  const auto& tensor = from.tensor("y", DType::f64, {out.examples, out.terms.k, out.terms.d});
  const std::int64_t entries = out.examples * out.terms.entries();
  out.y.reserve(static_cast<std::size_t>(entries));
  for (std::int64_t i = 0; i < entries; ++i) {
    out.y.push_back(SafetensorsFile::element(tensor, i));
    if (!std::isfinite(out.y.back())) from.fail(fmt::format("number {} of y is not finite", i));
  }
}

}  // namespace

namespace detail {

std::vector<std::uint8_t> pack(std::span<const Residue> values, int bits) {
  std::vector<std::uint8_t> out((values.size() * static_cast<std::size_t>(bits) + 7) / 8, 0);
  std::size_t at = 0;
  for (const Residue value : values)
    for (int e = 0; e < bits; ++e, ++at)
      if ((value >> e & 1) != 0) out[at / 8] = static_cast<std::uint8_t>(out[at / 8] | 1U << (at % 8));
  return out;
}

std::vector<Residue> unpack(std::span<const std::byte> bytes, std::int64_t count, int bits) {
  std::vector<Residue> out(static_cast<std::size_t>(count), 0);
  std::size_t at = 0;
  for (Residue& value : out)
    for (int e = 0; e < bits; ++e, ++at)
      value |= (std::to_integer<Residue>(bytes[at / 8]) >> (at % 8) & 1) << e;
  return out;
}

}  // namespace detail

void write_challenge(AtomicFile& file, const LayerChallenge& challenge) {
  std::map<std::string, std::string> metadata = {{"schema", schema},
                                                 {"spec", challenge.terms.spec.str()},
                                                 {"training_examples", std::to_string(challenge.examples)},
                                                 {"training_seed", std::to_string(challenge.training_seed)},
                                                 {"test_examples", std::to_string(challenge.test_examples)},
                                                 {"test_seed", std::to_string(challenge.test_seed)},
                                                 {"salt", challenge.salt},
                                                 {"commitment", challenge.commitment}};
  if (!challenge.terms.behind_switch) {
    attention::SafetensorsWriter writer(
        file, {{"y", DType::f64, {challenge.examples, challenge.terms.k, challenge.terms.d}}}, metadata);
    writer.write(0, 0, challenge.y);
    writer.commit();
    return;
  }
  metadata["training_labels"] = std::to_string(challenge.g.size());
  std::vector<double> bytes;
  for (const std::uint8_t byte : detail::pack(challenge.g, bits_of(*challenge.terms.behind_switch)))
    bytes.push_back(static_cast<std::int8_t>(byte));
  attention::SafetensorsWriter writer(
      file, {{"labels", DType::i8, {static_cast<std::int64_t>(bytes.size())}}}, metadata);
  writer.write(0, 0, bytes);
  writer.commit();
}

LayerChallenge read_layer_challenge(const std::string& path) {
  const SafetensorsFile file(path);
  const Reader from(file);
  if (from.text("schema") != schema)
    from.fail(fmt::format("its schema is {}, not '{}'", hardhead::quoted(from.text("schema")), schema));
  LayerChallenge out;
  out.terms =
      at_place(fmt::format("file '{}'", path), [&] { return read_terms(Spec::parse(from.text("spec"))); });
  out.examples = from.integer<std::int64_t>("training_examples", 1, most_examples);
  out.training_seed = from.integer<std::uint64_t>("training_seed", 0, UINT64_MAX);
  out.test_examples = from.integer<std::int64_t>("test_examples", 1, test_examples_of(out.terms));
  out.test_seed = from.integer<std::uint64_t>("test_seed", 0, UINT64_MAX);
  out.salt = from.digest("salt");
  out.commitment = from.digest("commitment");
  if (out.terms.behind_switch)
    read_switch_labels(from, out);
  else
    read_real_labels(from, out);
  return out;
}

bool holds_layer_challenge(const std::string& path) {
  try {
    const SafetensorsFile file(path);
    const auto found = file.metadata().find("schema");
    return found != file.metadata().end() && found->second == schema;
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace hardhead::challenge
