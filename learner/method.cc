#include "learner/method.h"

#include "learner/registered_methods.h"

namespace hardhead::learner {

std::span<const Method> methods() {
#define HARDHEAD_METHOD(name) name##_method,
  static const std::vector<Method> all{HARDHEAD_METHODS(HARDHEAD_METHOD)};
#undef HARDHEAD_METHOD
  return all;
}

const Method& find_method(const std::string& name) {
  return find_named("method", name, methods());
}

Spec with_options(Spec method, const std::vector<std::pair<std::string, std::string>>& options) {
  for (const auto& [key, value] : options)
    if (method.value(key) == nullptr) method.values.emplace_back(key, value);
  return method;
}

}  // namespace hardhead::learner
