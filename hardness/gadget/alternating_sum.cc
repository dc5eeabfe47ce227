#include "hardness/gadget/alternating_sum.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace hardhead::hardness {
namespace {

using Ends = AlternatingGoal::Ends;
using RealMatrix = std::vector<std::vector<LongReal>>;
using IntervalMatrix = std::vector<std::vector<Interval>>;

/// Relative sizes. A step of Newton's method below the first is its rounding (the worst sums known lose 30 of
/// 96 digits); the second is the least radius of a box.
const LongReal at_rest = ldexp(LongReal(1), -180), least_radius = ldexp(LongReal(1), -230);

/// Of an odd sum's steps: the one that mirrors step i.
std::size_t mirror_of(std::size_t i, std::size_t steps) {
  return (steps - i) % steps;
}

void check_odd(const StepSum& sum, long m) {
  const std::size_t steps = sum.w.size();
  if (m != 2 * static_cast<long>(steps) - 1)
    throw InputError(fmt::format("alternating sum: m={} of an odd sum of {} steps; m={} is expected", m,
                                 steps, 2 * steps - 1));
  for (std::size_t i = 0; i < steps; ++i) {
    const std::size_t other = mirror_of(i, steps);
    if (sum.v[i].low() != sum.v[other].low() || sum.v[i].high() != sum.v[other].high())
      throw InputError(
          fmt::format("alternating sum: steps {} and {} of an odd sum have different slopes", i, other));
  }
}

void check(const StepSum& sum, const AlternatingGoal& goal) {
  const std::size_t steps = sum.w.size(), equations = goal.equations();
  if (steps < 1 || sum.z.size() != steps || sum.v.size() != steps)
    throw InputError(
        fmt::format("alternating sum: {} weights, {} places and {} slopes; as many of each, at "
                    "least 1, are expected",
                    steps, sum.z.size(), sum.v.size()));
  for (std::size_t i = 0; i < steps; ++i)
    if (!sum.z[i].is_positive() || !sum.v[i].is_positive())
      throw InputError(fmt::format("alternating sum: place or slope {} is not positive", i));
  if (goal.ends == Ends::odd) return check_odd(sum, goal.m);
  if (goal.m < 1 || equations < steps + 1 || equations > 3 * steps + 1)
    throw InputError(fmt::format("alternating sum: m={} makes {} equations; {} steps have {} .. {} unknowns",
                                 goal.m, equations, steps, steps + 1, 3 * steps + 1));
}

/// The unknowns, in the order of the header: those that may be negative first.
struct Unknowns {
  std::vector<Interval*> all;
  std::size_t of_any_sign;
};

Unknowns unknowns(StepSum& sum, const AlternatingGoal& goal) {
  const std::size_t steps = sum.w.size();
  Unknowns out{};
  if (goal.ends == Ends::odd) {
    for (std::size_t i = 0; i <= steps / 2; ++i) out.all.push_back(&sum.w[i]);
    out.of_any_sign = out.all.size();
    for (std::size_t i = 1; i < mirror_of(i, steps); ++i) out.all.push_back(&sum.z[i]);
    return out;
  }
  for (Interval& w : sum.w) out.all.push_back(&w);
  out.all.push_back(&sum.kappa);
  out.of_any_sign = out.all.size();
  for (std::vector<Interval>* one : {&sum.z, &sum.v})
    for (Interval& x : *one)
      if (out.all.size() < goal.equations()) out.all.push_back(&x);
  return out;
}

/// What follows from an odd sum's unknowns.
void complete(StepSum& sum, const AlternatingGoal& goal) {
  if (goal.ends != Ends::odd) return;
  const std::size_t steps = sum.w.size();
  for (std::size_t i = 0; i < steps; ++i) {
    const std::size_t other = mirror_of(i, steps);
    if (i > other) continue;
    Interval product(1);  // of both places
    for (long h = 0; h < goal.m; ++h) product = product / sum.v[i];
    if (i == other) sum.z[i] = product.root(2);
    if (i != other) sum.z[other] = product / sum.z[i];
    sum.w[other] = sum.w[i];
  }
  sum.kappa = sum.weight_sum() / 2;
}

/// F and F', with as many columns as rows.
struct System {
  std::vector<Interval> value;
  IntervalMatrix slope;
};

/// The derivatives by an odd sum's unknowns, of those by all 3 M + 1 numbers.
std::vector<Interval> folded(const std::vector<Interval>& row, const StepSum& sum) {
  const std::size_t steps = sum.w.size();
  std::vector<Interval> out;
  for (std::size_t i = 0; i <= steps / 2; ++i) {
    const std::size_t other = mirror_of(i, steps);
    const Interval half_of_kappa = row[steps] / 2;  // kappa = W/2
    out.push_back(row[i] + half_of_kappa);
    if (i != other) out.back() = out.back() + row[other] + half_of_kappa;
  }
  for (std::size_t i = 1; i < mirror_of(i, steps); ++i) {
    const std::size_t other = mirror_of(i, steps);
    out.push_back(row[steps + 1 + i] - row[steps + 1 + other] * sum.z[other] / sum.z[i]);
  }
  return out;
}

/// The derivatives of G(h) - kappa by all 3 M + 1 numbers, and its value.
void add_row(System& out, const StepSum& sum, const std::vector<Interval>& powers, long h,
             const AlternatingGoal& goal) {
  const std::size_t steps = sum.w.size();
  std::vector<Interval> row(3 * steps + 1);
  Interval value = Interval(0) - sum.kappa;
  row[steps] = Interval(-1);
  for (std::size_t i = 0; i < steps; ++i) {
    const Interval share = Interval(1) / (Interval(1) + sum.z[i] * powers[i]);
    const Interval fall = Interval(0) - sum.w[i] * powers[i] * share * share;
    value = value + sum.w[i] * share;
    row[i] = share;
    row[steps + 1 + i] = fall;
    row[2 * steps + 1 + i] = fall * sum.z[i] * Interval(static_cast<int>(h)) / sum.v[i];
  }
  if (goal.ends == Ends::odd) row = folded(row, sum);
  row.resize(goal.equations());
  out.value.push_back(value - Interval(h % 2 == 0 ? 1 : -1));
  out.slope.push_back(std::move(row));
}

System system_of(const StepSum& sum, const AlternatingGoal& goal) {
  const std::size_t steps = sum.w.size();
  System out;
  std::vector<Interval> powers(steps, Interval(1));
  const long last = goal.ends == Ends::odd ? goal.m / 2 : goal.m;
  for (long h = 0; h <= last; ++h) {
    add_row(out, sum, powers, h, goal);
    for (std::size_t i = 0; i < steps; ++i) powers[i] = powers[i] * sum.v[i];
  }
  if (goal.ends != Ends::zero) return out;
  std::vector<Interval> row(goal.equations());
  std::fill_n(row.begin(), steps, Interval(1));
  out.value.push_back(sum.weight_sum());
  out.slope.push_back(std::move(row));
  return out;
}

/// The inverse of the middles, by elimination with row pivots; empty for a matrix that is singular to
/// rounding.
std::optional<RealMatrix> inverse_of(const IntervalMatrix& matrix) {
  const std::size_t n = matrix.size();
  RealMatrix rows(n, std::vector<LongReal>(2 * n));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) rows[i][j] = matrix[i][j].middle();
    rows[i][n + i] = 1;
  }
  for (std::size_t j = 0; j < n; ++j) {
    std::size_t pivot = j;
    for (std::size_t i = j + 1; i < n; ++i)
      if (abs(rows[i][j]) > abs(rows[pivot][j])) pivot = i;
    std::swap(rows[j], rows[pivot]);
    const LongReal scale = 1 / rows[j][j];
    if (!isfinite(scale)) return std::nullopt;
    for (LongReal& x : rows[j]) x *= scale;
    for (std::size_t i = 0; i < n; ++i) {
      const LongReal factor = rows[i][j];
      if (i == j || factor == 0) continue;
      for (std::size_t l = j; l < 2 * n; ++l) rows[i][l] -= factor * rows[j][l];
    }
  }
  for (std::vector<LongReal>& row : rows)
    row.erase(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(n));
  return rows;
}

