#include "base/numeric/random.h"

#include <Random123/philox.h>
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <numeric>
#include <utility>

#include "base/files/digest.h"

namespace hardhead {
namespace {

double to_unit(std::uint64_t word) {
  return static_cast<double>(word >> 11) * 0x1p-53;
}

}  // namespace

Stream::Stream(Domain domain, std::uint64_t seed, std::string_view salt) {
  const std::string hex =
      Digest().add(fmt::format("hardhead stream {} {}", static_cast<int>(domain), seed)).add(salt).hex();
  for (std::size_t i = 0; i < 2; ++i) key_[i] = std::strtoull(hex.substr(16 * i, 16).c_str(), nullptr, 16);
}

std::array<std::uint64_t, 4> Stream::bits(std::uint64_t item, std::uint64_t block) const {
  const auto r = r123::Philox4x64{}({{item, block, 0, 0}}, {{key_[0], key_[1]}});
  return {r[0], r[1], r[2], r[3]};
}

void Stream::signs(std::uint64_t item, std::span<double> out) const {
  for (std::size_t at = 0, block = 0; at < out.size(); ++block) {
    const auto words = bits(item, block);
    for (std::size_t w = 0; w < 4 && at < out.size(); ++w) {
      const std::size_t n = std::min<std::size_t>(64, out.size() - at);
      for (std::size_t t = 0; t < n; ++t)  // the bit becomes the sign of 1.0
        out[at + t] = std::bit_cast<double>(std::bit_cast<std::uint64_t>(1.0) | ((words[w] >> t) << 63));
      at += n;
    }
  }
}

void Stream::uniforms(std::uint64_t item, std::span<double> out) const {
  for (std::size_t at = 0; at < out.size(); at += 4) {
    const auto words = bits(item, at / 4);
    for (std::size_t t = 0; t < 4 && at + t < out.size(); ++t) out[at + t] = to_unit(words[t]);
  }
}

void Stream::normals(std::uint64_t item, std::span<double> out) const {
  std::uint64_t block = 0;
  for (std::size_t at = 0; at < out.size();) {
    const auto words = bits(item, block++);
    for (std::size_t pair = 0; pair < 2 && at < out.size(); ++pair) {
      const double u = 2.0 * to_unit(words[2 * pair]) - 1.0, v = 2.0 * to_unit(words[2 * pair + 1]) - 1.0;
      const double s = u * u + v * v;
      if (s >= 1.0 || s == 0.0) continue;
      const double scale = std::sqrt(-2.0 * detail::portable_log(s) / s);
      out[at++] = u * scale;
      if (at < out.size()) out[at++] = v * scale;
    }
  }
}

std::uint64_t Stream::below(std::uint64_t item, std::uint64_t bound) const {
  const std::uint64_t reject_below = (0 - bound) % bound;  // 2^64 mod bound
  for (std::uint64_t block = 0;; ++block)
    for (const std::uint64_t word : bits(item, block))
      if (word >= reject_below) return word % bound;
}

namespace detail {

double portable_log(double x) {
  // x = 2^e * f with f in [sqrt(1/2), sqrt(2)); log f = 2 artanh(s), s = (f-1)/(f+1), |s| <= 0.1716.
  int e = 0;
  double f = std::frexp(x, &e);
  if (f < std::numbers::sqrt2 / 2) {
    f *= 2;
    --e;
  }
  const double s = (f - 1) / (f + 1), t = s * s;
  double series = 0;
  for (int n = 21; n >= 3; n -= 2) series = series * t + 1.0 / n;
  // ln 2 in two pieces: e times the first is exact.
  constexpr double ln2_high = 0x1.62e42fefa38p-1, ln2_low = 0x1.ef35793c7673p-45;
  return e * ln2_high + (2 * s + (2 * s * t * series + e * ln2_low));
}

}  // namespace detail

std::vector<std::int64_t> draw_subset(const Stream& stream, std::int64_t n, std::int64_t count) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), std::int64_t{0});
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
    std::swap(all[i], all[i + stream.below(i, all.size() - i)]);
  all.resize(static_cast<std::size_t>(count));
  return all;
}

}  // namespace hardhead
