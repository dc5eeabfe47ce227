#include "lwe/attacks/attack.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "lwe/attacks/machine_speeds.h"
#include "lwe/attacks/registered_attacks.h"

namespace hardhead::lwe {
namespace {

constexpr double attack_memory_limit = 8e9;  // bytes

}  // namespace

bool Cost::is_predicted() const {
  return !not_applicable && !std::isnan(seconds);
}

double Cost::log2_operations() const {
  return std::log2(seconds * machine.operations_a_second);
}

Cost predicted_cost(const Attack& method, const ProblemParameters& p, std::int64_t samples) {
  constexpr double unlucky = 2;  // standard deviations by which errors are hardly ever larger
  const auto needed = samples_to_verify(p);
  if (!needed)
    return Cost::impossible(
        fmt::format("hopeless: the noise leaves no residue mod {} out, and no secret verifies", p.q));
  const auto used = std::max(samples, static_cast<std::int64_t>(std::ceil(std::min(*needed, 1e15))));
  Cost out = method.cost(p, used);
  if (static_cast<double>(used) < samples_to_verify(p, unlucky).value_or(0)) out.success *= 0.5;
  out.samples = std::max(out.samples, *needed);
  out.seconds += machine.verify_step * static_cast<double>(used) * (static_cast<double>(p.n) + 10);
  return out;
}

std::string Cost::objection(std::int64_t at_hand) const {
  if (not_applicable) return *not_applicable;
  if (samples > static_cast<double>(at_hand))
    return fmt::format("needs about {:.4g} samples, there are {}", std::ceil(samples), at_hand);
  if (memory_bytes > attack_memory_limit)
    return fmt::format("needs about {:.3g} bytes, more than {:.3g}", memory_bytes, attack_memory_limit);
  return beyond.value_or("");
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

namespace {

/// attack() on one reading of a challenge.
AttackReport attack_reading(const Challenge& challenge, const Attack& method, double seconds,
                            const RunContext& context) {
  check_samples(challenge.parameters, challenge.samples);
  AttackReport out;
  out.method = method.name;
  out.predicted = predicted_cost(method, challenge.parameters, challenge.samples.count());
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

}  // namespace

AttackReport attack(const Challenge& challenge, const Attack& method, double seconds,
                    const RunContext& context) {
  std::vector<ProblemParameters> readings = challenge.readings();
  if (readings.size() == 1) return attack_reading(challenge, method, seconds, context);
  // A wrong reading may take all the time there is: each first gets what success should take.
  constexpr double of_predicted = 20, at_least = 1;
  const Stopwatch watch;
  AttackReport out;
  for (bool first_turn = true; !readings.empty() && !out.solved(); first_turn = false) {
    std::vector<ProblemParameters> unfinished;
    for (const ProblemParameters& reading : readings) {
      const double left = std::max(0.0, seconds - watch.seconds());
      if ((left == 0 || context.stop.stopped()) && !out.method.empty()) break;
      const Cost predicted = predicted_cost(method, reading, challenge.samples.count());
      const bool whole = !first_turn || !predicted.is_predicted();
      out =
          attack_reading({reading, challenge.samples}, method,
                         whole ? left : std::min(left, at_least + of_predicted * predicted.seconds), context);
      if (out.solved()) out.message += fmt::format(", rounded: {}", name_of(reading.rounding));
      if (out.solved()) break;
      if (first_turn && out.outcome == AttackOutcome::stopped) unfinished.push_back(reading);
    }
    readings = std::move(unfinished);
  }
  out.seconds = watch.seconds();
  return out;
}

std::optional<CheapestAttack> cheapest_attack(const ProblemParameters& parameters, std::int64_t samples) {
  std::optional<CheapestAttack> best;
  for (const Attack& method : attacks()) {
    Cost cost = predicted_cost(method, parameters, samples);
    if (cost.not_applicable || cost.samples > static_cast<double>(samples)) continue;
    if (!best || cost.seconds < best->cost.seconds) best = CheapestAttack{&method, std::move(cost)};
  }
  return best;
}

std::vector<AttackReport> attack_auto(const Challenge& challenge, double seconds, const RunContext& context) {
  const std::int64_t samples = challenge.samples.count();
  std::vector<std::pair<double, const Attack*>> order;
  for (const Attack& method : attacks())
    if (const Cost cost = predicted_cost(method, challenge.parameters, samples);
        cost.objection(samples).empty())
      order.emplace_back(cost.seconds, &method);
  std::ranges::sort(order);  // where costs are equal, by place in the table
  std::vector<AttackReport> out;
  const Stopwatch watch;
  for (const auto& [cost, method] : order) {
    const double left = seconds - watch.seconds();
    if (left <= 0) break;
    out.push_back(attack(challenge, *method, left, context));
    if (out.back().solved()) break;
    context.stop.check();
  }
  return out;
}

}  // namespace hardhead::lwe
