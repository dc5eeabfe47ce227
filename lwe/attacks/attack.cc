#include "lwe/attacks/attack.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "lwe/attacks/registered_attacks.h"

namespace hardhead::lwe {
namespace {

/// The attack's own cost, and that of verifying what it finds on all samples.
Cost cost_of(const Attack& method, const ProblemParameters& parameters, std::int64_t samples) {
  Cost out = method.cost(parameters, samples);
  out.seconds += 1e-9 * static_cast<double>(samples) * (static_cast<double>(parameters.n) + 10);
  return out;
}

}  // namespace

std::string Cost::objection(std::int64_t at_hand) const {
  if (not_applicable) return *not_applicable;
  if (samples > static_cast<double>(at_hand))
    return fmt::format("needs about {:.3g} samples, there are {}", samples, at_hand);
  if (memory_bytes > attack_memory_limit)
    return fmt::format("needs about {:.3g} bytes, more than {:.3g}", memory_bytes, attack_memory_limit);
  return "";
}

std::span<const Attack> attacks() {
#define HARDHEAD_ATTACK(name) detail::name##_attack(),
  static const std::vector<Attack> all{HARDHEAD_ATTACKS(HARDHEAD_ATTACK)};
#undef HARDHEAD_ATTACK
  return all;
}

const Attack& find_attack(const std::string& name) {
  return find_named("attack", name, attacks());
}

AttackReport attack(const Challenge& challenge, const Attack& method, double seconds,
                    const RunContext& context) {
  check_samples(challenge.parameters, challenge.samples);
  AttackReport out;
  out.method = method.name;
  out.predicted = cost_of(method, challenge.parameters, challenge.samples.count());
  out.message = out.predicted.objection(challenge.samples.count());
  if (!out.message.empty()) {
    out.outcome = AttackOutcome::refused;
    return out;
  }
  RunContext limited = context;
  limited.stop = limited.stop.with_time_limit(seconds);
  const Stopwatch watch;
  try {
    const auto candidate = method.run(challenge, limited, out.message);
    if (candidate) {
      out.verification = verify(challenge.parameters, challenge.samples, *candidate);
      if (out.verification.verified()) {
        out.outcome = AttackOutcome::solved;
        out.secret = *candidate;
      }
      out.message += (out.message.empty() ? "" : "; ") + out.verification.message;
    }
  } catch (const Stopped& stopped) {
    out.outcome = AttackOutcome::stopped;
    out.message = stopped.reason;
  } catch (const Error& error) {  // a library gave up, samples of too low a rank: an outcome
    out.message = error.what();
  }
  out.seconds = watch.seconds();
  return out;
}

std::vector<const Attack*> cheapest_first(const ProblemParameters& parameters, std::int64_t samples) {
  std::vector<std::pair<double, const Attack*>> order;
  for (const Attack& method : attacks())
    if (const Cost cost = cost_of(method, parameters, samples); cost.objection(samples).empty())
      order.emplace_back(cost.seconds, &method);
  std::sort(order.begin(), order.end());  // where costs are equal, by place in the table
  std::vector<const Attack*> out;
  out.reserve(order.size());
  for (const auto& [cost, method] : order) out.push_back(method);
  return out;
}

std::vector<AttackReport> attack_auto(const Challenge& challenge, double seconds, const RunContext& context) {
  std::vector<AttackReport> out;
  const Stopwatch watch;
  for (const Attack* method : cheapest_first(challenge.parameters, challenge.samples.count())) {
    const double left = seconds - watch.seconds();
    if (left <= 0) break;
    out.push_back(attack(challenge, *method, left, context));
    if (out.back().solved()) break;
    context.stop.check();
  }
  return out;
}

}  // namespace hardhead::lwe
