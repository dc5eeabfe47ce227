#include "attention/forward/memory.h"

#include <algorithm>

#include "attention/forward/forward.h"
#include "attention/forward/single_forward.h"

namespace hardhead::attention {
namespace {

double doubles(Index rows, Index columns) {
  return 8 * static_cast<double>(rows) * static_cast<double>(columns);
}

/// A byte for four features of each of these tokens, and what follows the last.
double sign_bytes(Index features, Index tokens) {
  return static_cast<double>((features + 3) / 4) * static_cast<double>(tokens) + 16;
}

/// Eight bytes for 32 features of each of these tokens, and what follows the last.
double sign_word_bytes(Index features, Index tokens) {
  return 8 * (static_cast<double>((features + 31) / 32) * static_cast<double>(tokens) + 16);
}

/// Whether examples may be labelled in single precision.
bool labels_single(const PassShape& shape) {
  return shape.signs && SingleForward::takes(shape.k);
}

}  // namespace

double layer_bytes(Index d, Index m) {
  return 2 * doubles(m * d, d);
}

double example_bytes(Index d, Index k, std::int64_t examples) {
  return 2 * doubles(d * k, examples);
}

double token_maps_bytes(Index d, Index matrices, bool signs) {
  // For every eight rows and four columns, rounded up, 16 rows of eight doubles.
  const double tables = doubles(matrices * ((d + 7) / 8), ((d + 3) / 4) * 128);
  return doubles(matrices * d, d) + (signs ? tables : 0);
}

double forward_bytes(const PassShape& shape) {
  return 2 * token_maps_bytes(shape.d, shape.m, shape.signs) + doubles(shape.m * shape.d, shape.d);
}

double layer_teacher_bytes(const PassShape& shape) {
  return layer_bytes(shape.d, shape.m) + forward_bytes(shape) +
         (labels_single(shape) ? single_forward_bytes(shape.d, shape.m) : 0);
}

WorkspaceBytes workspace_bytes(const PassShape& shape) {
  const auto [d, k, m, signs] = shape;
  const Index tokens = k * block_size;
  WorkspaceBytes out;
  out.apply = doubles(m * k, tokens);
  if (signs)
    out.apply += doubles(8, tokens + 1) + sign_bytes(d, tokens) + sign_word_bytes(d, tokens);
  else
    out.apply += doubles(std::min(m, maps_at_once(d, k)) * d, tokens);
  out.attend = out.apply + doubles(m * d, tokens);
  out.values = out.attend + (signs ? sign_bytes(tokens, d) : 0);
  return out;
}

double layer_teacher_scratch_bytes(const PassShape& shape) {
  return workspace_bytes(shape).apply +
         (labels_single(shape) ? single_forward_scratch_bytes(shape.d, shape.k) : 0);
}

}  // namespace hardhead::attention