std::vector<Interval> product(const RealMatrix& matrix, const std::vector<Interval>& vector) {
  std::vector<Interval> out(matrix.size());
  for (std::size_t i = 0; i < matrix.size(); ++i)
    for (std::size_t j = 0; j < vector.size(); ++j) out[i] = out[i] + Interval(matrix[i][j]) * vector[j];
  return out;
}

/// (I - C F'(X)) (X - x) in rows.
std::vector<Interval> remainder(const RealMatrix& c, const IntervalMatrix& slope,
                                const std::vector<Interval>& width) {
  const std::size_t n = c.size();
  std::vector<Interval> out(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      Interval entry(i == j ? 1 : 0);
      for (std::size_t l = 0; l < n; ++l) entry = entry - Interval(c[i][l]) * slope[l][j];
      out[i] = out[i] + entry * width[j];
    }
  return out;
}

}  // namespace

Interval StepSum::weight_sum() const {
  Interval sum;
  for (const Interval& one : w) sum = sum + one;
  return sum;
}

LongReal StepSum::largest_weight() const {
  LongReal largest = 0;
  for (const Interval& one : w) largest = std::max(largest, one.size());
  return largest;
}

std::size_t AlternatingGoal::equations() const {
  const auto all = static_cast<std::size_t>(m) + 1;
  return ends == Ends::odd ? all / 2 : ends == Ends::zero ? all + 1 : all;
}

