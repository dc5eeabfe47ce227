#include "attention/files/safetensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cerrno>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text/json.h"
#include "base/text/quoted.h"

namespace hardhead::attention {
namespace {

using nlohmann::json;
using Shape = std::vector<std::int64_t>;

static_assert(std::endian::native == std::endian::little, "safetensors files are little endian");

struct Type {
  std::string_view name;
  std::int64_t bits;
  DType dtype = DType::other;
};

/// Those of the format.
constexpr std::array<Type, 22> types = {{{"BOOL", 8},
                                         {"F4", 4},
                                         {"F6_E2M3", 6},
                                         {"F6_E3M2", 6},
                                         {"U8", 8},
                                         {"I8", 8, DType::i8},
                                         {"F8_E5M2", 8},
                                         {"F8_E4M3", 8},
                                         {"F8_E8M0", 8},
                                         {"F8_E4M3FNUZ", 8},
                                         {"F8_E5M2FNUZ", 8},
                                         {"I16", 16},
                                         {"U16", 16},
                                         {"F16", 16, DType::f16},
                                         {"BF16", 16, DType::bf16},
                                         {"I32", 32},
                                         {"U32", 32},
                                         {"F32", 32, DType::f32},
                                         {"C64", 64},
                                         {"F64", 64, DType::f64},
                                         {"I64", 64},
                                         {"U64", 64}}};

/// What is known of a type that is read.
const Type& type_of(DType dtype) {
  return *std::ranges::find(types, dtype, &Type::dtype);
}

constexpr std::size_t length_bytes = 8;
constexpr std::uint64_t max_header_bytes = 100'000'000;
constexpr int max_header_depth = 3;  // the header, a tensor, its shape

/// Bytes of a tensor, or nothing if they do not fit in 63 bits.
std::optional<std::int64_t> tensor_bytes(std::int64_t bits, const Shape& shape) {
  std::int64_t elements = 1, bytes = 0;
  for (const std::int64_t extent : shape)
    if (__builtin_mul_overflow(elements, extent, &elements)) return std::nullopt;
  if (bits >= 8)
    return __builtin_mul_overflow(elements, bits / 8, &bytes) ? std::nullopt : std::optional(bytes);
  if (__builtin_mul_overflow(elements, bits, &bytes) || __builtin_add_overflow(bytes, 7, &bytes))
    return std::nullopt;
  return bytes / 8;
}

/// What begins with these bytes, which are not the length of a header that is read, nor a safetensors file;
/// empty where that is not known.
std::string_view other_kind(std::string_view bytes) {
  using namespace std::string_view_literals;
  constexpr std::pair<std::string_view, std::string_view> kinds[] = {
      {"version https://git-lfs"sv, "a git-lfs pointer, not the file: 'git lfs pull' fetches the file"},
      {"<"sv, "an HTML or XML page, not the file"},
      {"GGUF"sv, "a GGUF file, which is not read: a safetensors file is expected"},
      {"ggml"sv, "a GGML file, which is not read: a safetensors file is expected"},
      {"PK\x03\x04"sv,
       "a ZIP archive, as torch.save and numpy.savez write: save the tensors as a safetensors file"},
      {"\x80\x02"sv, "a pickle, as torch.save writes: save the tensors as a safetensors file"},
      {"\x80\x04"sv, "a pickle: save the tensors as a safetensors file"},
      {"\x89HDF\r\n"sv, "an HDF5 file, which is not read: a safetensors file is expected"},
      {"\x93NUMPY"sv, "a NumPy array, which is not read: a safetensors file is expected"},
      {"\x1f\x8b"sv, "compressed by gzip: decompress it first"},
      {"{"sv, "JSON text, not a safetensors file"}};
  bytes.remove_prefix(std::min(bytes.find_first_not_of(" \t\r\n"), bytes.size()));
  for (const auto& [start, kind] : kinds)
    if (bytes.starts_with(start)) return kind;
  return {};
}

/// What the header says of one tensor. Throws with what is wrong, but not where: the caller adds that.
struct Claim {
  std::string type_name;
  Shape shape;
  std::int64_t begin = 0, end = 0;

  explicit Claim(const json& entry) {
    if (!entry.is_object()) throw InputError("is not a JSON object");
    const json& type = field(entry, "dtype");
    if (!type.is_string()) throw InputError("has a dtype that is not a string");
    type_name = type.get<std::string>();
    shape = read_integers(field(entry, "shape"), "shape");
    const Shape offsets = read_integers(field(entry, "data_offsets"), "data_offsets");
    if (offsets.size() != 2)
      throw InputError(fmt::format("has {} data_offsets, but 2 are expected", offsets.size()));
    begin = offsets[0], end = offsets[1];
  }

 private:
  static const json& field(const json& entry, const char* name) {
    if (!entry.contains(name)) throw InputError(fmt::format("has no '{}'", name));
    return entry[name];
  }

