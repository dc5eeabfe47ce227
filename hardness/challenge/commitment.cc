#include "hardness/challenge/commitment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "base/error.h"
#include "base/files/digest.h"

namespace hardhead::challenge {
namespace {

template <std::size_t bytes>
std::array<unsigned char, bytes> entropy() {
  std::array<unsigned char, bytes> out{};
  if (::getentropy(out.data(), out.size()) != 0)
    throw Error("the operating system gives no entropy (getentropy failed): a secret cannot be drawn");
  return out;
}

}  // namespace

std::string fresh_entropy() {
  return fmt::format("{:02x}", fmt::join(entropy<32>(), ""));
}

std::uint64_t fresh_seed() {
  const auto bytes = entropy<8>();
  std::uint64_t out = 0;
  std::memcpy(&out, bytes.data(), sizeof out);
  return out;
}

std::string commitment(const std::string& salt, std::span<const std::int64_t> codes) {
  return Digest().add(salt).add(fmt::format("{}", fmt::join(codes, ","))).hex();
}

std::vector<std::int64_t> rounded_codes(std::span<const double> labels) {
  std::vector<std::int64_t> out;
  for (const double label : labels) out.push_back(std::llround(label / rounding_unit));
  return out;
}

bool rounds_safely(std::span<const double> labels) {
  return std::ranges::all_of(labels, [](double label) {
    const double units = label / rounding_unit;
    return std::abs(std::abs(units - std::trunc(units)) - 0.5) >= rounding_margin / rounding_unit;
  });
}

}  // namespace hardhead::challenge
