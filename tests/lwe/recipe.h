#pragma once
#include <string>

#include "lwe/attacks/attack.h"

namespace hardhead::lwe {

/// The recipe of a spec, "lwe:n=8,samples=16".
inline Recipe parse(const std::string& spec) {
  return Recipe::parse(Spec::parse(spec));
}

/// The samples of a recipe.
inline Challenge challenge_of(const std::string& spec) {
  const Recipe recipe = parse(spec);
  return {recipe.parameters, Sampler(recipe.parameters, recipe.seed).draw(0, recipe.samples)};
}

}  // namespace hardhead::lwe
