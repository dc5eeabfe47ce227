#include "sq/oracle/policy.h"

#include <vector>

#include "base/text/parameters.h"
#include "sq/oracle/registered_policies.h"

namespace hardhead::sq {

std::span<const Policy> policies() {
#define HARDHEAD_POLICY(name) detail::name##_policy(),
  static const std::vector<Policy> all{HARDHEAD_POLICIES(HARDHEAD_POLICY)};
#undef HARDHEAD_POLICY
  return all;
}

const Policy& find_policy(const std::string& name) {
  return find_named("policy", name, policies());
}

}  // namespace hardhead::sq
