#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "attention/samples/sample_source.h"
#include "base/files/mapped_file.h"

/// NumPy arrays as examples, and back. No Python here: an array is its address, strides and the type of its
/// numbers.
namespace hardhead::python {

using attention::Block;
using attention::Index;

/// The file behind numbers that are borrowed from a memory map.
struct BorrowedFile {
  WatchedMemory memory;
  std::string path{};             ///< empty where it is not known
  std::uintmax_t least_size = 0;  ///< bytes that the file must have

  /// Throws InputError where the file became shorter: what was read may be none of its. At its very end
  /// reading gives zeros instead of a bus error.
  void check() const;
};

/// Numbers [N, k, d] wherever they lie.
struct View {
  enum class Type { int8, float64 };

  const char* data = nullptr;
  std::array<std::int64_t, 3> shape{}, strides{};  ///< strides in bytes
  Type type = Type::float64;
  std::shared_ptr<const BorrowedFile> watched{};  ///< where a file lies behind them

  /// Throws InputError where that file became shorter, so that numbers that were read are none of its.
  void check() const {
    if (watched) watched->check();
  }
  double at(std::int64_t n, Index token, Index feature) const;
};

/// Examples in the caller's own arrays, read where they lie: a block's worth is turned into the block's
/// layout at a time. The arrays must not change while the source is in use.
class ArraySource final : public attention::SampleSource {
 public:
  /// `owner` keeps the arrays alive. The input distribution is Boolean if every x is +-1 and Gaussian if not,
  /// unless stated. Throws InputError naming array, index and value: shapes that differ or are not [N, k, d],
  /// no example, a number that is not finite or (Boolean) an x that is not +-1.
  ArraySource(const View& x, const View& y, std::optional<attention::Inputs> inputs,
              std::shared_ptr<const void> owner);

  Index d() const override { return x_.shape[2]; }
  Index k() const override { return x_.shape[1]; }
  attention::Inputs inputs() const override { return inputs_; }
  std::int64_t size() const override { return x_.shape[0]; }
  void read(std::int64_t first, Block& block) const override;

 private:
  View x_, y_;
  attention::Inputs inputs_;
  std::shared_ptr<const void> owner_;
};

/// Throws InputError unless the view is [N, k, d] with d features, no extent 0, and finite numbers.
void check_tokens(const char* name, const View& x, Index d);

/// Rows first, first + 1, .. of an array into `out`, in a block's layout.
void transpose_in(const View& array, std::int64_t first, Index count, attention::RowMatrix& out);

/// Calls body(first, count) for pieces of block_size examples of N, in parallel.
void for_each_block(std::int64_t examples, const std::function<void(std::int64_t first, Index count)>& body);

}  // namespace hardhead::python
