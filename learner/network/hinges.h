#pragma once
#include <vector>

#include "learner/attention_names.h"

/// Networks of one hidden layer as piecewise linear maps, and their inverse.
namespace hardhead::learner::network {

/// v -> P v + q + sum_j B_j relu(A_j v + a_j). Since relu(z) = z + relu(-z), the sign of each unit (A_j, a_j)
/// is free: P and q make up for it.
struct Hinges {
  Matrix linear;    ///< P, d x d
  Vector constant;  ///< q, d numbers
  Matrix in;        ///< A, h x d, rows of norm 1
  Vector in_bias;   ///< a, h numbers
  Matrix out;       ///< B, d x h

  Index units() const { return in.rows(); }  ///< h
  Vector at(const Vector& v) const;          ///< its value
  /// P + sum of B_j A_j over the units that are active.
  Matrix jacobian(const std::vector<bool>& active) const;
};

/// The inverse of such a map, by following the preimage of a straight line through its regions (J.
/// Katzenelson, 1965): in a region the map is linear, and where the line leaves it over a unit's hyperplane J
/// changes by +-B_j A_j, its determinant by the factor 1 +- A_j J^-1 B_j. If no factor met is 0 or below, the
/// orientation is the same everywhere on the way, and the end is a preimage. It is the only one if that holds
/// on all ways, as for a map that is injective.
class Inverse {
 public:
  /// Throws Failed unless the map is invertible next to 0.
  explicit Inverse(Hinges hinges);
  const Hinges& hinges() const { return hinges_; }  ///< the map
  /// The v with at(v) = y. Throws Failed where the map turns out not to be injective: a hyperplane on the way
  /// whose factor is below 1e-9.
  Vector operator()(const Vector& y) const;
  /// |J^-1| next to 0 (Frobenius): by how much it magnifies what y is off by.
  double magnification() const { return at_zero_.norm(); }

 private:
  Vector solved(const Vector& y, const std::vector<bool>& active) const;

  Hinges hinges_;
  std::vector<bool> active_;  // at 0
  Matrix at_zero_;            // J^-1 there
};

}  // namespace hardhead::learner::network
