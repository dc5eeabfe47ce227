#pragma once
#include <vector>

#include "base/parameters.h"
#include "hardness/instance.h"

/// The layers that structured and degraded families, and paths to hard layers, start from, and what all
/// families have in common that hide nothing but the layer.
namespace hardhead::hardness {

/// m heads of independent Gaussian Theta_i and W_i of these Frobenius norms: family `nice` of that seed.
attention::Layer nice_layer(attention::Index d, attention::Index m, double theta_norm, double w_norm,
                            std::uint64_t seed);
/// The same of the parameters d, m, theta_norm, w_norm, seed.
attention::Layer nice_layer(const Parameters& p);

/// The table d, k, m, then a family's own, then inputs, seed.
std::vector<Parameter> layer_parameters(const std::vector<Parameter>& own);
/// theta_norm and w_norm, then a family's own.
std::vector<Parameter> norms_and(const std::vector<Parameter>& own);

/// What has to be found where nothing is told apart: "every Theta_i and W_i".
inline constexpr const char* whole_layer = "every Theta_i and W_i";

/// The instance that labels by the forward pass of a layer, with the parameters k and inputs.
Instance forward_instance(const Parameters& p, attention::Layer layer);

}  // namespace hardhead::hardness
