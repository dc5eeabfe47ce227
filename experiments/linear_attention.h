#pragma once
#include <cstdint>

#include "attention/layer/layer.h"
#include "attention/samples/sample_source.h"

/// The easy neighbour: a layer without its softmax, F(X) = sum_i (X Theta_i X^T) X W_i.
///
/// Row r is a cubic polynomial of X,
///
///     F(X)_{r,e} = sum_{a, b, c} M[a, b, c, e] x_{ra} G_{bc},   G = X^T X,
///     M[a, b, c, e] = sum_i Theta_i[a, b] W_i[c, e],
///
/// linear in M, so that least squares on the features x_{ra} G_{bc}, b <= c, finds it in polynomial time,
/// whatever Theta and W are and however many heads there are. (M. Yau, E. Akyurek, J.
/// Mao, J. Tenenbaum, S. Jegelka, J. Andreas, arXiv 2410.10101, who learn linear attention so.)
///
/// *Certificate from data.* If the least eigenvalue of the features' second moment over the examples is
/// positive, the loss is strictly convex in M: every minimiser, of this or of any other training of a linear
/// attention layer, computes the same function.
namespace hardhead::experiments {

/// Labels of that layer, for the Theta and W of a layer with softmax.
class LinearAttention final : public attention::Teacher {
 public:
  /// Copies the layer.
  explicit LinearAttention(attention::Layer layer) : layer_(std::move(layer)) {}
  void label(attention::Block& block) const override;

 private:
  attention::Layer layer_;
};

/// What regression on cubic features finds.
struct CubicRegression {
  /// Of the second moment of the features, each scaled to mean square 1; at most `rounding` in size is 0.
  double least_eigenvalue = 0;
  double test_error = 0;  ///< relative squared error on later examples

  /// What of an eigenvalue may be rounding.
  static constexpr double rounding = 1e-9;
  /// Does every minimiser compute the same function?
  bool certified() const { return least_eigenvalue > rounding; }
};

/// Fits the first `examples` of the source and tests on the 1000 next. Throws InputError for fewer than 1,
/// and for more than 4096 features.
CubicRegression regress_on_cubics(const attention::SampleSource& source, std::int64_t examples);

/// How many features that are, d times the pairs b <= c; of tokens of signs those with b = c count once. As
/// many examples over k are needed at least.
std::int64_t cubic_features(attention::Index d, attention::Inputs inputs);

}  // namespace hardhead::experiments
