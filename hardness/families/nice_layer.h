#pragma once
#include "base/numeric/random.h"
#include "base/text/option_table.h"
#include "hardness/families/instance.h"

/// The layers that structured and degraded families, and paths to hard layers, start from, and what all
/// families have in common that hide nothing but the layer.
namespace hardhead::hardness {

/// The parameters of family `nice`, which others have too.
struct NiceOptions {
  attention::Index d = 16;                                ///< features of a token
  attention::Index k = 3;                                 ///< tokens of an example
  attention::Index m = 2;                                 ///< heads
  double theta_norm = 2;                                  ///< Frobenius norm of every Theta_i
  double w_norm = 1;                                      ///< Frobenius norm of every W_i
  attention::Inputs inputs = attention::Inputs::boolean;  ///< distribution of X
  std::uint64_t seed = 1;                                 ///< which member of the family
};

/// Their rows, by the place they have in a table: d, k, m first; then theta_norm, w_norm; inputs, seed last.
/// A family that has parameters of its own puts them before the last two.
OptionTable<NiceOptions> shape_rows();
OptionTable<NiceOptions> norm_rows();  ///< theta_norm, w_norm
OptionTable<NiceOptions> draw_rows();  ///< inputs, seed
/// All of them.
OptionTable<NiceOptions> nice_table();

/// m heads of independent Gaussian Theta_i and W_i of these Frobenius norms: family `nice` of that seed.
attention::Layer nice_layer(const NiceOptions& options);
/// A layer of these parameters by the numbers of a stream; their seed has no effect.
attention::Layer nice_layer(const NiceOptions& options, const Stream& stream);

/// What has to be found where nothing is told apart: "every Theta_i and W_i".
inline constexpr const char* whole_layer = "every Theta_i and W_i";

/// The instance that labels by the forward pass of a layer, with k and inputs of `options`.
Instance forward_instance(const NiceOptions& options, attention::Layer layer);
/// The sizes of such an instance.
InstanceShape forward_shape(const NiceOptions& options);
/// For parameters that have those of `nice` as their member `nice`.
template <class Options>
InstanceShape forward_shape(const Options& options) {
  return forward_shape(options.nice);
}

}  // namespace hardhead::hardness