  static Shape read_integers(const json& values, const char* name) {
    if (!values.is_array()) throw InputError(fmt::format("has a {} that is not an array", name));
    Shape out;
    for (const json& value : values) {
      // A number past 64 bits arrives as a real.
      if (!value.is_number_integer() ||
          (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX) ||
          value.get<std::int64_t>() < 0)
        throw InputError(fmt::format("has {} in its {}, but integers from 0 to 2^63 - 1 are expected",
                                     hardhead::quoted(value.dump()), name));
      out.push_back(value.get<std::int64_t>());
    }
    return out;
  }
};

}  // namespace

const char* to_string(DType dtype) {
  return dtype == DType::other ? "other" : type_of(dtype).name.data();
}

std::int64_t size_of(DType dtype) {
  return dtype == DType::other ? 0 : type_of(dtype).bits / 8;
}

bool is_real(DType dtype) {
  return dtype == DType::f16 || dtype == DType::bf16 || dtype == DType::f32 || dtype == DType::f64;
}

SafetensorsFile::SafetensorsFile(const std::string& path) : path_(path) {
  at_place(fmt::format("'{}'", path_), [&] {
    file_.emplace(path, length_bytes);
    read_header();
  });
}

void SafetensorsFile::read_header() {
  const std::byte* bytes = file_->bytes().data();
  const std::size_t length = file_->bytes().size();
  const auto header_length = element_at<std::uint64_t>(bytes, 0);
  if (header_length > max_header_bytes) {
    const auto kind = other_kind({reinterpret_cast<const char*>(bytes), std::min<std::size_t>(length, 64)});
    if (!kind.empty()) throw InputError(std::string(kind));
  }
  if (header_length > max_header_bytes || header_length > length - length_bytes)
    throw InputError(
        fmt::format("the header is said to have {} bytes, but the file has {} after the length, "
                    "and at most {} are read",
                    header_length, length - length_bytes, max_header_bytes));
  const std::byte* data = bytes + length_bytes + header_length;
  const std::size_t data_length = length - length_bytes - header_length;

  for_each_json_member(
      {reinterpret_cast<const char*>(bytes) + length_bytes, header_length}, max_header_depth,
      [&](const std::string& name, const json& entry) {
        if (name == "__metadata__")
          read_metadata(entry);
        else
          read_tensor(name, entry, {data, data_length});
      },
      length_bytes);
  check_layout(data_length);
}

void SafetensorsFile::read_metadata(const json& entry) {
  if (!entry.is_object()) throw InputError("__metadata__ is not a JSON object");
  for (const auto& [key, value] : entry.items()) {
    if (!value.is_string())
      throw InputError(fmt::format("__metadata__: the value of {} is not a string", hardhead::quoted(key)));
    metadata_[key] = value.get<std::string>();
  }
}

void SafetensorsFile::read_tensor(const std::string& name, const json& entry,
                                  std::span<const std::byte> data) {
  try {
    const Claim claim(entry);
    const auto type = std::ranges::find(types, claim.type_name, &Type::name);
    const bool known = type != types.end();
    if (claim.begin > claim.end || static_cast<std::size_t>(claim.end) > data.size())
      throw InputError(
          fmt::format("has data_offsets [{}, {}], but they must be ordered and within the {} "
                      "bytes of data",
                      claim.begin, claim.end, data.size()));
    const std::int64_t length = claim.end - claim.begin;
    const auto expected = known ? tensor_bytes(type->bits, claim.shape) : length;
    const auto shape = [&] { return fmt::format("{} [{}]", claim.type_name, fmt::join(claim.shape, ", ")); };
    if (!expected) throw InputError(fmt::format("has shape {}, whose size overflows", shape()));
    if (length != *expected)
      throw InputError(fmt::format("has data_offsets [{}, {}], {} bytes, but shape {} takes {}", claim.begin,
                                   claim.end, length, shape(), *expected));
    tensors_[name] = {known ? type->dtype : DType::other,
                      known ? claim.type_name : hardhead::quoted(claim.type_name), claim.shape,
                      data.subspan(static_cast<std::size_t>(claim.begin), static_cast<std::size_t>(length))};
  } catch (const InputError& error) {
    throw InputError(fmt::format("tensor {} {}", hardhead::quoted(name), error.what()));
  }
}

void SafetensorsFile::check_layout(std::size_t data_length) const {
  const std::byte* data = file_->bytes().data() + (file_->bytes().size() - data_length);
  std::vector<std::pair<std::span<const std::byte>, const std::string*>> pieces;
  for (const auto& [name, tensor] : tensors_) pieces.emplace_back(tensor.bytes, &name);
  std::sort(pieces.begin(), pieces.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first.data(), a.first.size()) < std::pair(b.first.data(), b.first.size());
  });
  const std::byte* expected = data;
  for (const auto& [bytes, name] : pieces) {
    if (bytes.data() != expected)
      throw InputError(fmt::format("tensor {} starts at data offset {}, but the one before it ends at {}: {}",
                                   hardhead::quoted(*name), bytes.data() - data, expected - data,
                                   bytes.data() < expected ? "an overlap" : "a gap"));
    expected = bytes.data() + bytes.size();
  }
  if (expected != data + data_length)
    throw InputError(fmt::format("the tensors end at data offset {}, but the file has {} bytes of data",
                                 expected - data, data_length));
}

