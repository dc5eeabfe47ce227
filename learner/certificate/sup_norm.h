#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "attention/forward/block.h"
#include "base/run/run_context.h"
#include "learner/certificate/certify.h"

namespace hardhead::learner {

/// The paper's certificate: patterns in the simplex of least residual in the sup norm.
struct SupNormFits {
  Vector residual;  ///< one a row; infinity where Clp's answer is not optimal within 1e-6
  Matrix pattern;   ///< k x rows
};

/// For every example e of the block and its row r = rows[e], with images v_a = W_sum^T x_a,
///
///     min over {p >= 0, sum p = 1} || y_r - sum_a p_a v_a ||_inf
///
/// by Clp: a linear programme of k + 1 unknowns and 2 d constraints, in its dual form. It is put up around
/// the least-squares fit and in units of that fit's residual, so that the answer is accurate relative to the
/// residual; where that is rounding error (1e-13 of label and differences) the least-squares fit stands.
/// Every programme starts from the same basis, so that an answer does not depend on the rows before it; the
/// last basis would save a few microseconds at d = 16, nothing at d = 32. Examples that are not well posed
/// (certify.h) get residual infinity.
///
/// Clp runs in a child process. Throws InsufficientData where that gives no answer, and Stopped. Progress
/// goes to `phase`.
SupNormFits sup_norm_fits(const RowMatrix& w_t, const Block& block, const std::vector<Index>& rows,
                          const RunContext& context, std::string_view phase);

/// Lower bounds, 1 x (k count), on the sup-norm residual t of any pattern with all p_a >= floor:
/// the larger of
///
///     t >= <u, rho> / ||u||_1,   u orthogonal to the differences,
///     t >= sqrt((||rho||_2^2 + max_a (h_a (floor - p_a)_+)^2) / d),
///          h_a the distance of v_a from the affine hull of the other images,
///
/// with p and rho of the least-squares fit. The first is duality, with u = (rho_f^3) less its projection on
/// the differences: it weighs the largest residuals, which are the ones that count. The second is what moving
/// p_a up to the floor costs at least. Infinity where the example is not well posed.
RowMatrix sup_norm_bounds(const RowFits& fits, double floor);

/// Processor seconds that linear programmes add to a harvest of `keep` rows, on one core:
///
///     4 keep (8 + d/2 + 3 k) 1e-6.
///
/// Rough: 1.3 to 9 programmes were solved for a row kept (nice instances, d from 16 to 64, k from 2 to 4, m 2
/// and 3, W_sum true and off by 16%; the more, the more patterns are near the floor), of 16 to 45
/// microseconds each at 2.6 GHz.
double predicted_sup_norm_seconds(std::int64_t keep, Index d, Index k);

}  // namespace hardhead::learner
