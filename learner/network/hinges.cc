#include "learner/network/hinges.h"

#include <fmt/format.h>

#include <limits>

#include "base/numeric/decompositions.h"
#include "learner/recorder.h"

namespace hardhead::learner::network {
namespace {

/// A point on the way, with what changes at a hyperplane.
struct Traveller {
  Vector v, z;  // the point, and A v + a
  Matrix inverse;
  std::vector<bool> active;
};

/// The first hyperplane ahead when the point moves with `rates` of z, and when it is met.
std::pair<Index, double> next_crossing(const Traveller& at, const Vector& rates) {
  Index unit = -1;
  double first = std::numeric_limits<double>::infinity();
  for (Index j = 0; j < at.z.size(); ++j) {
    const bool towards = at.active[static_cast<std::size_t>(j)] ? rates(j) < 0 : rates(j) > 0;
    if (!towards) continue;
    const double when = std::max(0.0, -at.z(j) / rates(j));
    if (when < first) first = when, unit = j;
  }
  return {unit, first};
}

}  // namespace

Vector Hinges::at(const Vector& v) const {
  return linear * v + constant + out * (in * v + in_bias).cwiseMax(0);
}

Matrix Hinges::jacobian(const std::vector<bool>& active) const {
  Matrix out_of = linear;
  for (Index j = 0; j < units(); ++j)
    if (active[static_cast<std::size_t>(j)]) out_of += out.col(j) * in.row(j);
  return out_of;
}

Inverse::Inverse(Hinges hinges) : hinges_(std::move(hinges)) {
  for (Index j = 0; j < hinges_.units(); ++j) active_.push_back(hinges_.in_bias(j) > 0);
  const Matrix j = hinges_.jacobian(active_);
  const Vector spectrum = singular_values(j, SingularVectors::none).values;
  constexpr double least_rcond = 1e-9;
  if (!(spectrum(spectrum.size() - 1) > least_rcond * spectrum(0)))
    throw Failed{fmt::format(
        "the network is not injective: next to X = 0 values of one row move in {} of {} directions alone "
        "(too few units are active, or W_sum has no inverse)",
        (spectrum.array() > least_rcond * spectrum(0)).count(), spectrum.size())};
  at_zero_ = inverse(j);
}

Vector Inverse::solved(const Vector& y, const std::vector<bool>& active) const {
  Vector rest = y - hinges_.constant;
  for (Index j = 0; j < hinges_.units(); ++j)
    if (active[static_cast<std::size_t>(j)]) rest -= hinges_.out.col(j) * hinges_.in_bias(j);
  return lu_solve(hinges_.jacobian(active), rest);
}

Vector Inverse::operator()(const Vector& y) const {
  constexpr double least_factor = 1e-9;
  const Index most = 64 * hinges_.units() + 64;
  Traveller at{Vector::Zero(y.size()), hinges_.in_bias, at_zero_, active_};
  const Vector way = y - hinges_.at(at.v);
  double left = 1;
  for (Index step = 0; step < most; ++step) {
    const Vector velocity = at.inverse * way, rates = hinges_.in * velocity;
    const auto [unit, when] = next_crossing(at, rates);
    if (when >= left) {
      const Vector v = solved(y, at.active);
      if (v.allFinite()) return v;
      break;
    }
    left -= when;
    at.v += when * velocity;
    at.z += when * rates;
    at.z(unit) = 0;
    const bool was = at.active[static_cast<std::size_t>(unit)];
    const double sign = was ? -1 : 1;
    const Vector turned = at.inverse * hinges_.out.col(unit);
    const double factor = 1 + sign * hinges_.in.row(unit).dot(turned);
    if (!(factor > least_factor))
      throw Failed{fmt::format(
          "the network is not injective where its values are met: behind the hyperplane of unit {} the "
          "determinant of its Jacobian is {:.2g} times what it was",
          unit, factor)};
    at.inverse -= (sign / factor) * turned * (hinges_.in.row(unit) * at.inverse);
    at.active[static_cast<std::size_t>(unit)] = !was;
  }
  throw Failed{fmt::format("the network is not injective: after {} regions no preimage was met", most)};
}

}  // namespace hardhead::learner::network
