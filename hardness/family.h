#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/parameters.h"
#include "hardness/instance.h"

namespace hardhead::hardness {

/// A family of instances: one file, and one line in registered_families.h.
struct Family {
  std::string name;         ///< what stands before the colon of a spec
  std::string summary;      ///< one line
  std::string hidden;       ///< what a learner has to find
  std::string assumptions;  ///< which conditions of the upper bound hold, and what hardness is claimed
  std::vector<Parameter> parameters;  ///< those a spec may give
  /// Makes the instance from checked parameters; throws InputError for combinations out of range.
  std::function<Instance(const Parameters&)> make;
  std::vector<std::pair<std::string, std::string>> presets;  ///< spec, what it is
};

/// All families, in the order they are listed.
std::span<const Family> families();

/// The family of that name. Throws InputError with the nearest name.
const Family& find_family(const std::string& name);

/// Parses, checks and makes an instance, and sets its digest.
Instance make_instance(const Spec& spec);

}  // namespace hardhead::hardness
