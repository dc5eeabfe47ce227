#pragma once
#include <bit>
#include <cstdint>
#include <vector>

namespace hardhead::lwe {

/// The discrete Gaussian on the integers, P(x) proportional to exp(-x^2 / (2 s^2)), with s chosen so that the
/// **standard deviation of the discrete law is sigma** (from sigma = 3 on, s = sigma within 1e-70; below it s
/// solves the equation).
///
/// **Table.** P(x) as integer multiples of 2^-64 that sum to 1 exactly, from values of 60 digits (MPFR): the
/// same on every machine. Values past the tail cut T = tail_cut(sigma) are never drawn. The table's total
/// variation distance from the law is at most
///
///     2 exp(-T^2 / (2 s^2)) + (2T + 1) 2^-64,  the first term at most 2^-64.
///
/// **Sampling** is exact for the table: one 64-bit word a sample, by Walker's alias method with a power of
/// two of buckets, so that thresholds are integers. Not constant-time: no secrets are protected here.
class DiscreteGaussian {
 public:
  static constexpr double min_sigma = 0.05;  ///< least sigma
  static constexpr double max_sigma = 4096;  ///< largest sigma

  /// Throws InputError naming the value unless sigma is in [min_sigma, max_sigma].
  explicit DiscreteGaussian(double sigma);

  /// T: values are in [-T, T].
  std::int64_t cut() const { return cut_; }
  /// P(x) in units of 2^-64, for |x| <= cut().
  std::uint64_t probability(std::int64_t x) const { return table_[static_cast<std::size_t>(x + cut_)]; }

  /// The value that a uniform word stands for.
  std::int32_t value(std::uint64_t word) const {
    const Bucket& bucket = buckets_[word >> shift_];
    // A select without a branch: the threshold is a coin flip to the predictor.
    const std::uint64_t other = 0 - static_cast<std::uint64_t>((word & mask_) >= bucket.threshold);
    return bucket.own ^ ((bucket.own ^ bucket.alias) & static_cast<std::int32_t>(other));
  }

 private:
  struct Bucket {
    std::uint64_t threshold;  ///< words whose low bits are below it mean `own`
    std::int32_t own, alias;
  };

  void make_buckets();

  std::int64_t cut_;
  int shift_ = 0;
  std::uint64_t mask_ = 0;
  std::vector<std::uint64_t> table_;
  std::vector<Bucket> buckets_;
};

/// The least T with 2 exp(-T^2 / (2 s^2)) <= 2^-64, which bounds P(|x| >= T); 0 for sigma = 0.
std::int64_t tail_cut(double sigma);

}  // namespace hardhead::lwe
