#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace hardhead {

/// What random numbers are for. Streams of different domains never share a number, whatever their seeds: this
/// is how a learner is kept from ever addressing a test example. The numbers are part of every stream's key.
enum class Domain { instance = 0, samples = 1, learner = 2, test = 3, null_predictor = 4 };

/// Random numbers addressed by counter: Philox4x64-10 (J. Salmon et al., "Parallel random numbers: as easy
/// as 1, 2, 3", SC 2011) from Random123. Number (i, j) of a stream is the same on any thread, in any order,
/// on any machine.
///
/// The 128-bit key is the head of SHA-256 over (domain, seed, salt); the counter is (item, block, 0, 0).
/// Items are examples, heads, restarts: whatever is drawn as one. Reals are made by correctly rounded
/// operations only (no libm).
class Stream {
 public:
  /// `salt` separates streams of one domain and seed, for instance by an instance's digest.
  Stream(Domain domain, std::uint64_t seed, std::string_view salt = {});

  /// Block `block` of item `item`: 256 random bits.
  std::array<std::uint64_t, 4> bits(std::uint64_t item, std::uint64_t block) const;

  /// Fills `out` with uniform signs, +1.0 or -1.0, one bit each: out[t] is bit t of the item's blocks.
  void signs(std::uint64_t item, std::span<double> out) const;

  /// Fills `out` with uniform reals on the multiples of 2^-53 in [0, 1).
  void uniforms(std::uint64_t item, std::span<double> out) const;

  /// Fills `out` with standard normals (Marsaglia's polar method).
  void normals(std::uint64_t item, std::span<double> out) const;

  /// A uniform integer in [0, bound), without bias (rejection). `bound` >= 1.
  std::uint64_t below(std::uint64_t item, std::uint64_t bound) const;

 private:
  std::array<std::uint64_t, 2> key_;
};

/// `count` different numbers of 0 .. n - 1, every choice and order with the same probability: the head of a
/// Fisher-Yates shuffle by items 0 .. count - 1. Needs count <= n.
std::vector<std::int64_t> draw_subset(const Stream& stream, std::int64_t n, std::int64_t count);

namespace detail {
/// Natural logarithm of a normal positive double by correctly rounded operations only; within 2 ulp.
double portable_log(double x);
}  // namespace detail

}  // namespace hardhead
