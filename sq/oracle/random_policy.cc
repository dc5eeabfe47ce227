#include "sq/oracle/registered_policies.h"
#include "sq/query/query.h"

namespace hardhead::sq {
namespace {

/// Uniform in [-1, 1], on multiples of 2^-52.
Rational draw(const Stream& stream, std::uint64_t item) {
  constexpr std::int64_t scale = std::int64_t{1} << 52;
  return dyadic(static_cast<std::int64_t>(stream.below(item, 2 * scale + 1)) - scale, 52);
}

}  // namespace

Policy detail::random_policy() {
  return {"random", "E phi + r u, u uniform in [-1, 1] on multiples of 2^-52, r the contract's radius",
          [](const Rational& truth, const Rational& radius, const Stream& stream, std::uint64_t query) {
            return Rational(truth + radius * draw(stream, query));
          }};
}

}  // namespace hardhead::sq
