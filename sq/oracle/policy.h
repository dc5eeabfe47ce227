#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "base/numeric/random.h"
#include "base/numeric/rational.h"

namespace hardhead::sq {

/// How the answer to a query about one target is chosen among the legal ones: one file, and one line in
/// registered_policies.h. Oracles check every answer (oracle.h), so a policy that breaks the contract is
/// counted, not trusted.
struct Policy {
  std::string name;     ///< as in `--policy NAME`
  std::string summary;  ///< one line, the formula
  /// The answer where the mean is `truth` and answers within `radius` of it are legal. A policy that draws
  /// takes item `query` (1, 2, ..) of the stream.
  Rational (*answer)(const Rational& truth, const Rational& radius, const Stream& stream,
                     std::uint64_t query);
};

/// All policies: honest, random, rounding.
std::span<const Policy> policies();
/// Throws InputError with the nearest name.
const Policy& find_policy(const std::string& name);

}  // namespace hardhead::sq
