#include "sq/concepts/enumerate.h"

#include <fmt/format.h>

#include <cmath>

#include "base/error.h"
#include "base/run/shared_reduce.h"
#include "sq/concepts/hoeffding.h"

namespace hardhead::sq {
namespace {

struct GridSum {
  std::int64_t value = 0;
  bool rounded = false;
  GridSum& operator+=(const GridSum& other) {
    value += other.value;
    rounded |= other.rounded;
    return *this;
  }
};

void check_concept(const Concept& f, int n) {
  if ((f.sees & ~all_bits(n)) != 0)
    throw InputError(fmt::format("concept '{}' sees bits {:#x}; the domain has {} bits", f.name, f.sees, n));
}

}  // namespace

int checked_label(const Concept& f, Bits z) {
  const int label = f.label(z & f.sees);
  if (label < -1 || label > 1)
    throw InputError(
        fmt::format("concept '{}' labels bits {:#x} with {}: -1, 0 or 1 is expected", f.name, z, label));
  return label;
}

Mean exact_mean(const Query& query, const Concept& f, int n) {
  check_bits("exact mean", n);
  check_concept(f, n);
  const GridQuery phi(query, n);
  const Bits mask = query.sees | f.sees;
  const auto sum = sum_over_points<GridSum>(mask, [&](GridSum& partial, Bits z) {
    partial.value += phi.at(z, checked_label(f, z), partial.rounded);
  });
  return {dyadic(sum.value, grid_bits + __builtin_popcount(mask)),
          sum.rounded ? rounding_charge() : Rational(0)};
}

SampledMean sampled_mean(const Query& query, const Concept& f, int n, const SamplingGoal& goal,
                         const Stream& stream, const RunContext& context) {
  const auto [half_width, confidence] = goal;
  if (n < 1 || n > 32) throw InputError(fmt::format("sampled mean: n={} bits is not in 1 .. 32", n));
  if (!(half_width > 0))
    throw InputError(fmt::format("sampled mean: half_width={} is not positive", half_width));
  if (!(confidence > 0 && confidence < 1))
    throw InputError(fmt::format("sampled mean: confidence={} is not between 0 and 1", confidence));
  check_concept(f, n);
  const GridQuery phi(query, n);
  const double width = query.range == Range::signed_unit ? 2 : 1;
  const double count = std::ceil(hoeffding_samples(width, half_width, 1 - confidence));
  if (count > 0x1p40)
    throw InputError(
        fmt::format("sampled mean: half_width={} at confidence={} takes {:.3g} samples, more than 2^40",
                    half_width, confidence, count));
  const auto samples = static_cast<std::int64_t>(count);

  struct Sum {
    double value = 0;  // exact within a block of points
    bool rounded = false;
  };
  constexpr std::int64_t block = 1 << 13;
  const Serializer<Sum> serializer{[](const Sum& part, std::string& to) { put(to, &part, 1); },
                                   [](std::string_view& from, const Sum&) {
                                     Sum part;
                                     take(from, &part, 1);
                                     return part;
                                   }};
  const auto accumulate = [&](Sum& partial, std::int64_t b) {
    context.stop.check();
    std::int64_t grid = 0;
    for (std::int64_t i = b * block; i < std::min(samples, (b + 1) * block); ++i) {
      const Bits z = draw_point(stream, static_cast<std::uint64_t>(i), n);
      grid += phi.at(z, checked_label(f, z), partial.rounded);
    }
    partial.value += std::ldexp(static_cast<double>(grid), -grid_bits);
  };
  const auto join = [](Sum& left, const Sum& right) {
    left.value += right.value;
    left.rounded |= right.rounded;
  };
  const Sum sum = shared_reduce((samples + block - 1) / block, 1,
                                Reduction{Sum{}, accumulate, join, &serializer}, context);
  const double charge = sum.rounded ? rounding_charge().convert_to<double>() : 0;
  return {sum.value / count, half_width + charge, confidence, samples};
}

}  // namespace hardhead::sq
