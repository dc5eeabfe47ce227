#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "attention/forward/block.h"
#include "attention/samples/inputs.h"

namespace hardhead::attention {

/// Which X a teacher can label.
struct Labelled {
  bool boolean_only = false;         ///< entries -1 and +1, else every real X
  std::optional<Index> tokens = {};  ///< this many only, else any number

  bool operator==(const Labelled&) const = default;
};

/// Labels examples. A layer's forward pass is one; families whose labels must be exact values rounded once
/// bring their own.
class Teacher {
 public:
  virtual ~Teacher() = default;
  /// Writes block.y from block.x. Safe to call from several threads at once.
  virtual void label(Block& block) const = 0;
  /// Which X have a label. A caller that chooses X keeps to it; label() need not check.
  virtual Labelled labelled() const { return {}; }
  /// Writes labels in single precision and a bound on their error from the block's signs. False, and nothing
  /// written, where the teacher has none. Safe to call from several threads at once.
  virtual bool label_single(SingleBlock&) const { return false; }
};

/// Labels by the forward pass of a layer in double. An example's label has the same bits in whatever block.
class LayerTeacher final : public Teacher {
 public:
  /// Copies the layer.
  explicit LayerTeacher(const Layer& layer);
  ~LayerTeacher() override;
  void label(Block& block) const override;
  /// By SingleForward, whose tables are made when the first block comes, for the k that it takes.
  bool label_single(SingleBlock& block) const override;

 private:
  struct Passes;
  std::unique_ptr<Passes> passes_;
};

/// A stream of examples (X, F(X)) addressed by index: all that a learner ever sees. It shows shape, input
/// distribution and examples; never a spec, a seed or a layer.
class SampleSource {
 public:
  /// What size() says of a source without end.
  static constexpr std::int64_t unlimited = INT64_MAX;

  virtual ~SampleSource() = default;
  virtual Index d() const = 0;        ///< features of a token
  virtual Index k() const = 0;        ///< tokens of an example
  virtual Inputs inputs() const = 0;  ///< distribution of X
  /// Number of examples, or `unlimited`.
  virtual std::int64_t size() const = 0;
  /// Fills `block`, whose shape says how many, with examples first, first + 1, ... (all below size()). Safe
  /// to call from several threads at once; the same index always gives the same example.
  virtual void read(std::int64_t first, Block& block) const = 0;
  /// Fills `block`, which has as many examples, with these; each is the same as read() gives it.
  virtual void pick(std::span<const std::int64_t> examples, Block& block) const;
  /// As read() or pick(), of tokens of signs and in single precision, for screening (SingleBlock::error).
  /// False where that would not be quicker than read(); the block is then arbitrary. `block`: resized by the
  /// caller, of k
  /// >= 2 tokens.
  virtual bool read_single(const Examples&, SingleBlock&) const { return false; }
};

/// Examples drawn from a stream and labelled by a teacher, as many as are asked for.
class SimulatedSource final : public SampleSource {
 public:
  /// Example n: tokens from item n of `stream` (draw_tokens()), labels by `teacher`.
  SimulatedSource(std::shared_ptr<const Teacher> teacher, Index d, Index k, Inputs inputs, Stream stream);
  Index d() const override { return d_; }
  Index k() const override { return k_; }
  Inputs inputs() const override { return inputs_; }
  std::int64_t size() const override { return unlimited; }
  void read(std::int64_t first, Block& block) const override;
  void pick(std::span<const std::int64_t> examples, Block& block) const override;
  bool read_single(const Examples& examples, SingleBlock& block) const override;

 private:
  std::shared_ptr<const Teacher> teacher_;
  Index d_, k_;
  Inputs inputs_;
  Stream stream_;
};

/// Every X in {-1,+1}^{k x d}, once each: entry (a, f) of example n is -1 where bit a*d + f of n is set.
class EnumerationSource final : public SampleSource {
 public:
  /// Throws InputError for k*d > 24.
  EnumerationSource(std::shared_ptr<const Teacher> teacher, Index d, Index k);
  Index d() const override { return d_; }
  Index k() const override { return k_; }
  Inputs inputs() const override { return Inputs::boolean; }
  std::int64_t size() const override { return std::int64_t{1} << (k_ * d_); }
  void read(std::int64_t first, Block& block) const override;

 private:
  std::shared_ptr<const Teacher> teacher_;
  Index d_, k_;
};

/// Examples first .. first + count - 1 of another source, renumbered from 0. The other source must outlive
/// it.
class SourceRange final : public SampleSource {
 public:
  /// Keeps a reference to `source`. Throws InputError unless its examples include the range.
  SourceRange(const SampleSource& source, std::int64_t first, std::int64_t count);
  Index d() const override { return source_->d(); }
  Index k() const override { return source_->k(); }
  Inputs inputs() const override { return source_->inputs(); }
  std::int64_t size() const override { return count_; }
  /// Throws InputError for examples outside the range.
  void read(std::int64_t first, Block& block) const override;
  void pick(std::span<const std::int64_t> examples, Block& block) const override;
  bool read_single(const Examples& examples, SingleBlock& block) const override;

 private:
  // Throws InputError unless these are examples of the range.
  void check(std::int64_t first, std::int64_t count) const;
  // The indices that these examples have there. Throws InputError for examples outside the range.
  std::vector<std::int64_t> of_source(std::span<const std::int64_t> examples) const;

  const SampleSource* source_;
  std::int64_t first_, count_;
};

}  // namespace hardhead::attention
