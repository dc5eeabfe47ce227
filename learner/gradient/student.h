#pragma once
#include <array>

#include "attention/forward/block.h"
#include "attention/layer/network.h"
#include "base/numeric/random.h"
#include "base/text/enum_names.h"
#include "learner/attention_names.h"

namespace hardhead::learner {

/// What a student assumes of each of its attention forms Theta_i. Whatever is assumed is knowledge about the
/// layer, so every report says it.
enum class ThetaShape {
  full,      ///< nothing: d^2 parameters
  diagonal,  ///< a diagonal matrix: d parameters
  low_rank   ///< A_i B_i^T with A_i and B_i d x rank: 2 d rank parameters
};

constexpr auto enum_names(ThetaShape) {
  return std::to_array<EnumName<ThetaShape>>(
      {{ThetaShape::full, "full"}, {ThetaShape::diagonal, "diagonal"}, {ThetaShape::low_rank, "low-rank"}});
}

/// The layer that gradient learners train, and how its parameters are arranged: one matrix with d columns,
/// the attention forms first and the projections after them.
///
///     full       rows i d .. i d + d - 1 are Theta_i                                 m d rows
///     diagonal   row i is the diagonal of Theta_i                                    m rows
///     low_rank   rows i r .. i r + r - 1 are A_i^T; behind all of them the B_i^T     2 m r rows
///     then       rows i d .. i d + d - 1 are W_i^T                                   m d rows
///     last       the network's (attention/layer/network.h)
struct StudentShape {
  Index d = 0;                          ///< features of a token
  Index heads = 0;                      ///< m
  ThetaShape theta = ThetaShape::full;  ///< what is assumed of Theta_i
  Index rank = 0;                       ///< r, of low_rank alone
  NetworkShape network{};               ///< behind the heads

  Index theta_rows() const;                                                  ///< rows of the attention forms
  Index rows() const { return theta_rows() + heads * d + network.rows(d); }  ///< all rows
  double parameters() const { return static_cast<double>(rows() * d); }      ///< numbers to be learnt
};

/// How a student begins.
struct StudentStart {
  double theta_norm = 4;       ///< Frobenius norm of each Theta_i
  double off_diagonal = 0.05;  ///< size of Theta_i's other entries relative to those on the diagonal, if full
  double w_norm = 0.05;        ///< Frobenius norm of each W_i
  double out_norm = 0.5;       ///< Frobenius norm of a network's B; rows of A have norm 1, a is Gaussian, b 0
};

/// Random parameters: all entries Gaussian, those of Theta_i off the diagonal smaller by the given factor.
///
/// Heads that begin near diagonal matrices of some size, different for each head, already attend by many
/// different weighted sums of x_(r,f) x_(j,f), from which a function of few features can be put together;
/// dense Gaussian forms of the same norm drown these sums in the d^2 - d products of different features.
FloatMatrix random_student(const StudentShape& shape, const Stream& stream, const StudentStart& start);

/// Moves the entries of every full Theta_i off the diagonal towards 0: x <- sign(x) max(|x| - by, 0), the
/// proximal step of the penalty `by` |x| (I. Daubechies, M. Defrise, C. De Mol, 2004). Leaves students of
/// other shapes as they are. `by` >= 0.
void shrink_off_diagonal(const StudentShape& shape, double by, FloatMatrix& parameters);

/// The layer with these parameters, in double.
Layer to_layer(const StudentShape& shape, const FloatMatrix& parameters);

/// A layer with fewer heads that is nearly the same function: of heads whose attention forms are close one is
/// left, which attends by their mean and projects by their sum. Equal attention forms merge without error,
///
///     softmax(X Theta X^T) X W_1 + softmax(X Theta X^T) X W_2 = softmax(X Theta X^T) X (W_1 + W_2).
///
/// Heads are taken in the order of ||W_i||, the largest first; each joins the first group whose mean Theta is
/// within `distance` ||Theta|| (Frobenius), else it begins one. A mean weighs each Theta_i by ||W_i||. Groups
/// with ||W|| below `distance` times the largest of a group are left out.
Layer merge_heads(const Layer& layer, double distance);

}  // namespace hardhead::learner
