#pragma once
#include <vector>

#include "attention/forward/block.h"

namespace hardhead::experiments {

/// Reads the hidden set of a layer near a parity layer (family `smoothed`) off correlations of degree 3:
/// means of a label, a product of entries of X, and z_j = x_{1j} x_{2j}, for each j. On the parity layer all
/// of them are 0. Near it, how much a row attends to the other one depends on h, whose bits are the z_j of
/// the hidden set, and what is multiplied with it is no longer the same in all heads.
///
///     group   label                                                      products, u = x_{r'} - x_r
///     w       Y_{r,c}, c > 1, which the parity layer has 0                u_b, b != j
///     theta   x_{r,j0} Y_{r,1}, Y_{r,1} minus the nearest of -2, 0, 2     x_{ra} u_b, a != j, b != j
///     heat    the same                                                   1
///
/// What is linear in the tokens says nothing and is most of Y_{r,c}: its regression is subtracted first,
/// block by block. (u_j z_j = -u_j, so that products with j itself do not tell it from others.) Each group's
/// sum of squared means is compared with what it is without a set: Q means of variance V/N give N/V sum
/// mean^2 = Q +- sqrt(2 Q), V taken as the mean square of the label times that of the product. A feature's
/// score is the sum over groups of how many such deviations it is above. Heuristic; for the variant `exact`.
class SmoothingCorrelations {
 public:
  /// Of d features, the last one the switch.
  explicit SmoothingCorrelations(attention::Index d);

  /// Takes the examples of a block of two tokens. Throws InputError for fewer than 8 d, too few for a
  /// regression.
  void add(const attention::Block& block);

  /// The m features of the highest scores, sorted.
  std::vector<attention::Index> likeliest(attention::Index m) const;
  /// Scores of the features but the switch.
  attention::Vector scores() const;

 private:
  attention::Index d_;
  attention::Vector squares_;                ///< sums of Y_{r,c}^2 for c > 1; of the residual at 0
  std::vector<attention::Matrix> columns_;   ///< for each j: sums of u_b z_j Y_{r,c}
  std::vector<attention::Matrix> products_;  ///< for each j: sums of x_{ra} u_b z_j residual
  attention::Vector heat_;                   ///< for each j: sums of z_j residual
};

}  // namespace hardhead::experiments
