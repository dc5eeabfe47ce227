#include "learner/fits/recycled_directions.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace hardhead::learner {
namespace {

// More than 16 directions save no more steps at d = 16 and 32.
constexpr Index most_directions = 16;
constexpr double most_bytes = 1024.0 * 1024 * 1024;

double bytes_of_a_direction(Index size) {
  return 4 * 8 * static_cast<double>(size);  // s and y, of two runs
}

Index directions_kept(Index size) {
  const double fit = std::floor(most_bytes / bytes_of_a_direction(size));
  return std::min(most_directions, static_cast<Index>(fit));
}

}  // namespace

RecycledDirections::RecycledDirections(Index size) {
  for (Directions* run : {&last_, &under_way_}) {
    run->s.resize(size, directions_kept(size));
    run->y.resize(size, directions_kept(size));
  }
}

Stacked RecycledDirections::solve(const Linearised::Preconditioner& m, const Stacked& r) const {
  if (last_.count == 0) return m.solve(r);
  const auto s = last_.s.leftCols(last_.count), y = last_.y.leftCols(last_.count);
  const Vector along = s.transpose() * r.reshaped();
  Stacked rest = r;
  rest.reshaped() -= y * along;
  Stacked out = m.solve(rest);
  out.reshaped() += s * (along - y.transpose() * out.reshaped());
  return out;
}

void RecycledDirections::add(const Stacked& direction, const Stacked& image, double curvature) {
  Directions& run = under_way_;
  const Index most = run.s.cols();
  if (most == 0 || seen_++ % stride_ != 0) return;
  if (run.count == most) {
    for (Index i = 1; 2 * i < most; ++i) {
      run.s.col(i) = run.s.col(2 * i);
      run.y.col(i) = run.y.col(2 * i);
    }
    run.count = (most + 1) / 2;
    stride_ *= 2;
    if ((seen_ - 1) % stride_ != 0) return;
  }
  const double scale = 1 / std::sqrt(curvature);
  run.s.col(run.count) = scale * direction.reshaped();
  run.y.col(run.count) = scale * image.reshaped();
  ++run.count;
}

void RecycledDirections::end_run() {
  std::swap(last_, under_way_);
  under_way_.count = 0;
  seen_ = 0;
  stride_ = 1;
}

double RecycledDirections::bytes(Index size) {
  return static_cast<double>(directions_kept(size)) * bytes_of_a_direction(size);
}

}  // namespace hardhead::learner
