#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "attention/samples/sample_source.h"
#include "base/run/run_context.h"
#include "learner/certificate/top_rows.h"
#include "learner/objective/blocks.h"

namespace hardhead::learner {

/// How a pattern is fitted to a row's label: by least squares, in closed form, or as in the paper, in the sup
/// norm over the simplex by a linear programme.
enum class CertificateNorm { euclidean, sup_norm };

/// What is kept, and by which certificate.
struct HarvestOptions {
  std::int64_t keep = 4000;       ///< rows kept: those of smallest score, at least 1
  double attention_floor = 0.03;  ///< rows with some p_a below it are dropped: ln p_a is too noisy there
  CertificateNorm certificate = CertificateNorm::euclidean;  ///< which rows count as certified
};

/// Certified rows: rows whose label a single attention pattern explains, evidence that all heads attend alike
/// there.
struct Harvest {
  std::vector<ScoredRow> rows;  ///< ascending in score, of distinct content
  Matrix patterns;              ///< k x rows: column e is the common pattern p of rows[e]
  Block examples;               ///< example e holds the tokens and labels that rows[e] is a row of
  std::int64_t rows_seen = 0;   ///< k an example read
  std::int64_t programmes = 0;  ///< rows given to the linear programme
};

/// Certification (phase 2, first half): the `keep` eligible rows of least score, each equation once
/// (row_content.h). Examples must be well posed, patterns above the floor. The result is the same for any
/// number of threads.
///
/// Euclidean: the pattern p of least squares (certify.h). With rho the residual and s the example's smallest
/// pivot the score is ||rho|| / (s min_a p_a), the heads' disagreement in logits rather than in
/// probabilities, up to a factor.
///
/// Sup norm (the paper's): the score is the least residual over the simplex (sup_norm.h). These are the rows
/// that a linear programme for every row would keep, up to rounding, but programmes are solved only where a
/// closed-form lower bound is no worse than the keep-th best residual found: rows are taken in the order of
/// their bounds. Throws what sup_norm_fits throws.
///
/// By the Euclidean certificate, rows of tokens of signs are screened in single precision (screen.h), by some
/// of their labels' features first: only examples with a row that may be among the best are scored in double.
/// The result is the same without.
///
/// A small residual means that all heads attend alike only if the W_i^T X^T are jointly injective
/// (m (k-1) <= d, incoherent W_i). Needs k >= 2.
Harvest harvest(const ExampleRange& examples, const Matrix& w_sum, const HarvestOptions& options,
                const RunContext& context, std::string_view phase);

/// Bytes that a harvest of this many examples takes at most: its rows with their examples, and what finding
/// them takes besides. What the source takes to read is not counted.
double harvest_bytes(Index d, Index k, std::int64_t examples, const HarvestOptions& options);

/// A harvest by the Euclidean certificate that can be carried on: the best rows of a prefix are all that the
/// best rows of a longer one need, so that no example is read twice but those whose rows are kept.
class GrowingHarvest {
 public:
  /// Begins with the example `none_yet.first`; its count is not used. The source must outlive it.
  GrowingHarvest(const ExampleRange& none_yet, const Matrix& w_sum, const HarvestOptions& options);
  /// Certifies the next `count` examples. An object that was stopped in it is of no further use.
  void read(std::int64_t count, const RunContext& context, std::string_view phase);
  /// Examples read so far.
  std::int64_t seen() const { return seen_; }
  /// The rows that harvest() keeps of all examples read so far.
  Harvest harvest(const RunContext& context);

 private:
  const SampleSource* source_;
  std::int64_t first_, seen_ = 0;
  RowMatrix w_t_;
  double floor_;
  TopRows top_;
};

}  // namespace hardhead::learner
