#include "hardness/gadget/compact_heads.h"

#include <fmt/format.h>

#include "base/error.h"

namespace hardhead::hardness {
namespace {

/// n, the last h of the sum.
long last_of(long m) {
  return m / 2 * 2 + 1;
}

AlternatingGoal goal_of(long m) {
  return {.m = last_of(m), .ends = AlternatingGoal::Ends::odd};
}

StepSum start_of(long m, std::int64_t base) {
  const long ratio = compact_ratio(m, base);
  const Interval step = Interval::around(power(Rational(base), 4)),
                 ramp = step.root(static_cast<unsigned>(ratio));
  StepSum out;
  const auto add = [&](const Interval& v, double t, const LongReal& w) {
    out.v.push_back(v);
    out.z.emplace_back(LongReal(exp(-LongReal(t) * log(v.middle()))));
    out.w.emplace_back(w);
  };
  // A ramp of weight w falls by w ln(v) / 4 at its place: 2, and what the tails of the steps add.
  add(ramp, static_cast<double>(last_of(m)) / 2, 10 / log(ramp.middle()));
  for (long j = 1; j < compact_heads(m); ++j) add(step, 2.0 * static_cast<double>(j) - 0.5, -5);
  out.kappa = out.weight_sum() / 2;
  return out;
}

}  // namespace

void check_compact(long m, std::int64_t base) {
  if (m < 1 || m > max_compact_bits)
    throw InputError(fmt::format("compact heads: m={} is not in 1 .. {}", m, max_compact_bits));
  if (base < 2 || base > max_compact_base)
    throw InputError(fmt::format("compact heads: base={} is not in 2 .. {}", base, max_compact_base));
}

long compact_heads(long m) {
  return m / 2 + 1;
}

long compact_ratio(long m, std::int64_t base) {
  const long steps = compact_heads(m) - 1;
  if (steps <= 1) return steps + 1;
  const Rational least = power(Rational(base), 5 * steps);
  long ratio = 1;
  while (power(Rational(8), ratio) < least) ++ratio;
  return ratio;
}

StepSum compact_sum(long m, std::int64_t base) {
  check_compact(m, base);
  const AlternatingGoal goal = goal_of(m);
  const std::optional<StepSum> near = refined(start_of(m, base), goal);
  const std::optional<StepSum> sum = near ? proved(*near, goal) : std::nullopt;
  if (!sum)
    throw Error(fmt::format(
        "compact heads: m={}, base={}: {}", m, base,
        near ? "no solution is proved next to the computed one" : "Newton's method does not come to rest"));
  return *sum;
}

// By symmetry the values at h = 0 .. n/2 are enough, and with a step's middle taken off, W/2 is gone:
//
//     sum_i w_i (y_i / (x + y_i) - 1/2) = (-1)^h,   x = v_i^h, y_i = v_i^(n/2).
std::optional<std::vector<Rational>> exact_compact_weights(long m, std::int64_t base) {
  check_compact(m, base);
  if (m > 3) return std::nullopt;
  const long n = last_of(m);
  // v_i = B^e, so that v_i^(h - n/2) = B^(e (2h - n) / 2): whole powers for an even e.
  const auto share = [&](long e, long h) {
    return Rational(1) / (1 + power(Rational(base), e * (2 * h - n) / 2)) - Rational(1, 2);
  };
  if (n == 1) return std::vector<Rational>{1 / share(4, 0)};
  const Rational a = share(2, 0), b = share(4, 0), c = share(2, 1), d = share(4, 1), scale = a * d - b * c;
  return std::vector<Rational>{(d + b) / scale, (-c - a) / scale};
}

}  // namespace hardhead::hardness
