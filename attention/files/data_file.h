#pragma once
#include <string>

#include "attention/files/layer_file.h"
#include "attention/samples/sample_source.h"
#include "base/run/run_context.h"

namespace hardhead::attention {

/// Labelled examples in a safetensors file, read in blocks through the memory map: `x` [N, k, d] int8, f16,
/// bf16, f32 or f64, `y` [N, k, d] likewise but for int8. The input distribution is metadata `inputs`, or
/// else Boolean if every entry of x is +-1 and Gaussian if not. All of the file is checked on opening: shapes
/// that do not match, no examples, a y that is not finite, an x that is not finite or (Boolean) not +-1 throw
/// InputError naming file, tensor, index and value. Every reading throws InputError where the file was
/// written to since then: it is no longer what was checked.
class FileSource final : public SampleSource {
 public:
  /// Opens and checks the file. Throws InputError as above.
  explicit FileSource(const std::string& path);
  Index d() const override { return d_; }
  Index k() const override { return k_; }
  Inputs inputs() const override { return inputs_; }
  std::int64_t size() const override { return size_; }
  void read(std::int64_t first, Block& block) const override { take(first, block); }
  void pick(std::span<const std::int64_t> examples, Block& block) const override { take(examples, block); }
  bool read_single(const Examples& examples, SingleBlock& block) const override;

  /// As the file has it.
  const Metadata& metadata() const { return file_.metadata(); }

 private:
  // Throws InputError unless these are examples of the file, and it is as it was.
  void check(const Examples& examples, std::int64_t count) const;
  // Whether blocks of single precision are read: not of types that are narrower.
  bool is_single() const;
  void take(const Examples& examples, Block& block) const;

  SafetensorsFile file_;
  const SafetensorsFile::Tensor &x_, &y_;
  Index d_ = 0, k_ = 0;
  Inputs inputs_ = Inputs::boolean;
  std::int64_t size_ = 0;
};

/// Writes examples 0 .. count - 1 of `source`: x as int8 for Boolean inputs and f64 otherwise, y as f64;
/// `inputs` is added to the metadata. Whole or not at all; streams, so that memory does not grow with count.
/// Reads blocks of `block_size` examples, the last one shorter, in parallel; reports progress as "sample".
/// Throws InputError unless 1 <= count <= source.size(), Stopped if the context says so.
void write_data(const std::string& path, const SampleSource& source, std::int64_t count,
                const Metadata& metadata, const RunContext& context);

/// SHA-256 over N, k, d, inputs and the bytes of x and y as f64, [n, token, feature]: identifies examples
/// whatever file, type or generator they come from. x and y alternate in pieces of `block_size` examples.
/// Throws InputError unless 1 <= count <= source.size().
std::string content_digest(const SampleSource& source, std::int64_t count, const RunContext& context);

}  // namespace hardhead::attention
