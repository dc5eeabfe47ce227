#include "learner/learner.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "base/error.h"
#include "base/text/number.h"
#include "learner/cost.h"
#include "learner/label_unit.h"
#include "learner/method.h"

namespace hardhead::learner {
namespace {

constexpr std::int64_t fewest_examples = 3;

void check_task(Index k, const Task& task) {
  check_tokens(k);
  if (task.heads && *task.heads < 1)
    throw InputError(fmt::format("heads = {}, but at least 1 is needed", *task.heads));
}

void check_examples(const ExampleAlgorithm& learner, ExampleShape shape, const Task& task) {
  if (const std::int64_t least = learner.least_examples(shape, task); *task.examples < least)
    throw InputError(fmt::format(
        "{} examples are fewer than the counting bound {}, which is the number of unknowns over the numbers "
        "that an example gives, for d = {}, k = {}, m = {}: they do not determine such a layer",
        *task.examples, least, shape.d, shape.k, task.heads.value_or(1)));
  if (*task.examples < fewest_examples)
    throw InputError(fmt::format("examples = {}, but at least {} are needed: to fit, to choose and to judge",
                                 *task.examples, fewest_examples));
}

Task resolved(const ExampleAlgorithm& learner, ExampleShape shape, std::int64_t available, const Task& task) {
  check_task(shape.k, task);
  Task out = task;
  out.examples = std::min(task.examples.value_or(learner.default_examples(shape, task)), available);
  check_examples(learner, shape, out);
  return out;
}

void check_lengths(const std::string& name, const Needs& needs, const Labelled& domain) {
  if (needs.tokens && domain.tokens && *needs.tokens != *domain.tokens)
    throw InputError(
        fmt::format("{} asks X of {}, and every X of this oracle has {} (--length free lets a "
                    "learner choose the number)",
                    name, counted(*needs.tokens, "token"), counted(*domain.tokens, "token")));
  if (!needs.tokens && domain.tokens)
    throw InputError(
        fmt::format("{} asks X of several lengths, and every X of this oracle has {} (--length free "
                    "lets a learner choose the number)",
                    name, counted(*domain.tokens, "token")));
}

/// Throws InputError for a learner of the other kind.
void check_kind(const Learner& learner, bool values) {
  if (learner.asks_values() == values) return;
  throw InputError(learner.asks_values()
                       ? fmt::format("{} asks for values, and there are only examples", learner.str())
                       : fmt::format("{} learns from examples, and there are only values", learner.str()));
}

}  // namespace

Learner::Learner(const Spec& spec)
    : Learner(of({std::shared_ptr<const Method>(), &find_method(spec.name)}, spec)) {}

Learner Learner::of(std::shared_ptr<const Method> method, const Spec& spec) {
  Learner out;
  out.spec_ = spec;
  out.options_ = method->canonical(spec);
  out.algorithm_ = method->configure(spec);
  out.access_ = out.algorithm_->access();
  out.told_ = out.algorithm_->told();
  out.method_ = std::move(method);
  return out;
}

Learner Learner::parse(const std::string& text, std::span<const Learner> own) {
  const std::string name = text.substr(0, text.find(':'));
  const auto known = std::ranges::find(own, name, [](const Learner& one) { return one.name(); });
  return known == own.end() ? Learner(parse_learner(text)) : of(known->method_, Spec::parse(text));
}

Learner Learner::named(Spec spec, Spec options, Access access, Told told) {
  Learner out;
  out.spec_ = std::move(spec);
  out.options_ = std::move(options);
  out.access_ = access;
  out.told_ = told;
  return out;
}

const ExampleAlgorithm& Learner::by_examples() const {
  const auto* algorithm = dynamic_cast<const ExampleAlgorithm*>(algorithm_.get());
  if (algorithm == nullptr) throw std::logic_error(str() + " is no learner by examples of the library");
  return *algorithm;
}

const ValueAlgorithm& Learner::by_values() const {
  const auto* algorithm = dynamic_cast<const ValueAlgorithm*>(algorithm_.get());
  if (algorithm == nullptr) throw std::logic_error(str() + " is no learner by values of the library");
  return *algorithm;
}

std::vector<Rung> Learner::ladder(double wanted) const {
  if (method_ == nullptr) throw std::logic_error(str() + " is no learner of the library");
  if (method_->ladder) return method_->ladder(spec_, wanted);
  if (asks_values()) return {{{*this}, std::nullopt}};
  std::vector<Rung> rungs;
  for (std::int64_t examples = 25'000; examples <= 10'000'000'000; examples *= 4)
    rungs.push_back({{*this}, examples});
  return rungs;
}

RunMemory Learner::predicted_memory(ExampleShape shape, std::int64_t available, const Task& task) const {
  const ExampleAlgorithm& algorithm = by_examples();
  return algorithm.predicted_memory(shape, resolved(algorithm, shape, available, task));
}

std::optional<PredictedSeconds> Learner::predicted_seconds(ExampleShape shape, Index m,
                                                           const Task& task) const {
  if (asks_values()) return std::nullopt;
  const ExampleAlgorithm& algorithm = by_examples();
  check_task(shape.k, task);
  Task full = task;
  full.examples = task.examples.value_or(algorithm.default_examples(shape, task));
  const std::optional<PredictedSeconds> seconds = algorithm.predicted_seconds(shape, m, full);
  if (!seconds) return std::nullopt;
  const double limit = task.time_limit_seconds.value_or(std::numeric_limits<double>::infinity());
  return PredictedSeconds{std::min(seconds->learnt, limit),
                          std::min(std::max(seconds->learnt, seconds->not_learnt), limit)};
}

void check_memory(const Learner& learner, double bytes, const Task& task) {
  if (task.memory_limit_bytes && bytes > *task.memory_limit_bytes)
    throw BudgetError(fmt::format(
        "{} is predicted to need {:.3g} bytes of memory, more than the memory limit of {:.3g} bytes",
        learner.name(), bytes, *task.memory_limit_bytes));
}

Report learn(const Learner& learner, const SampleSource& source, const Task& task,
             const RunContext& context) {
  check_kind(learner, false);
  const ExampleAlgorithm& algorithm = learner.by_examples();
  const ExampleShape shape{source.d(), source.k(), source.inputs()};
  const Task full = resolved(algorithm, shape, source.size(), task);
  if (task.memory_limit_bytes) {
    const RunMemory memory = algorithm.predicted_memory(shape, full);
    check_memory(learner, process_bytes + memory.work + memory.report, task);
  }
  // A network and the tokens that are added to it are in units of their own, and so may a program's be.
  const bool linear_in_w = learner.told() == Told::nothing || learner.told() == Told::form;
  double unit = 1;
  Recorder recorder(context.stop);
  Report report = recorder.record([&] {
    if (linear_in_w) unit = label_unit(source);
    const LabelsInUnits in_units(source, unit);
    algorithm.run({unit == 1 ? source : in_units, full, context, recorder});
  });
  if (unit != 1) in_own_units(report, unit);
  return report;
}

void check_needs(const Learner& learner, const ValueOracle& oracle) {
  const std::string name = learner.name();
  const Needs needs = learner.by_values().needs();
  if (needs.adapts) return;
  const Labelled domain = oracle.domain();
  if (oracle.last_is_one() && !needs.takes_biases)
    throw InputError(fmt::format(
        "{} chooses every feature, and this layer has biases: its last feature is 1 in all tokens", name));
  if (needs.exact)
    throw InputError(
        fmt::format("{} computes with exact rationals, which this layer's answers are not", name));
  check_lengths(name, needs, domain);
  if (needs.hints && !oracle.has_hints())
    throw InputError(fmt::format("{} reads hints, which layers of family parity give and no others", name));
  if (needs.real_tokens && domain.boolean_only)
    throw InputError(
        fmt::format("{} asks tokens with entries other than -1 and +1, and this layer has exact "
                    "values for those only",
                    name));
  if (needs.gadget && std::holds_alternative<std::monostate>(oracle.gadget()))
    throw InputError(
        fmt::format("{} reads what a hard family hides (parity, lwr): this source is neither", name));
}

Report learn(const Learner& learner, ValueOracle& oracle, const Task& task, const RunContext& context) {
  check_kind(learner, true);
  const ValueAlgorithm& algorithm = learner.by_values();
  check_needs(learner, oracle);
  oracle.stop_by(context.stop);
  Recorder recorder(context.stop, &oracle.account());
  return recorder.record([&] { algorithm.run({&oracle, nullptr, task, context, recorder}); });
}

Report learn(const Learner& learner, ExactOracle& oracle, const Task& task, const RunContext& context) {
  check_kind(learner, true);
  const ValueAlgorithm& algorithm = learner.by_values();
  if (!algorithm.needs().exact)
    throw InputError(fmt::format("{} does not compute with exact rationals", learner.name()));
  oracle.stop_by(context.stop);
  Recorder recorder(context.stop, &oracle.account());
  return recorder.record([&] { algorithm.run({nullptr, &oracle, task, context, recorder}); });
}

}  // namespace hardhead::learner
