#pragma once
#include "attention/layer/layer.h"

namespace hardhead::learner {

/// A layer with fewer heads that is nearly the same function: of heads whose attention forms are close one is
/// left, which attends by their mean and projects by their sum. Equal attention forms merge without error,
///
///     softmax(X Theta X^T) X W_1 + softmax(X Theta X^T) X W_2 = softmax(X Theta X^T) X (W_1 + W_2).
///
/// Heads are taken in the order of ||W_i||, the largest first; each joins the first group whose mean Theta is
/// within `distance` ||Theta|| (Frobenius), else it begins one. A mean weighs each Theta_i by ||W_i||. Groups
/// with ||W|| below `distance` times the largest of a group are left out.
attention::Layer merge_heads(const attention::Layer& layer, double distance);

}  // namespace hardhead::learner
