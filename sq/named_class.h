#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/parameters.h"
#include "sq/concept.h"

namespace hardhead::sq {

/// A class of concepts that a spec names, as in `parity:d=12,m=3` or `thresholds:n=6`.
struct NamedClass {
  std::string name;                   ///< what stands before the colon of a spec
  std::string summary;                ///< one line
  std::vector<Parameter> parameters;  ///< those a spec may give
  std::function<std::unique_ptr<ConceptClass>(const Parameters&)> make;  ///< the class of checked parameters
};

/// parity (behind a switch, as in hardness/), parities, subsets, dictators, points, thresholds, bent.
std::span<const NamedClass> named_classes();

/// Throws InputError for an unknown name or parameters out of range.
std::unique_ptr<ConceptClass> make_class(const Spec& spec);

}  // namespace hardhead::sq
