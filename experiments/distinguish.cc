#include "experiments/distinguish.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "base/error.h"
#include "experiments/attacks/rounding_attack.h"
#include "hardness/families/family.h"
#include "learner/learner.h"
#include "learner/method.h"
#include "lwe/attacks/attack.h"
#include "lwe/outside/program_attack.h"
#include "study/problem/source.h"

namespace hardhead::experiments {
namespace {

using attention::Block;
using attention::Index;

/// Names of the attacks, and the word that chooses among them by cost.
std::vector<std::string> attack_names() {
  std::vector<std::string> out = {"auto"};
  std::ranges::transform(lwe::attacks(), std::back_inserter(out), &lwe::Attack::name);
  return out;
}

bool is_attack(const std::string& name) {
  const std::vector<std::string> names = attack_names();
  return std::ranges::find(names, name) != names.end();
}

/// Throws InputError unless it is an attack, told no more than an attack is, or a learner by examples.
void check_method(const DistinguishOptions& options, bool attacks) {
  if (attacks && options.method != Spec{"auto", {}}) lwe::attack_of(options.method);  // refuses options
  if (attacks && options.run.task.heads)
    throw InputError(
        fmt::format("heads = {}: an attack is not told how many heads a layer has", *options.run.task.heads));
  if (attacks) return;
  if (!options.own) {
    std::vector<std::string> known = attack_names();
    std::ranges::transform(learner::methods(), std::back_inserter(known), &learner::Method::name);
    find_name("learner or attack", options.method.name, known);
  }
  const learner::Learner one = options.own.value_or(options.method);
  if (one.asks_values())
    throw InputError(fmt::format("distinguish: {} asks for values, and there are only examples", one.str()));
}

Spec with_seed(Spec spec, std::uint64_t seed) {
  std::erase_if(spec.values, [](const auto& value) { return value.first == "seed"; });
  spec.values.emplace_back("seed", std::to_string(seed));
  return spec;
}

/// Seed + t, or the next one whose instance can be made: a small secret may be zero.
hardness::Instance instance_of(const Spec& spec, std::uint64_t& seed) {
  constexpr std::uint64_t tries = 64;
  for (std::uint64_t t = 0;; ++t, ++seed) try {
      return hardness::make_instance(with_seed(spec, seed));
    } catch (const InputError&) {
      if (t == tries) throw;
    }
}

std::shared_ptr<const attention::SampleSource> examples(const hardness::Instance& instance, Domain domain,
                                                        std::uint64_t seed, bool is_true) {
  if (is_true) return study::exact_examples_of(instance, domain, seed);
  return std::make_shared<UnrelatedLabels>(instance, Stream(domain, seed, instance.digest),
                                           Stream(domain, seed, "unrelated to " + instance.digest));
}

/// Test error of a learner over the error that unrelated labels allow.
double relative_error(const hardness::Instance& instance, const DistinguishOptions& options,
                      std::uint64_t seed, bool is_true, const RunContext& context) {
  study::Problem problem;
  problem.source = instance.spec.str();
  problem.spec = problem.source;
  problem.digest = instance.digest;
  problem.d = instance.layer.d;
  problem.k = instance.k;
  problem.inputs = instance.inputs;
  problem.training = examples(instance, Domain::samples, seed, is_true);
  problem.test = examples(instance, Domain::test, seed, is_true);
  problem.test_count = study::Problem::test_limit;
  problem.null_error = round_to_nearest(*instance.null.unrelated_error);
  study::RunOptions run_options = options.run;
  run_options.method = options.own.value_or(options.method);
  run_options.task.seed = seed;
  const study::RunResult result = run(problem, run_options, context);
  context.stop.check();
  return result.score.test_error / result.problem.null_error;
}

/// Whether an attack finds a secret. One that is not begun finds none, and is counted.
bool attack_succeeds(const hardness::Instance& instance, const DistinguishOptions& options,
                     std::uint64_t seed, bool is_true, DistinguishResult& out, const RunContext& context) {
  const auto source = examples(instance, Domain::samples, seed, is_true);
  const lwe::Challenge challenge = rounding_challenge(instance.spec, *source, options.samples);
  const double seconds = options.run.task.time_limit_seconds.value_or(60);
  std::vector<lwe::AttackReport> reports;
  if (options.method.name == "auto")
    reports = lwe::attack_auto(challenge, seconds, context);
  else
    reports.push_back(lwe::attack(challenge, lwe::find_attack(options.method.name), seconds, context));
  const bool begun = std::ranges::any_of(
      reports, [](const auto& report) { return report.outcome != lwe::AttackOutcome::refused; });
  if (!begun && out.refused++ == 0)
    out.refusal = reports.empty() ? "no attack applies" : reports.front().message;
  return !reports.empty() && reports.back().solved();
}

/// An attack of lwe/ takes samples of LWR, a learner whatever is hidden behind a switch.
bool takes(bool attacks, hardness::Hidden hidden) {
  return attacks ? hidden == hardness::Hidden::lwr_secret : hidden != hardness::Hidden::nothing;
}

void validate(const Spec& spec, const DistinguishOptions& options, bool attacks) {
  check_method(options, attacks);
  if (!takes(attacks, hardness::find_family(spec.name).hides)) {
    std::vector<std::string> known;
    for (const hardness::Family& family : hardness::families())
      if (takes(attacks, family.hides)) known.push_back(family.name);
    throw InputError(fmt::format(
        "distinguish '{}': {} needs a spec of {} {}", spec.str(), attacks ? "an attack" : "a learner",
        known.size() == 1 ? "the family" : "one of the families", fmt::join(known, ", ")));
  }
  if (options.trials < 1 || !(options.threshold > 0 && options.threshold < 1) || options.samples < 1)
    throw InputError(
        fmt::format("distinguish: trials={} (at least 1), threshold={} (in (0, 1)), samples={} (at least 1)",
                    options.trials, options.threshold, options.samples));
}

}  // namespace

UnrelatedLabels::UnrelatedLabels(const hardness::Instance& instance, Stream tokens, Stream labels)
    : own_(instance.teacher, instance.layer.d, instance.k, instance.inputs, tokens),
      other_(instance.teacher, instance.layer.d, instance.k, instance.inputs, labels),
      teacher_(instance.teacher) {}

void UnrelatedLabels::read(std::int64_t first, Block& block) const {
  own_.read(first, block);
  Block other(block.d(), block.k, block.count);
  other_.read(first, other);
  const Index switch_coordinate = block.d() - 1;
  other.x.row(switch_coordinate) = block.x.row(switch_coordinate);
  teacher_->label(other);
  block.y = other.y;
}

DistinguishResult distinguish(const Spec& spec, const DistinguishOptions& options,
                              const RunContext& context) {
  const bool attacks = !options.own && is_attack(options.method.name);
  validate(spec, options, attacks);
  DistinguishResult out;
  out.method = options.own ? options.own->str() : options.method.str();
  const Stopwatch watch;
  const Stream coin(Domain::null_predictor, options.seed, "distinguish");
  std::uint64_t seed = options.seed;
  for (std::int64_t t = 0; t < options.trials; ++t, ++seed) {
    context.stop.check();
    const hardness::Instance instance = instance_of(spec, seed);
    const bool is_true = coin.below(static_cast<std::uint64_t>(t), 2) == 1;
    bool says_true = false;
    if (attacks) {
      says_true = attack_succeeds(instance, options, seed, is_true, out, context);
      context.stop.check();
    } else {
      const double error = relative_error(instance, options, seed, is_true, context);
      says_true = error < 1 - options.threshold;
      (is_true ? out.true_errors : out.unrelated_errors).push_back(error);
    }
    ++out.trials;
    out.right += says_true == is_true ? 1 : 0;
    out.true_trials += is_true ? 1 : 0;
    (is_true ? out.said_true_of_true : out.said_true_of_unrelated) += says_true ? 1 : 0;
    context.progress.report("distinguish", static_cast<double>(t + 1) / static_cast<double>(options.trials));
  }
  out.advantage = 2 * static_cast<double>(out.right) / static_cast<double>(out.trials) - 1;
  const statistics::Interval p = statistics::clopper_pearson(out.right, out.trials);
  out.interval = {2 * p.low - 1, 2 * p.high - 1};
  out.seconds = watch.seconds();
  return out;
}

}  // namespace hardhead::experiments
