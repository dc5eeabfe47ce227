#include "learner/network/critical_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/numeric/decompositions.h"
#include "learner/recorder.h"

namespace hardhead::learner::network {
namespace {

constexpr double farthest = 4096;  // |t| on a line
constexpr double rounding = 4e-15;

Vector gaussian(const HingeTask& task, std::uint64_t item) {
  Vector out(task.d);
  task.stream.normals(item, {out.data(), static_cast<std::size_t>(task.d)});
  return out;
}

/// A piece of a line where the map is linear.
struct Piece {
  double l, r;
  Vector at_l, at_r;

  Vector slope() const { return (at_r - at_l) / (r - l); }
};

/// Where two pieces meet.
struct Critical {
  double t;     // on the line
  double room;  // to the next ones
  Vector jump;  // of the slope
};

/// A straight line x = p + t q, |q| = 1.
struct Line {
  const Values& values;
  const HingeTask& task;
  Vector p, q;
  std::vector<Piece> pieces{};

  Matrix at(const std::vector<double>& t) const {
    Matrix x(p.size(), static_cast<Index>(t.size()));
    for (Index n = 0; n < x.cols(); ++n) x.col(n) = p + t[static_cast<std::size_t>(n)] * q;
    return values(x);
  }
  /// What a value of this size may be off by.
  double noise(double t, const Vector& y) const {
    return 16 * (task.tau + rounding * (y.norm() + std::abs(t)));
  }

  /// Adds a piece, to the last one if that is of the same slope.
  void add(const Piece& piece) {
    if (!pieces.empty()) {
      Piece& last = pieces.back();
      const double shorter = std::min(last.r - last.l, piece.r - piece.l);
      if ((piece.slope() - last.slope()).norm() * shorter <=
          2 * (noise(piece.l, piece.at_l) + noise(piece.r, piece.at_r))) {
        last.r = piece.r, last.at_r = piece.at_r;
        return;
      }
    }
    pieces.push_back(piece);
  }

