#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "learner/certificate/harvest.h"
#include "learner/learner.h"
#include "learner/phases/hull.h"
#include "learner/phases/six_phases.h"

namespace hardhead::learner {

/// The gap below which certified rows do not single out a hull.
inline constexpr double doubtful_gap = 3;

/// The name of a phase of the n-th look: its own, and from the second look on "_n" behind it.
std::string numbered_phase(const char* phase, int look);

/// Phases 1 to 4 on more and more examples of one stream: W_sum and the affine hull of the heads, as good as
/// the examples that have been read allow. Each look is at the examples 0 .. count - 1, and its phases go
/// into the run's recorder (numbered_phase).
///
///     begin       phases 1 to 4, with as many rounds of 3 and 4 as the options say
///     carry_on    the certified rows of the next examples join those there are (GrowingHarvest), with the
///                 same W_sum, and the hull is estimated again: each new example is read once
///     refine      while the gap is doubtful, phases 1 to 4 again; then phase 3 again, by the last hull;
///                 where W_sum moves by more than 2%, phase 4 begins anew with it, and is adopted if it makes
///                 the gap sharper; else carry_on
///
/// Looks at counts that double, all by `refine`, read no more than six times the examples of the last one.
/// With looks between them by `carry_on` no example is read more often for that.
class GrowingHull {
 public:
  /// Keeps references to both.
  GrowingHull(const Run& run, const SixPhasesOptions& options) : run_(run), options_(options) {}

  /// Can it be carried on? By linear programmes (the paper's route) it cannot.
  static bool grows(const SixPhasesOptions& options);

  /// Phases 1 to 4. Throws InsufficientData where there are too few rows, and Failed where W_sum = 0 within
  /// its error.
  void begin(std::int64_t count);
  /// Needs begin(), a count above that of the last look, and options that grow.
  void carry_on(std::int64_t count);
  /// As carry_on().
  void refine(std::int64_t count);

  /// Has begin() come to its end?
  bool begun() const { return known_.has_value(); }
  /// The hull of the last look.
  const HullEstimate& estimate() const { return known_->hull; }

 private:
  // What phases 1 and 2 estimate, and phases 3 and 4 estimate again.
  struct Estimates {
    Matrix w_sum;
    HullEstimate hull;
    std::optional<GrowingHarvest> harvest{};  // that the hull rests on, where it can be carried on
  };

  std::string named(const char* phase) const { return numbered_phase(phase, look_); }
  void first_estimates();
  Matrix crude_w_sum();
  Estimates hull(const char* name, Route route, Matrix w_sum);
  HullEstimate spectral_hull(Phase& phase, const Harvest& found) const;
  Matrix refined_w_sum();
  void adopt_if_sharper(Estimates again);
  void carry_harvest_on();

  const Run& run_;
  const SixPhasesOptions& options_;
  int look_ = 0;
  std::int64_t count_ = 0;
  std::optional<Estimates> known_;
};

}  // namespace hardhead::learner
