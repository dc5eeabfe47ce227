#include "python/arrays.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <filesystem>

#include "base/error.h"
#include "base/run/parallel.h"

namespace hardhead::python {
namespace {

/// Calls f(n, token, feature, value) for every number until it says false.
template <class F>
void visit(const View& array, const F& f) {
  for (std::int64_t n = 0; n < array.shape[0]; ++n)
    for (Index a = 0; a < array.shape[1]; ++a)
      for (Index b = 0; b < array.shape[2]; ++b)
        if (!f(n, a, b, array.at(n, a, b))) return;
}

void check_finite(const char* name, const View& array) {
  if (array.type == View::Type::int8) return;
  visit(array, [&](std::int64_t n, Index a, Index b, double value) {
    if (std::isfinite(value)) return true;
    throw InputError(fmt::format("{}[{},{},{}] is {}, but must be finite", name, n, a, b, value));
  });
}

bool is_sign(double value) {
  return value == 1 || value == -1;
}

attention::Inputs inputs_of(const View& x, std::optional<attention::Inputs> stated) {
  using attention::Inputs;
  if (stated && has_constant_feature(*stated))
    visit(x, [&](std::int64_t n, Index a, Index b, double value) {
      if (b + 1 < x.shape[2] || value == 1) return true;
      throw InputError(fmt::format("x[{},{},{}] is {}, but the last feature of {} inputs is 1", n, a, b,
                                   value, name_of(*stated)));
    });
  if (stated && !are_signs(*stated)) return *stated;
  bool signs = true;
  visit(x, [&](std::int64_t n, Index a, Index b, double value) {
    signs = is_sign(value);
    if (!signs && stated)
      throw InputError(fmt::format("x[{},{},{}] is {}, but Boolean inputs are +-1", n, a, b, value));
    return signs;
  });
  if (stated) return *stated;
  return signs ? Inputs::boolean : Inputs::gaussian;
}

std::string text_of(const std::array<std::int64_t, 3>& shape) {
  return fmt::format("[{}, {}, {}]", shape[0], shape[1], shape[2]);
}

}  // namespace

void BorrowedFile::check() const {
  memory.check();
  std::error_code missing;
  if (path.empty()) return;
  const std::uintmax_t size = std::filesystem::file_size(path, missing);
  if (!missing && size < least_size)
    throw InputError(fmt::format("'{}': it became shorter while it was read", path));
}

double View::at(std::int64_t n, Index token, Index feature) const {
  const char* const place = data + n * strides[0] + token * strides[1] + feature * strides[2];
  if (type == Type::int8) return static_cast<double>(*reinterpret_cast<const std::int8_t*>(place));
  double value = 0;
  std::memcpy(&value, place, sizeof value);
  return value;
}

void check_tokens(const char* name, const View& x, Index d) {
  if (x.shape[0] < 1 || x.shape[1] < 1 || x.shape[2] < 1)
    throw InputError(fmt::format("{} is {}: an extent of 0", name, text_of(x.shape)));
  if (x.shape[2] != d)
    throw InputError(fmt::format("{} is {}, but the layer has d = {} features", name, text_of(x.shape), d));
  check_finite(name, x);
}

ArraySource::ArraySource(const View& x, const View& y, std::optional<attention::Inputs> inputs,
                         std::shared_ptr<const void> owner)
    : x_(x), y_(y), inputs_(attention::Inputs::boolean), owner_(std::move(owner)) {
  if (x.shape != y.shape)
    throw InputError(
        fmt::format("x is {} and y is {}, but both must be [N, k, d]", text_of(x.shape), text_of(y.shape)));
  check_tokens("x", x, x.shape[2]);
  check_finite("y", y);
  inputs_ = inputs_of(x, inputs);
  x_.check();
  y_.check();
}

void ArraySource::read(std::int64_t first, Block& block) const {
  transpose_in(x_, first, block.count, block.x);
  transpose_in(y_, first, block.count, block.y);
  x_.check();
  y_.check();
}

void transpose_in(const View& array, std::int64_t first, Index count, attention::RowMatrix& out) {
  for (Index n = 0; n < count; ++n)
    for (Index a = 0; a < array.shape[1]; ++a)
      for (Index f = 0; f < array.shape[2]; ++f) out(f, a * count + n) = array.at(first + n, a, f);
}

void for_each_block(std::int64_t examples, const std::function<void(std::int64_t first, Index count)>& body) {
  using attention::block_size;
  parallel_for_each_index((examples + block_size - 1) / block_size, [&](std::int64_t piece) {
    const std::int64_t first = piece * block_size;
    body(first, std::min<Index>(block_size, examples - first));
  });
}

}  // namespace hardhead::python
