#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/text/parameters.h"
#include "sq/concepts/concept.h"
#include "sq/dimension/parity_bound.h"

namespace hardhead::hardness {

/// A class of concepts that a spec names, as in `parity:d=12,m=3` or `thresholds:n=6`: what statistical
/// queries see of the family of that name, or one of the classes that are known from the theory of
/// statistical queries.
struct NamedClass {
  std::string name;                   ///< what stands before the colon of a spec
  std::string summary;                ///< one line
  std::vector<Parameter> parameters;  ///< those that a spec may give
  std::function<std::unique_ptr<sq::ConceptClass>(const Spec&)>
      make;  ///< throws InputError as make_class() does
};

/// parity (behind a switch), parities, subsets, dictators, points, thresholds, bent. A spec of `parity` is
/// one of the family: its base, variant and seed are read and have no effect, since they change no class.
std::span<const NamedClass> named_classes();

/// The parities behind a switch that the labels of a family are (`parity`, `block-parity`); empty for any
/// other spec. Throws InputError for parameters out of range.
std::optional<sq::ParityGoal> parity_goal(const Spec& spec);

/// The class of that name, or the parities behind a switch of a family. Throws InputError for an unknown name
/// or parameters out of range.
std::unique_ptr<sq::ConceptClass> make_class(const Spec& spec);

}  // namespace hardhead::hardness
