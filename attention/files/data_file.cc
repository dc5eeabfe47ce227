#include "attention/files/data_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "attention/forward/single_block.h"
#include "base/error.h"
#include "base/files/digest.h"
#include "base/run/parallel.h"
#include "base/text/quoted.h"

namespace hardhead::attention {
namespace {

using Tensor = SafetensorsFile::Tensor;

constexpr std::int64_t blocks_at_once = 16;  // written together, read in parallel

/// The first element that is not `good`, or -1. Looks at runs without a branch, so that they vectorize.
template <class T, class Good>
std::int64_t find_bad(const Tensor& tensor, const Good& good) {
  constexpr std::int64_t run = 4096;
  const std::byte* data = tensor.bytes.data();
  const auto count = static_cast<std::int64_t>(tensor.bytes.size() / sizeof(T));
  for (std::int64_t start = 0; start < count; start += run) {
    const std::int64_t stop = std::min(start + run, count);
    unsigned bad = 0;
    for (std::int64_t n = start; n < stop; ++n) bad |= good(element_at<T>(data, n)) ? 0U : 1U;
    if (bad == 0) continue;
    for (std::int64_t n = start;; ++n)
      if (!good(element_at<T>(data, n))) return n;
  }
  return -1;
}

std::int64_t find_not_sign(const Tensor& tensor) {
  return with_type(tensor.dtype, [&]<class T>(T) {
    return find_bad<T>(tensor, []<class N>(N value) { return (value == N{1}) | (value == N{-1}); });
  });
}

/// The first entry of the last of d features that is not 1, or -1.
std::int64_t find_not_one(const Tensor& tensor, Index d) {
  const auto count = static_cast<std::int64_t>(tensor.bytes.size()) / size_of(tensor.dtype);
  for (std::int64_t n = d - 1; n < count; n += d)
    if (SafetensorsFile::element(tensor, n) != 1) return n;
  return -1;
}

std::int64_t find_not_finite(const Tensor& tensor) {
  return with_type(tensor.dtype, [&]<class T>(T) -> std::int64_t {
    if constexpr (std::is_integral_v<T>)
      return -1;
    else
      return find_bad<T>(tensor,
                         []<class N>(N value) { return std::abs(value) <= std::numeric_limits<N>::max(); });
  });
}

/// Examples of a tensor [N, k, d] into a block's layout, d x (k count). Goes by eight examples, whose lines
/// stay in the innermost cache while every feature passes over them; those of the next eight are asked for
/// before.
template <class T>
void transpose_in(const std::byte* tensor, const Examples& examples, Index k, Index count, RowMatrix& out) {
  constexpr Index eight = 8, line = 64;
  const Index d = out.rows(), bytes = k * d * static_cast<Index>(sizeof(T));
  for (Index start = 0; start < count; start += eight) {
    const Index some = std::min(eight, count - start);
    for (Index n = start + some; n < std::min(start + some + eight, count); ++n)
      for (Index at = 0; at < bytes; at += line) __builtin_prefetch(tensor + examples[n] * bytes + at);
    std::array<const std::byte*, eight> from{};
    for (Index i = 0; i < some; ++i) from[static_cast<std::size_t>(i)] = tensor + examples[start + i] * bytes;
    const auto take = [&](Index these) {
      for (Index a = 0; a < k; ++a)
        for (Index f = 0; f < d; ++f) {
          double* const to = out.row(f).data() + a * count + start;
          for (Index i = 0; i < these; ++i)
            to[i] = static_cast<double>(element_at<T>(from[static_cast<std::size_t>(i)], a * d + f));
        }
    };
    if (some == eight)
      take(eight);  // a loop of known length
    else
      take(some);
  }
}

void check_count(const SampleSource& source, std::int64_t count) {
  if (count < 1) throw InputError(fmt::format("a data set needs at least one example, not {}", count));
  if (count > source.size())
    throw InputError(fmt::format("{} examples are asked for, but the source has {}", count, source.size()));
}

Index block_count(std::int64_t first, std::int64_t count) {
  return std::min<Index>(block_size, count - first);
}

}  // namespace

FileSource::FileSource(const std::string& path) : file_(path), x_(file_.tensor("x")), y_(file_.tensor("y")) {
  const auto fail = [&](const std::string& what) { throw InputError(fmt::format("'{}': {}", path, what)); };
  if (x_.shape.size() != 3 || x_.shape[0] < 1 || x_.shape[1] < 1 || x_.shape[2] < 1)
    fail(fmt::format("tensor \"x\" has shape [{}], but a data set's is [N, k, d], all at least 1",
                     fmt::join(x_.shape, ", ")));
  if (y_.shape != x_.shape)
    fail(fmt::format(R"(tensor "y" has shape [{}], but "x" has [{}])", fmt::join(y_.shape, ", "),
                     fmt::join(x_.shape, ", ")));
  if (!is_real(x_.dtype) && x_.dtype != DType::i8)
    fail(fmt::format("tensor \"x\" has dtype {}, but tokens are F64, F32, BF16, F16 or I8", x_.type_name));
  if (!is_real(y_.dtype))
    fail(fmt::format("tensor \"y\" has dtype {}, but labels are F64, F32, BF16 or F16", y_.type_name));
  size_ = x_.shape[0], k_ = x_.shape[1], d_ = x_.shape[2];

  const auto check = [&](const char* name, const Tensor& tensor, std::int64_t bad, const char* constraint) {
    if (bad < 0) return;
    fail(fmt::format("{}[{},{},{}] is {}, but must be {}", name, bad / (k_ * d_), bad / d_ % k_, bad % d_,
                     SafetensorsFile::element(tensor, bad), constraint));
  };
  const std::int64_t not_sign = find_not_sign(x_);
  const auto stated = metadata().find("inputs");
  inputs_ = not_sign < 0 ? Inputs::boolean : Inputs::gaussian;
  if (stated != metadata().end()) try {
      inputs_ = parse_inputs(stated->second);
    } catch (const InputError&) {
      fail(fmt::format("metadata: inputs is {}, but must be one of {}", hardhead::quoted(stated->second),
                       fmt::join(names_of<Inputs>(), ", ")));
    }
  if (are_signs(inputs_))
    check("x", x_, not_sign, fmt::format("-1 or +1, since the inputs are {}", name_of(inputs_)).c_str());
  else if (not_sign >= 0)
    check("x", x_, find_not_finite(x_), "finite");
  if (has_constant_feature(inputs_))
    check("x", x_, find_not_one(x_, d_),
          fmt::format("1, since the last feature of {} inputs is constant", name_of(inputs_)).c_str());
  check("y", y_, find_not_finite(y_), "finite");
  file_.check_unchanged();
}

void FileSource::check(const Examples& examples, std::int64_t count) const {
  const bool listed = !examples.listed().empty();
  const std::int64_t together = listed ? 1 : count;
  for (Index n = 0; n < (listed ? count : 1); ++n)
    if (examples[n] < 0 || examples[n] > size_ - together)
      throw InputError(fmt::format("'{}': {} examples from {} on are not all there: the file has {}",
                                   file_.path(), together, examples[n], size_));
  file_.check_unchanged();
}

bool FileSource::is_single() const {
  const auto is_half = [](const Tensor& tensor) {
    return tensor.dtype == DType::f16 || tensor.dtype == DType::bf16;
  };
  return are_signs(inputs_) && !is_half(x_) && !is_half(y_);
}

bool FileSource::read_single(const Examples& examples, SingleBlock& block) const {
  check(examples, block.count);
  if (!is_single()) return false;
  assert(block.k == k_ && block.d() == d_);
  with_type(x_.dtype, [&]<class X>(X) {
    if constexpr (!std::is_arithmetic_v<X>)
      assert(false);  // is_single()
    else if (y_.dtype == DType::f32)
      block.take_arrays<X, float>(x_.bytes.data(), y_.bytes.data(), examples);
    else
      block.take_arrays<X, double>(x_.bytes.data(), y_.bytes.data(), examples);
  });
  file_.check_unchanged();
  if (!examples.listed().empty()) return true;
  const auto next = [&](const Tensor& tensor) {
    const std::int64_t bytes = k_ * d_ * size_of(tensor.dtype), from = examples[0] + block.count,
                       count = std::min<std::int64_t>(block.count, size_ - from);
    return std::span(tensor.bytes)
        .subspan(static_cast<std::size_t>(from * bytes), static_cast<std::size_t>(count * bytes));
  };
  block.next_tokens = next(x_), block.next_labels = next(y_);
  return true;
}

void FileSource::take(const Examples& examples, Block& block) const {
  check(examples, block.count);
  assert(block.k == k_ && block.d() == d_);
  const auto fill = [&](const Tensor& tensor, RowMatrix& out) {
    with_type(tensor.dtype,
              [&]<class T>(T) { transpose_in<T>(tensor.bytes.data(), examples, k_, block.count, out); });
  };
  fill(x_, block.x);
  fill(y_, block.y);
  file_.check_unchanged();
}

void write_data(const std::string& path, const SampleSource& source, std::int64_t count,
                const Metadata& metadata, const RunContext& context) {
  check_count(source, count);
  const Index k = source.k(), d = source.d(), entries = k * d;
  const bool boolean = are_signs(source.inputs());
  Metadata extended = metadata;
  extended["inputs"] = name_of(source.inputs());
  const std::vector<std::int64_t> shape{count, k, d};
  SafetensorsWriter writer(path, {{"x", boolean ? DType::i8 : DType::f64, shape}, {"y", DType::f64, shape}},
                           extended);

  std::vector<double> x, y;
  for (std::int64_t start = 0; start < count; start += blocks_at_once * block_size) {
    const std::int64_t examples = std::min(blocks_at_once * block_size, count - start);
    x.resize(static_cast<std::size_t>(examples * entries));
    y.resize(x.size());
    parallel_for_each_index((examples + block_size - 1) / block_size, [&](std::int64_t b) {
      context.stop.check();
      const std::int64_t first = b * block_size;
      Block block(d, k, block_count(first, examples));
      source.read(start + first, block);
      write_as_array(block.x, k, x.data() + first * entries);
      write_as_array(block.y, k, y.data() + first * entries);
    });
    writer.write(0, start * entries, x);
    writer.write(1, start * entries, y);
    context.progress.report("sample", static_cast<double>(start + examples) / static_cast<double>(count));
  }
  context.stop.check();
  writer.commit();
}

std::string content_digest(const SampleSource& source, std::int64_t count, const RunContext& context) {
  check_count(source, count);
  const Index k = source.k(), d = source.d();
  Digest digest;
  digest.add(fmt::format("data N={} k={} d={} inputs={}", count, k, d, name_of(source.inputs())));
  Block block;
  std::vector<double> values;
  for (std::int64_t first = 0; first < count; first += block_size) {
    context.stop.check();
    if (first % (64 * block_size) == 0)
      context.progress.report("digest", static_cast<double>(first) / static_cast<double>(count));
    block.resize(d, k, block_count(first, count));
    source.read(first, block);
    values.resize(static_cast<std::size_t>(block.count * k * d));
    for (const RowMatrix* matrix : {&block.x, &block.y}) {
      write_as_array(*matrix, k, values.data());
      digest.add(values);
    }
  }
  return digest.hex();
}

}  // namespace hardhead::attention