  void split(const Piece& whole);
};

Vector on(const Piece& piece, double t) {
  return piece.at_l + (t - piece.l) * piece.slope();
}

/// t where two pieces agree best.
double meeting(const Piece& left, const Piece& right) {
  const Vector jump = right.slope() - left.slope();
  return left.l - jump.dot(on(right, left.l) - left.at_l) / jump.squaredNorm();
}

// By what four points inside say: linear, two pieces, or neither.
void Line::split(const Piece& whole) {
  task.stop.check();
  const double step = (whole.r - whole.l) / 5;
  std::vector<double> t = {whole.l + step, whole.l + 2 * step, whole.l + 3 * step, whole.l + 4 * step};
  const Matrix y = at(t);
  const double most = noise(whole.l, whole.at_l) + noise(whole.r, whole.at_r);
  const auto off = [&](const Piece& piece, Index n) {
    return (on(piece, t[static_cast<std::size_t>(n)]) - y.col(n)).norm();
  };
  bool linear = true;
  for (Index n = 0; n < 4; ++n) linear = linear && off(whole, n) <= most;
  constexpr double least = 1e-10;
  if (linear || whole.r - whole.l < least * (1 + std::abs(whole.l))) return add(whole);
  const Piece left{whole.l, t[0], whole.at_l, y.col(0)}, right{t[3], whole.r, y.col(3), whole.at_r};
  // A chord over a critical point before t[0] meets the other piece at t[0], which is none.
  const double met = meeting(left, right), margin = step / 64;
  if (met > t[0] + margin && met < t[3] - margin && (on(left, met) - on(right, met)).norm() <= 8 * most) {
    bool two = true;
    for (Index n = 1; n < 3; ++n)
      two = two && off(t[static_cast<std::size_t>(n)] < met ? left : right, n) <= 8 * most;
    const Vector there = at({met}).col(0);
    if (two && (there - on(left, met)).norm() <= 8 * most) {
      add({whole.l, met, whole.at_l, there});
      return add({met, whole.r, there, whole.at_r});
    }
  }
  const double middle = std::sinh((std::asinh(whole.l) + std::asinh(whole.r)) / 2);
  const Vector there = at({middle}).col(0);
  split({whole.l, middle, whole.at_l, there});
  split({middle, whole.r, there, whole.at_r});
}

/// A unit as far as it is known: hyperplane n x + c = 0 with |n| = 1, and B_j.
struct Unit {
  Vector n;
  double c = 0;
  Vector b;
};

// t of the critical point.
double crossing(const Unit& unit, const Line& line) {
  return -(unit.c + unit.n.dot(line.p)) / unit.n.dot(line.q);
}

// A strip beside the points that belong to known units is left out: what a unit's place is off by would be a
// second critical point there. One that hides in a strip changes the jump.
std::vector<Critical> critical_points(Line& line, const std::vector<Unit>& units) {
  std::vector<double> t = {-farthest, farthest};
  for (const Unit& unit : units)
    if (const double known = crossing(unit, line); std::abs(known) < farthest) t.push_back(known);
  std::ranges::sort(t);
  constexpr double strip = 1.0 / 256;
  std::vector<double> ends;
  for (std::size_t i = 0; i + 1 < t.size(); ++i) {
    const double width = t[i + 1] - t[i];
    ends.insert(ends.end(), {t[i] + strip * width, t[i + 1] - strip * width});
  }
  const Matrix y = line.at(ends);
  for (std::size_t i = 0; i < ends.size(); i += 2)
    line.split({ends[i], ends[i + 1], y.col(static_cast<Index>(i)), y.col(static_cast<Index>(i + 1))});
  std::vector<Critical> out;
  for (std::size_t i = 0; i + 1 < line.pieces.size(); ++i) {
    const Piece &left = line.pieces[i], &right = line.pieces[i + 1];
    out.push_back(
        {meeting(left, right), std::min(left.r - left.l, right.r - right.l), right.slope() - left.slope()});
  }
  return out;
}

/// s with a critical point at x + s w, |s| < room / 2, by two values on either side within `room`. Empty
/// unless the slopes differ there by `jump`.
std::optional<double> located(const Values& values, const HingeTask& task, const Vector& x, const Vector& w,
                              double room, const Vector& jump) {
  Matrix points(x.size(), 4);
  points << x - room * w, x - room / 2 * w, x + room / 2 * w, x + room * w;
  const Matrix y = values(points);
  const Piece left{-room, -room / 2, y.col(0), y.col(1)}, right{room / 2, room, y.col(2), y.col(3)};
  const Vector seen = right.slope() - left.slope();
  const double off = 64 * (task.tau + rounding * (y.colwise().norm().maxCoeff() + x.norm())) / room;
  // What is let through here of another unit's jump is an error of this unit's place.
  constexpr double most = 1e-6;
  if (!((seen - jump).norm() <= most * jump.norm() + off) || !(off <= 100 * most * jump.norm()))
    return std::nullopt;
  // With the jump that is known, rounding of the slopes beside it does not count twice.
  const double s = -jump.dot(y.col(2) - right.slope() * room / 2 - y.col(1) - left.slope() * room / 2) /
                   jump.squaredNorm();
  if (!(std::abs(s) < room / 2)) return std::nullopt;
  return s;
}

/// (b): the normal at a critical point; empty where other units are too near.
std::optional<Vector> normal_at(const Line& line, const Critical& point) {
  const Index d = line.p.size();
  const Vector x = line.p + point.t * line.q;
  for (double room = point.room / 4, share = 1.0 / 16; room > 1e-5 * point.room; room /= 4, share /= 4) {
    Vector n(d);
    bool found = true;
    for (Index i = 0; i < d && found; ++i) {
      const double delta = room * share;
      const auto s =
          located(line.values, line.task, x + delta * Vector::Unit(d, i), line.q, room, point.jump);
      found = s.has_value();
      if (found) n(i) = -*s / delta;
    }
    // A q = 1 by construction.
    if (found && std::abs(n.dot(line.q) - 1) < 1e-3) return n;
  }
  return std::nullopt;
}

/// (c): the hyperplane through points that are far apart.
std::optional<Unit> refined_unit(const Line& line, const Critical& point, const Vector& normal,
                                 std::uint64_t item) {
  const Index d = line.p.size(), count = d + 2;
  const double norm = normal.norm();
  const Vector n = normal / norm, x = line.p + point.t * line.q, jump = point.jump * norm;
  // As narrow as what values are off by allows: other hyperplanes are then seldom in the way.
  const double narrow = std::clamp(64 * line.task.tau / (1e-5 * jump.norm()), 0.01, 0.1);
  Matrix points(d, count);
  for (Index i = 0; i < count; ++i) {
    bool found = false;
    for (std::uint64_t attempt = 0; attempt < 12 && !found; ++attempt) {
      Vector w = gaussian(line.task, (item * 64 + static_cast<std::uint64_t>(i)) * 16 + attempt);
      w -= w.dot(n) * n;
      const double scale = 1 + x.norm() / 16, shrunk = std::pow(0.5, static_cast<double>(attempt));
      const double reach = scale * shrunk, room = narrow * scale * shrunk * shrunk;
      const Vector start = x + reach * w.normalized();
      const auto s = located(line.values, line.task, start, n, room, jump);
      found = s.has_value();
      if (found) points.col(i) = start + *s * n;
    }
    if (!found) return std::nullopt;
  }
  const Vector mean = points.rowwise().mean();
  const SingularValues spectrum =
      singular_values((points.colwise() - mean).transpose(), SingularVectors::right);
  Unit out{spectrum.v.col(d - 1), 0, {}};
  out.c = -out.n.dot(mean);
  out.b = point.jump / std::abs(out.n.dot(line.q));
  return out;
}

bool explains(const Unit& unit, const Line& line, const Critical& point) {
  const double rate = unit.n.dot(line.q);
  const double t = crossing(unit, line);
  constexpr double same = 1e-5;
  return std::abs(t - point.t) <= same * (1 + std::abs(t) + std::abs(1 / rate) * 1e-3) &&
         (unit.b * std::abs(rate) - point.jump).norm() <= 1e-3 * point.jump.norm();
}

std::vector<Unit> find_units(const Values& values, const HingeTask& task) {
  constexpr std::uint64_t most_lines = 24;
  constexpr Index enough_lines = 2;
  constexpr double near = 1024;
  std::vector<Unit> units;
  Index unknown = 0, explained = 0;
  for (std::uint64_t number = 0; number < most_lines; ++number) {
    const std::uint64_t item = (std::uint64_t{1} << 40) + 2 * number;
    Line line{values, task, gaussian(task, item), gaussian(task, item + 1).normalized()};
    unknown = 0;
    for (const Critical& point : critical_points(line, units)) {
      if (std::ranges::any_of(units, [&](const Unit& unit) { return explains(unit, line, point); })) continue;
      ++unknown;
      if (std::abs(point.t) > near) continue;
      const auto normal = normal_at(line, point);
      if (!normal) continue;
      if (auto unit = refined_unit(line, point, *normal, number * 4096 + units.size() + 1))
        units.push_back(std::move(*unit));
    }
    explained = unknown == 0 ? explained + 1 : 0;
    if (explained == enough_lines) return units;
  }
  throw Failed{fmt::format(
      "of the critical points on the last of {} lines {} belong to none of the {} units found: units are too "
      "close to be told apart, or answers are too far off",
      most_lines, unknown, units.size())};
}

}  // namespace

Hinges find_hinges(const Values& values, const HingeTask& task) {
  const std::vector<Unit> units = find_units(values, task);
  const auto h = static_cast<Index>(units.size());
  const Index d = task.d, count = 3 * (h + d + 1);
  Hinges out{{}, {}, Matrix(h, d), Vector(h), {}};
  for (Index j = 0; j < h; ++j) {
    out.in.row(j) = units[static_cast<std::size_t>(j)].n;
    out.in_bias(j) = units[static_cast<std::size_t>(j)].c;
  }
  Matrix x(d, count);
  task.stream.normals(std::uint64_t{1} << 41, {x.data(), static_cast<std::size_t>(x.size())});
  const double reach = 1 + (h > 0 ? out.in_bias.cwiseAbs().maxCoeff() : 0);
  for (Index n = 0; n < count; ++n) x.col(n) *= n % 2 == 0 ? 1 : reach;
  Matrix features(count, h + d + 1);
  features << ((out.in * x).colwise() + out.in_bias).cwiseMax(0).transpose(), x.transpose(),
      Matrix::Ones(count, 1);
  const Matrix y = values(x).transpose(), fitted = least_squares(features, y);
  const double error = (features * fitted - y).norm() / y.norm(),
               most = 1e-9 + 1e3 * task.tau * std::sqrt(static_cast<double>(y.size())) / y.norm();
  if (!(error <= most))
    throw Failed{
        fmt::format("values of one row are not those of the {} units found: relative error {:.2g}, at "
                    "most {:.2g} is expected (more than one hidden layer, or a unit far out)",
                    h, error, most)};
  out.out = fitted.topRows(h).transpose();
  out.linear = fitted.middleRows(h, d).transpose();
  out.constant = fitted.bottomRows(1).transpose();
  return out;
}

}  // namespace hardhead::learner::network
