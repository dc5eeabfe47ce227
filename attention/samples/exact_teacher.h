#pragma once
#include "attention/layer/exact.h"
#include "attention/samples/sample_source.h"

namespace hardhead::attention {

/// Labels by the exact values of a layer (exact.h), each rounded to double once: for any number of Boolean
/// tokens. An example takes O(m k^2) powers of B, so this is for hundreds of examples.
class ExactTeacher final : public Teacher {
 public:
  /// Throws InputError as ExactLayer::validate() does.
  explicit ExactTeacher(ExactLayer layer);
  /// Throws InputError for an entry of X that is not +-1.
  void label(Block& block) const override;
  Labelled labelled() const override { return {.boolean_only = true}; }

 private:
  ExactLayer layer_;
};

}  // namespace hardhead::attention
