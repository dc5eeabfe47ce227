#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "attention/layer/layer.h"
#include "attention/samples/inputs.h"
#include "base/run/stop_token.h"

namespace hardhead::attention {

/// The Jacobian of F at the X of a block, by the entries of all Theta_i and W_i. With z and C the mean and
/// the covariance of the tokens under the attention of head i in row r,
///
///     dY[r,e] / dTheta_i[a,b] = x_ra (C W_i)[b,e],      dY[r,e] / dW_i[b,e'] = z_b where e' = e, else 0.
///
/// Rows: entry e of row r of example n is row (n k + r) d + e. Columns: entry (a, b) of Theta_i is column i
/// d^2 + b d + a, and the W_i follow in the same order: (k d count) x (2 m d^2). Throws InputError as
/// Layer::validate().
Matrix jacobian(const Layer& layer, const Block& block);

/// By what F is differentiated.
enum class Coordinates {
  entries,  ///< all 2 m d^2 entries of (Theta, W)
  factors,  ///< the entries of A_i, B_i in Theta_i = A_i B_i^T and W_i = C_i D_i^T, of as many columns as
            ///< ranks
};

constexpr auto enum_names(Coordinates) {
  return std::to_array<EnumName<Coordinates>>(
      {{Coordinates::entries, "entries"}, {Coordinates::factors, "factors"}});
}

/// In how many directions of its parameters a layer can be told from its neighbours: the numerical rank of
/// the Jacobian of F, over the rows of random inputs together.
struct JacobianRank {
  Coordinates coordinates = Coordinates::entries;  ///< of the columns
  Inputs inputs = Inputs::boolean;                 ///< of the rows
  std::int64_t rows = 0;                           ///< k d for each input
  Index columns = 0;                               ///< parameters
  /// No layer of this shape and these ranks has a larger rank. `entries`: 2 m d^2, for Boolean inputs at most
  /// B(d, k). With a last feature that is 1 the (2 m - 1) d entries that are free do not count: the last
  /// columns of the Theta_i, and all but one of the last rows of the W_i. `factors`: with ranks r, sum r (2 d
  /// - r) over all 2 m matrices, and the same. It is the rank of a reduced layer for Gaussian inputs (proved
  /// in attention/layer/canonical.h). For Boolean inputs hard families have less.
  Index predicted = 0;
  Index rank = 0;                           ///< singular values above max(rows, columns) 2^-52 of the largest
  double smallest_kept = 0;                 ///< the smallest of these, relative to the largest
  std::optional<double> largest_dropped{};  ///< the largest of the others, likewise, if there are any
};

/// Columns of a Jacobian that is decomposed, at most: this many take some 30 s.
inline constexpr Index most_jacobian_columns = 1200;

/// The ranks of a layer's Jacobian for k tokens and each distribution of inputs: in all entries, and in
/// factors where a matrix has a rank below d (singular values above d 2^-52 of the largest). Inputs are all
/// Boolean ones where they are at most 4,096; else as many as have 2 m d (d + 1) rows, drawn from `seed`:
/// twice the unknowns of an entry of Y, which may be the only one that is not always 0.
///
/// Where the last feature is the constant 1 the distributions are those with it, and only entries are
/// counted: what is free there can be added to a matrix of low rank and gives it another.
///
/// Time: O(m^3 d^7). Throws InputError unless k >= 2, the layer is valid, the Jacobian is finite, and 2 m
/// d^2 <= most_jacobian_columns; Stopped.
std::vector<JacobianRank> jacobian_ranks(const Layer& layer, Index k, std::uint64_t seed,
                                         const StopToken& stop = {}, LastFeature last = LastFeature::varies);

/// B(d, k), the most that a rank on Boolean inputs can be, or its like on inputs whose last feature is 1
/// (attention/layer/canonical.h); 2^53 where it is more.
double boolean_rank_bound(Index d, Index k, LastFeature last = LastFeature::varies);

}  // namespace hardhead::attention
