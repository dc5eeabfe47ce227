#include "sq/oracle/answerer.h"

#include <algorithm>
#include <cstdlib>

#include "sq/concepts/enumerate.h"

namespace hardhead::sq {

FixedTarget::FixedTarget(Concept target, int n, Policy policy, std::uint64_t seed)
    : target_(std::move(target)),
      n_(n),
      policy_(std::move(policy)),
      stream_(Domain::samples, seed, "oracle") {
  check_bits("fixed target", n);
}

Reply FixedTarget::reply(const Query& query, const Contract& contract) {
  Reply out;
  out.truth = exact_mean(query, target_, n_);
  out.answer = policy_.answer(out.truth.value, contract.radius(out.truth), stream_, ++asked_);
  return out;
}

Reply Adversary::reply(const Query& query, const Contract& contract) {
  const ClassMeans means = class_.means(query);
  const auto legal_for = [&](const Rational& answer) {
    return space_.kept(means, [&](const Mean& mean) { return contract.allows(mean, answer); });
  };

  Reply out;
  out.answer = means.null_mean().value;
  std::vector<std::int64_t> kept = legal_for(out.answer);
  if (kept.empty()) {
    out.gave_in = true;
    const auto distance = [&](std::int64_t f) {
      return std::abs(means.members[static_cast<std::size_t>(f)] - means.null);
    };
    const Mean nearest = means.mean(std::ranges::min(left(), {}, distance));
    const Rational radius = contract.radius(nearest);
    out.answer =
        nearest.value < out.answer ? Rational(nearest.value + radius) : Rational(nearest.value - radius);
    kept = legal_for(out.answer);
  }
  space_.set_left(std::move(kept));
  out.truth = means.mean(left().front());
  out.members_left = space_.size();
  return out;
}

}  // namespace hardhead::sq
