#pragma once
#include <cstdint>
#include <vector>

#include "attention/sample_source.h"
#include "base/run_control.h"
#include "learner/top_rows.h"

namespace hardhead::learner {

struct HarvestOptions {
  std::int64_t keep = 4000;       ///< rows kept: those of smallest score
  double attention_floor = 0.03;  ///< rows with some p_a below it are dropped: ln p_a is too noisy there
};

/// Certified rows: rows whose label a single attention pattern explains, evidence that all heads attend alike
/// there.
struct Harvest {
  std::vector<ScoredRow> rows;  ///< ascending; the score is the heads' disagreement in logits, up to a factor
  attention::Matrix patterns;   ///< k x rows: column e is the common pattern p of rows[e]
  attention::Block examples;    ///< example e holds the tokens and labels that rows[e] is a row of
  std::int64_t rows_seen = 0;
  std::int64_t rows_eligible = 0;  ///< with an interior pattern above the floor and a well-posed fit
};

/// Certification (phase 2, first half). For row r of an example the common pattern is
///
///     p = argmin over {sum p = 1} || y_r - sum_a p_a W_sum^T x_a ||,
///
/// k - 1 unknowns against d numbers; with rho the residual, the score is
///
///     ||rho|| / (s min_a p_a),   s = smallest pivot of the Cholesky factor of the Gram matrix of the
///                                    k - 1 differences W_sum^T (x_a - x_k),
///
/// which is the heads' disagreement in logits rather than in probabilities, up to a factor. Rows are eligible
/// if s is above a tenth of the largest pivot (else the differences are nearly dependent and tell no pattern)
/// and p above the floor. A small residual means that all
/// heads attend alike only if the W_i^T X^T are jointly injective (m (k-1) <= d, incoherent W_i).
/// The result is the same for any number of threads.
Harvest harvest(const attention::SampleSource& source, std::int64_t first, std::int64_t count,
                const attention::Matrix& w_sum, const HarvestOptions& options, const RunControl& control,
                std::string_view phase);

}  // namespace hardhead::learner
