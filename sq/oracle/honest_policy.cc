#include "sq/oracle/registered_policies.h"

namespace hardhead::sq {

Policy detail::honest_policy() {
  return {"honest", "E phi itself",
          [](const Rational& truth, const Rational&, const Stream&, std::uint64_t) { return truth; }};
}

}  // namespace hardhead::sq
