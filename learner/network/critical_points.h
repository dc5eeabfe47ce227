#pragma once
#include <functional>

#include "base/numeric/random.h"
#include "base/run/stop_token.h"
#include "learner/network/hinges.h"

namespace hardhead::learner::network {

/// Values of a piecewise linear map at the columns of a d x N matrix, likewise.
using Values = std::function<Matrix(const Matrix&)>;

/// What find_hinges() is told besides.
struct HingeTask {
  Index d = 0;       ///< features
  double tau = 0;    ///< what a value is off by at most
  Stream stream;     ///< of lines and points
  StopToken stop{};  ///< asked all the time
};

/// A network of one hidden layer from its values (S. Milli et al., 2019; D. Rolnick and K. Kording, 2020;
/// N. Carlini, M. Jagielski and I. Mironov, 2020):
///
/// (a) Along a line x = p + t q the map is linear but at *critical points*, of which each unit has one. They
///     are found by bisection, between the points that belong to known units, and each is the intersection of
///     the two pieces beside it.
/// (b) Next to a critical point the one on x + delta e_i + s q is at s = -delta A_ji / (A_j q), which shows
///     A_j; the jump of slopes there is B_j |A_j q|, which tells whether it is the same unit.
/// (c) d + 2 points far apart on the hyperplane, each located along A_j, make it as exact as values are.
/// (d) Lines are drawn until all critical points of two in a row belong to units that are known. Then P, q
///     and B are linear: least squares at random points, whose residual is compared with what values are off
///     by.
///
/// Throws Failed: after 24 lines there are points of no known unit (two units too close to be told apart, or
/// values too far off); the residual is too large (more than one hidden layer, or no network).
Hinges find_hinges(const Values& values, const HingeTask& task);

}  // namespace hardhead::learner::network
