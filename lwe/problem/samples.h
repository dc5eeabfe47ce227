#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/numeric/random.h"
#include "base/numeric/rational.h"
#include "lwe/problem/discrete_gaussian.h"
#include "lwe/problem/parameters.h"

namespace hardhead::lwe {

/// Samples (a_i, b_i): a is count x n, row-major.
struct Samples {
  std::int64_t n = 0;         ///< entries of a row
  std::vector<Residue> a, b;  ///< count n, and count of them

  std::int64_t count() const { return static_cast<std::int64_t>(b.size()); }  ///< samples
  /// a_i.
  std::span<const Residue> row(std::int64_t i) const {
    return {a.data() + i * n, static_cast<std::size_t>(n)};
  }
  Residue label(std::int64_t i) const { return b[static_cast<std::size_t>(i)]; }  ///< b_i
};

/// The secret of a seed. It depends on n, q, and the numbers of its kind only: one seed makes one secret, for
/// LWE and LWR samples and for the layer of the family `lwr` (hardness/).
std::vector<Residue> draw_secret(const ProblemParameters& parameters, std::uint64_t seed);

/// A secret of this law by the numbers of a stream.
std::vector<Residue> draw_secret(const ProblemParameters& parameters, const Stream& stream);

/// b of a given a: exact integers. `error` is added for lwe and lpn and ignored for lwr.
Residue label(const ProblemParameters& parameters, const Residue* a, const std::vector<Residue>& secret,
              std::int64_t error);

/// The law of e of a problem (0 for lwr), as a function of one uniform word.
class ErrorLaw {
 public:
  /// Throws InputError for a sigma that DiscreteGaussian refuses.
  explicit ErrorLaw(const ProblemParameters& parameters);
  /// The e that a uniform 64-bit word stands for.
  std::int64_t value(std::uint64_t word) const;
  /// The share of words for which e = r mod q, for r = 0 .. q - 1: the law that samples are drawn from,
  /// exactly.
  std::vector<Rational> residues(std::int64_t q) const;

 private:
  ProblemParameters parameters_;
  std::optional<DiscreteGaussian> gaussian_;
};

/// Samples of a secret, addressed by index: sample i is the same whatever is drawn with it.
class Sampler {
 public:
  /// Throws InputError for parameters that validate() refuses.
  Sampler(const ProblemParameters& parameters, std::uint64_t seed);
  /// Samples of this secret, whose rows and errors are those of two streams. Throws InputError likewise.
  Sampler(const ProblemParameters& parameters, std::vector<Residue> secret, const Stream& rows,
          const Stream& errors);

  /// s, n entries.
  const std::vector<Residue>& secret() const { return secret_; }
  /// Samples first .. first + count - 1, made in parallel.
  Samples draw(std::int64_t first, std::int64_t count) const;

 private:
  ProblemParameters parameters_;
  std::vector<Residue> secret_;
  ErrorLaw law_;
  Stream rows_, errors_;
};

}  // namespace hardhead::lwe
