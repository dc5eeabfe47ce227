#include "sq/answerer.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "sq/enumerate.h"

namespace hardhead::sq {
namespace {

/// Uniform in [-1, 1].
Rational draw(const Stream& stream, std::uint64_t item) {
  constexpr std::int64_t scale = std::int64_t{1} << 52;
  return dyadic(static_cast<std::int64_t>(stream.below(item, 2 * scale + 1)) - scale, 52);
}

/// The integer nearest to x, halves up.
Integer nearest_integer(const Rational& x) {
  const Rational shifted = x + Rational(1, 2);
  Integer quotient = numerator(shifted) / denominator(shifted);
  if (shifted < 0 && Rational(quotient) != shifted) --quotient;
  return quotient;
}

}  // namespace

FixedTarget::FixedTarget(Concept target, int n, Policy policy, std::uint64_t seed)
    : target_(std::move(target)), n_(n), policy_(policy), stream_(Domain::samples, seed, "oracle") {
  check_bits("fixed target", n);
}

Reply FixedTarget::reply(const Query& query, const Contract& contract) {
  Reply out;
  out.truth = exact_mean(query, target_, n_);
  const Rational radius = contract.radius(out.truth);
  ++asked_;
  switch (policy_) {
    case Policy::honest:
      out.answer = out.truth.value;
      break;
    case Policy::random:
      out.answer = out.truth.value + radius * draw(stream_, asked_);
      break;
    case Policy::rounding:
      out.answer =
          radius == 0 ? out.truth.value : radius * Rational(nearest_integer(out.truth.value / radius));
      break;
  }
  return out;
}

Adversary::Adversary(const ConceptClass& members)
    : class_(members), left_(static_cast<std::size_t>(members.size())) {
  std::iota(left_.begin(), left_.end(), 0);
}

Reply Adversary::reply(const Query& query, const Contract& contract) {
  const ClassMeans means = class_.means(query);
  const auto numerator_of = [&](std::int64_t f) { return means.members[static_cast<std::size_t>(f)]; };
  const auto split = [&](const Rational& answer) {
    std::vector<std::int64_t> kept;
    ruled_out_.clear();
    // Most members of a class have one and the same mean: it is judged once.
    std::int64_t judged = means.null;
    bool legal = contract.allows(means.null_mean(), answer);
    for (const std::int64_t f : left_) {
      if (numerator_of(f) != judged) {
        judged = numerator_of(f);
        legal = contract.allows(means.mean(f), answer);
      }
      (legal ? kept : ruled_out_).push_back(f);
    }
    return kept;
  };

  Reply out;
  out.answer = means.null_mean().value;
  std::vector<std::int64_t> kept = split(out.answer);
  if (kept.empty()) {
    out.gave_in = true;
    const std::int64_t nearest =
        *std::min_element(left_.begin(), left_.end(), [&](std::int64_t f, std::int64_t g) {
          return std::abs(numerator_of(f) - means.null) < std::abs(numerator_of(g) - means.null);
        });
    const Mean mean = means.mean(nearest);
    const Rational radius = contract.radius(mean);
    out.answer = mean.value < out.answer ? Rational(mean.value + radius) : Rational(mean.value - radius);
    kept = split(out.answer);
  }
  left_ = std::move(kept);
  out.truth = means.mean(left_.front());
  out.members_left = static_cast<std::int64_t>(left_.size());
  return out;
}

}  // namespace hardhead::sq