std::optional<StepSum> refined(StepSum start, const AlternatingGoal& goal) {
  check(start, goal);
  constexpr int most_steps = 200;
  const auto [free, of_any_sign] = unknowns(start, goal);  // all others are positive
  for (Interval* x : free) *x = Interval(x->middle());
  complete(start, goal);
  for (int n = 0; n < most_steps; ++n) {
    const System at = system_of(start, goal);
    const std::optional<RealMatrix> inverse = inverse_of(at.slope);
    if (!inverse) return std::nullopt;
    const std::vector<Interval> step = product(*inverse, at.value);
    LongReal largest = 0, cap = 1;  // of relative steps, and of those of what is to stay positive
    for (std::size_t i = 0; i < free.size(); ++i) {
      const LongReal size = step[i].size() / free[i]->size();
      if (isfinite(size)) largest = std::max(largest, size);
      if (i >= of_any_sign) cap = std::max(cap, size);
    }
    for (std::size_t i = 0; i < free.size(); ++i) {
      const LongReal x = free[i]->middle(), by = step[i].middle() / cap;
      *free[i] = Interval(i < of_any_sign ? LongReal(x - by) : LongReal(x * exp(-by / x)));
    }
    complete(start, goal);
    if (largest < at_rest) return start;
  }
  return std::nullopt;
}

std::optional<StepSum> proved(const StepSum& near, const AlternatingGoal& goal) {
  check(near, goal);
  StepSum point = near, box = near, out = near;
  const auto [x, of_any_sign] = unknowns(point, goal);
  const std::vector<Interval*> wide = unknowns(box, goal).all, found = unknowns(out, goal).all;
  for (Interval* one : x) *one = Interval(one->middle());
  complete(point, goal);
  const System at = system_of(point, goal);
  const std::optional<RealMatrix> inverse = inverse_of(at.slope);
  if (!inverse) return std::nullopt;
  const std::vector<Interval> step = product(*inverse, at.value);
  std::vector<Interval> width;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const LongReal radius = 4 * step[i].size() + least_radius * x[i]->size();
    width.emplace_back(-radius, radius);
    *wide[i] = *x[i] + width[i];
    if (i >= of_any_sign && !wide[i]->is_positive()) return std::nullopt;
  }
  complete(box, goal);
  const std::vector<Interval> rest = remainder(*inverse, system_of(box, goal).slope, width);
  for (std::size_t i = 0; i < x.size(); ++i) {
    *found[i] = *x[i] - step[i] + rest[i];
    // X is x +- radius itself; `wide` is that rounded outwards.
    if (!(*found[i] - *x[i]).inside(width[i])) return std::nullopt;
  }
  complete(out, goal);
  return out;
}

}  // namespace hardhead::hardness
