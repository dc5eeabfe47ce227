#pragma once
#include <optional>
#include <string>
#include <vector>

#include "attention/layer/layer.h"
#include "base/run/stop_token.h"
#include "base/text/option_table.h"

namespace hardhead::hardness {

/// The niceness certificate: each condition under which the upper bound (Chen and Li, arXiv 2402.04084)
/// learns a layer, measured on each head or pair of heads. With ||.|| Frobenius, |.| operator norm, the
/// stable rank r(A) = ||A||^2 / |A|^2, log d read as max(1, ln d), and a constant c of its own for each:
///
///     theta_incoherence    |<Theta_i, Theta_j>| / (||Theta_i|| ||Theta_j||)     <= c / (m log d)
///     theta_stable_rank    r(Theta_i)                                           >= c m k log d
///     theta_diagonal       Tr(Theta_i)^2 / ||Theta_i||^2                        <= c
///     theta_column         max_j ||column j of Theta_i||^2 / ||Theta_i||^2      <= c / log d
///     theta_non_arithmetic distance of the entries from the nearest sZ + o      >= c / 2
///     theta_norm_ratio     max_j ||Theta_j|| / ||Theta_i||                      <= 2 c
///     theta_norm           ||Theta_i||^2                                        <= c (log d)^2
///     w_incoherence        |<W_i, W_j>| / (||W_i|| ||W_j||)                     <= c / 2
///     w_stable_rank        r(W_i)                                               >= c m k log d
///     w_norm_ratio         log_r( max_j ||W_j|| / ||W_i|| ), r = max(2, min_j r(W_j))  <= c
///     injectivity          m (k - 1)                                            <= c d
///
/// The theory asks for "small", "at least poly(m, k, log d)", "comparable" and the like and leaves
/// polynomials and constants open: these are the plainest polynomials, and c = 1 unless told otherwise. At
/// moderate d they are strict: a Gaussian matrix has stable rank about d / 4. So each verdict comes with the
/// constant at which it flips. The distance from a lattice is arithmetic_distance.h. Tr(Theta)^2 <=
/// ||Theta||^2 says that the mean of a token's logit for itself is no larger than a logit's standard
/// deviation. A heavy column implies a small stable rank: r(A) is at most the inverse of theta_column's
/// value.
///
/// injectivity is not the theory's condition on the layer but what this project's learner certifies rows by;
/// it does not count for nice().

/// What a condition came to.
enum class ConditionStatus { pass, fail, not_applicable };

/// One condition on one head, pair of heads or layer.
struct Condition {
  std::string name;                     ///< as above; also the name of its constant
  std::string subject;                  ///< "theta 0", "w 0, w 2" (heads count from 0, as in files), "layer"
  std::vector<attention::Index> heads;  ///< those of the subject: one, a pair, or none for the layer
  bool at_least{};                      ///< value >= threshold is asked for, not <=
  bool counts = true;                   ///< for nice()
  std::string formula;                  ///< value and threshold, one line
  double value{};                       ///< NaN where it is not defined
  double threshold{};                   ///< NaN where it is not known
  double constant{};                    ///< c of the formula
  /// The condition holds for c >= this (<= where at_least). Infinite or 0 where it holds for none.
  double constant_at_flip{};
  ConditionStatus status = ConditionStatus::not_applicable;  ///< for this c
  std::string reason{};                                      ///< why it is not applicable

  /// The factor by which it holds with room, 1 and above, or below 1 falls short: the constant at which it
  /// flips over c where at_least, c over that constant else. NaN where it does not apply.
  double margin() const;
  /// Whether it applies to the subject.
  bool applies() const { return status != ConditionStatus::not_applicable; }
};

/// As `certify --json` has it.
template <class Visit>
void describe(Visit& visit, const Condition*) {
  using C = Condition;
  visit("name", &C::name);
  visit("subject", &C::subject);
  visit("value", &C::value);
  visit("threshold", &C::threshold);
  visit("margin", &C::margin);
  visit("pass", [](const C& c) {
    return c.applies() ? std::optional(c.status == ConditionStatus::pass) : std::nullopt;
  });
  visit("applicable", &C::applies);
  visit.if_any("reason", &C::reason);
  visit("counts", &C::counts);
  visit("formula", &C::formula);
  visit("constant", &C::constant);
  visit("constant_at_flip", &C::constant_at_flip);
}

/// The conditions of a certificate by name, each judged by the subject that is worst off.
struct ConditionCounts {
  std::size_t met = 0, failed = 0, not_applicable = 0;  ///< eleven together

  std::size_t all() const { return met + failed + not_applicable; }  ///< all names
};

/// Every condition of a layer, judged.
struct Certificate {
  attention::Index d{}, m{};            ///< features, heads
  std::optional<attention::Index> k{};  ///< empty: not known, and what needs it is not applicable
  std::vector<Condition> conditions;    ///< in the order above, heads and pairs in theirs
  attention::Index network = 0;         ///< units of a network behind the heads, of which no condition speaks

  /// Does every condition that counts and applies hold? Empty if none fails, but k is not known, or a network
  /// is behind the heads: the upper bound speaks of heads alone.
  std::optional<bool> nice() const;
  /// Of every name, the subject that is worst off: the constant at which it flips makes all others pass. One
  /// that the condition does not apply to if there is no other.
  std::vector<Condition> worst() const;
  /// How many of them hold; injectivity counts here.
  ConditionCounts counts() const;
  /// The one of the smallest margin(); null where none applies.
  const Condition* least_margin() const;
};

/// The constant c of each condition, named as the condition is, and how fine a lattice may be.
struct NicenessConstants {
  double theta_incoherence = 1, theta_stable_rank = 1, theta_diagonal = 1, theta_column = 1;  ///< of Theta_i
  double theta_non_arithmetic = 1, theta_norm_ratio = 1, theta_norm = 1;                      ///< of Theta_i
  double w_incoherence = 1, w_stable_rank = 1, w_norm_ratio = 1, injectivity = 1;             ///< of W_i
  double least_spacing = 0.1;  ///< of a lattice, in units of the root mean square of a matrix's entries
};
/// Their table: `certificate:theta_norm=2,least_spacing=0.2`.
const OptionTable<NicenessConstants>& niceness_constants();

/// Judges a layer for inputs of k tokens. A zero matrix has stable rank 0. It has no direction, so that
/// conditions on directions do not apply to it. Operator norms come from all eigenvalues of A^T A (relative
/// error about 1e-14).
///
/// Time: O(m d^3 + m^2 d^2) and the search for lattices, in parallel; a second for d = 512, m = 8 on 2 cores.
/// Throws InputError if the layer is not valid (a NaN, say); Stopped.
Certificate certify(const attention::Layer& layer, std::optional<attention::Index> k,
                    const NicenessConstants& constants = {}, const StopToken& stop = {});

/// certify() with the worst() of every name only, which needs no memory for m^2 / 2 pairs of heads.
Certificate certify_worst(const attention::Layer& layer, std::optional<attention::Index> k,
                          const NicenessConstants& constants = {}, const StopToken& stop = {});

/// ||A||^2 / |A|^2, at least 1 and at most the rank; 0 for a zero matrix.
double stable_rank(const attention::Matrix& a);

}  // namespace hardhead::hardness