const SafetensorsFile::Tensor& SafetensorsFile::tensor(const std::string& name) const {
  const auto at = tensors_.find(name);
  if (at != tensors_.end()) return at->second;
  std::vector<std::string> names;
  constexpr std::size_t shown = 8;
  for (const auto& [known, unused] : tensors_) {
    if (names.size() == shown) {
      names.push_back(fmt::format("and {} more", tensors_.size() - shown));
      break;
    }
    names.push_back(hardhead::quoted(known));
  }
  throw InputError(fmt::format("'{}': there is no tensor \"{}\" (the file has: {})", path_, name,
                               names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
}

double SafetensorsFile::element(const Tensor& tensor, std::int64_t index) {
  if (tensor.dtype == DType::other)
    throw InputError(fmt::format("elements of dtype {} are not read, but those of I8, F16, BF16, F32 and F64",
                                 tensor.type_name));
  return with_type(tensor.dtype,
                   [&]<class T>(T) -> double { return element_at<T>(tensor.bytes.data(), index); });
}

SafetensorsWriter::SafetensorsWriter(const std::string& path, const std::vector<Entry>& tensors,
                                     const std::map<std::string, std::string>& metadata)
    : own_(std::make_unique<AtomicFile>(path)), file_(*own_) {
  begin(tensors, metadata);
}

SafetensorsWriter::SafetensorsWriter(AtomicFile& file, const std::vector<Entry>& tensors,
                                     const std::map<std::string, std::string>& metadata)
    : file_(file) {
  begin(tensors, metadata);
}

void SafetensorsWriter::begin(const std::vector<Entry>& tensors,
                              const std::map<std::string, std::string>& metadata) {
  Json header = Json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  std::int64_t end = 0;
  for (const Entry& entry : tensors) {
    const auto bytes = tensor_bytes(8 * size_of(entry.dtype), entry.shape);
    const std::int64_t begin = end;
    if (!bytes || __builtin_add_overflow(begin, *bytes, &end))
      throw InputError(fmt::format("cannot write '{}': tensor \"{}\" of shape [{}] is too large",
                                   file_.path(), entry.name, fmt::join(entry.shape, ", ")));
    header[entry.name] = {
        {"dtype", to_string(entry.dtype)}, {"shape", entry.shape}, {"data_offsets", {begin, end}}};
    places_.push_back({entry.dtype, begin, *bytes / size_of(entry.dtype)});
  }
  std::string text;
  try {
    text = header.dump();
  } catch (const json::exception&) {
    throw InputError(fmt::format("cannot write '{}': its metadata is not UTF-8", file_.path()));
  }
  // Data begin with a line of the cache; the format asks for a multiple of eight.
  constexpr std::size_t line = 64;
  text.resize((length_bytes + text.size() + line - 1) / line * line - length_bytes, ' ');
  const std::uint64_t length = text.size();
  put(0, std::as_bytes(std::span(&length, 1)));
  put(position_, std::as_bytes(std::span(text)));
  for (Place& place : places_) place.offset += position_;
}

void SafetensorsWriter::write(std::size_t tensor, std::int64_t first, std::span<const double> values) {
  Place& place = places_.at(tensor);
  place.missing -= static_cast<std::int64_t>(values.size());
  const std::int64_t offset = place.offset + first * size_of(place.dtype);
  const auto put_as = [&]<class T>(T) {
    std::vector<T> converted(values.size());
    std::transform(values.begin(), values.end(), converted.begin(),
                   [](double v) { return static_cast<T>(v); });
    put(offset, std::as_bytes(std::span(converted)));
  };
  switch (place.dtype) {
    case DType::i8:
      return put_as(std::int8_t{});
    case DType::f32:
      return put_as(float{});
    default:
      assert(place.dtype == DType::f64);
      return put(offset, std::as_bytes(values));
  }
}

void SafetensorsWriter::put(std::int64_t offset, std::span<const std::byte> bytes) {
  errno = 0;
  if (offset != position_) file_.stream().seekp(offset);
  const auto length = static_cast<std::streamsize>(bytes.size());
  file_.stream().write(reinterpret_cast<const char*>(bytes.data()), length);
  if (!file_.stream())
    throw InputError(fmt::format("cannot write '{}': {}", file_.path(),
                                 errno != 0 ? std::strerror(errno) : "write failed"));
  position_ = offset + length;
}

void SafetensorsWriter::commit() {
  assert(std::all_of(places_.begin(), places_.end(), [](const Place& place) { return place.missing == 0; }));
  if (own_) own_->commit();
}

}  // namespace hardhead::attention
