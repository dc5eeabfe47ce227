#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/numeric/rational.h"
#include "base/run/run_context.h"
#include "lwe/problem/samples.h"

namespace hardhead::lwe {

/// The posterior over all secrets, drawn by their law, after samples of LWR or LPN: exactly. What it does not
/// tell nobody can, however long he computes.
///
///     LWR    a secret fits the samples, or it does not: uniform on those that fit
///     LPN    a secret with r of N labels wrong has the weight rate^r (1 - rate)^(N - r)
///
/// A secret is kept as its number and the number of its wrong labels; those of weight 0 are dropped.
class Posterior {
 public:
  /// All secrets, before any sample. Throws InputError for problem `lwe`, as validate() does, and for more
  /// than 2^24 secrets.
  explicit Posterior(const ProblemParameters& parameters);

  /// Takes one more sample.
  void see(std::span<const Residue> a, Residue b);

  /// P(secret | samples). 0 for one that is none of this kind.
  Rational probability(const std::vector<Residue>& secret) const;

 private:
  struct Candidate {
    std::uint32_t number;
    std::uint32_t wrong;
  };

  void write(std::uint32_t number, std::span<Residue> secret) const;
  Rational probability_with(std::uint32_t wrong) const;

  ProblemParameters parameters_;
  std::vector<Residue> alphabet_;
  std::vector<std::uint32_t> sets_;  ///< of a fixed weight: places of the ones, as bits; else empty
  std::vector<Candidate> left_;
  Rational rate_;
};

/// The least N at which P(secret | first N samples of the seed) is 1/2 or more; empty if not by `most`
/// samples. It is the information limit of one draw: its median over seeds is what nobody can be better than
/// in the median. Throws as Posterior, and Stopped.
std::optional<std::int64_t> samples_to_determine(const ProblemParameters& parameters, std::uint64_t seed,
                                                 std::int64_t most, const StopToken& stop);

}  // namespace hardhead::lwe
