#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/statistics/cost_laws.h"
#include "study/cost/measured_costs.h"

namespace hardhead::study {

/// A law whose AICc is larger than that of another by more than this has essentially no support from the data
/// (K. Burnham, D. Anderson, Model Selection and Multimodel Inference, 2nd ed. 2002, section 2.6).
inline constexpr double without_support = 10;

/// The size of a layer whose cost is asked for, as in MeasuredCost.
struct LayerSize {
  int d = 0, k = 0, m = 0;  ///< features, tokens, and m
};

/// What a learner is predicted to cost on layers of one size: the median of their runs.
struct LearnerCost {
  std::string learner;                  ///< as in MeasuredCost
  std::optional<std::string> no_fit{};  ///< why nothing is predicted; the other fields are then empty
  std::vector<statistics::CostPrediction> laws{};  ///< examples by each law, the smallest AICc first
  /// By that law; from the lowest end to the highest of the 95% intervals of all laws whose AICc is at most
  /// `without_support` larger, since the data do not tell these apart.
  statistics::Estimate examples{};
  statistics::Estimate seconds{};     ///< the same, at the recorded rate of the learner
  std::vector<std::string> beyond{};  ///< "d = 64 where 40 is the largest measured"; empty: within
  std::string measured{};             ///< "m = 2 .. 6, d = 8 .. 40, 75 runs, 3 of them censored"
};

/// A law's name with its coefficients c_1, c_2, .. in their places: "e^(1.9 m)". The places are {}, or {0}
/// for c_1 and {1} for c_2.
std::string law_text(std::string name, const std::vector<std::string>& coefficients);

/// ln C(d-1, m): of the hidden sets that a parity layer may have.
double ln_hidden_sets(double d, double m);

/// The laws that costs on nice layers are held against, at = {m, d}: a power of m, and exponentials of m, of
/// m ln m and of (m-1)^2 (docs/criteria_R6.md). The number of features does not come into them.
const std::vector<statistics::CostLaw>& nice_cost_laws();

/// Those of parity layers, at = {m, d}: d^(b m + c), and a power of C(d-1, m).
const std::vector<statistics::CostLaw>& parity_cost_laws();

/// The laws of one learner's costs on one kind of layer.
class CostFit {
 public:
  /// `costs` are those of one learner. The median of the runs at each (m, d) counts as one cost
  /// (statistics::CostPredictor), censored where the median is: the scatter around a law is mostly one of
  /// sizes, and not of seeds. Seconds per example are fitted as a power of d and of m, to single runs.
  /// Nothing is fitted to fewer than statistics::fewest_values values of m. With `by_d`, where m is the same
  /// in all costs, laws have at = {d, m} instead of {m, d} and are judged by d.
  CostFit(std::vector<MeasuredCost> costs, const std::vector<statistics::CostLaw>& laws, bool by_d = false);

  /// What a run on a layer with d features costs; m is that of MeasuredCost.
  LearnerCost at(int d, int m) const;
  /// Why there is no fit; empty where there is one.
  const std::optional<std::string>& no_fit() const { return no_fit_; }
  /// The learner, as in MeasuredCost.
  const std::string& learner() const { return learner_; }
  /// The largest m with a cost that is not censored; 0 for none.
  int largest_m() const { return largest_m_; }

 private:
  void fit(const std::vector<statistics::CostLaw>& laws);
  std::vector<double> place(int d, int m) const;

  std::vector<MeasuredCost> costs_;
  std::string learner_;
  bool by_d_;
  int largest_m_ = 0;
  std::optional<std::string> no_fit_;
  std::optional<statistics::CostPredictor> examples_, rate_;
};

/// Parity layers with fewer possible hidden sets, C(d-1, m), say nothing of what more cost: most of the time
/// is then that of training at all, whatever is hidden.
inline constexpr double fewest_hidden_sets = 100;

/// The fits of all learners that were measured on layers of this family (as in MeasuredCost) with k tokens,
/// in the table's order. Of parity layers those with at least fewest_hidden_sets count. On nice layers, whose
/// laws say nothing of d, the costs of the measured d that is nearest to d in the ratio count, and no others;
/// of juntas those with m hidden coordinates.
std::vector<CostFit> cost_fits(const std::string& family, const LayerSize& size,
                               std::span<const MeasuredCost> costs = measured_costs());

}  // namespace hardhead::study
