#pragma once
#include <cstdint>

#include "attention/layer/layer.h"

namespace hardhead::attention {

/// Bytes that layers, examples and forward passes take: what predictions of memory are made of. They are
/// those of the arrays below whose sizes grow with d, k or m, and upper bounds.

/// A layer: Theta_i and W_i.
double layer_bytes(Index d, Index m);

/// N examples of k tokens in memory: X and Y, doubles.
double example_bytes(Index d, Index k, std::int64_t examples);

/// The sizes that a forward pass depends on.
struct PassShape {
  Index d = 0, k = 0, m = 0;  ///< features, tokens, heads
  bool signs = true;          ///< tokens are -1 and +1 throughout: products take tables (signs.h)
};

/// d x d matrices on top of each other (TokenMaps), with their tables if `signs`: five times their size.
double token_maps_bytes(Index d, Index matrices, bool signs);

/// Forward: three copies of matrices of the layer, two of them with tables.
double forward_bytes(const PassShape& shape);

/// A teacher that labels by a layer (LayerTeacher): the layer, its Forward and, of signs, its SingleForward.
double layer_teacher_bytes(const PassShape& shape);
/// What it takes in each thread that labels.
double layer_teacher_scratch_bytes(const PassShape& shape);

/// What Forward::Workspace keeps of a block of `block_size` examples.
struct WorkspaceBytes {
  double apply = 0;   ///< after apply(): patterns, and products with some heads
  double attend = 0;  ///< after attend(): mean tokens of all heads besides
  double values = 0;  ///< after attend_values(): values of all heads and the transposed signs besides
};
/// For these sizes. A thread has one workspace, and each member is used again.
WorkspaceBytes workspace_bytes(const PassShape& shape);

}  // namespace hardhead::attention
