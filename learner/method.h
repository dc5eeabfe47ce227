#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/text/option_table.h"
#include "learner/attention_names.h"
#include "learner/learner.h"

/// Learners by name: what a method says of itself, and the registry.
namespace hardhead::learner {

/// A rung of a learner's ladder of budgets: settings of about equal cost, of which the best is used.
struct Rung {
  std::vector<Learner> settings;           ///< the learner with its options
  std::optional<std::int64_t> examples{};  ///< what Task::examples is to be; else the learner's default
};

/// What a learner would be given by someone who wants it to come down to the test error `wanted`: each rung
/// of the ladder costs about four times as much as the one before it.
using Ladder = std::function<std::vector<Rung>(const Spec& method, double wanted)>;

/// `method` with each of these options that it does not have already.
Spec with_options(Spec method, const std::vector<std::pair<std::string, std::string>>& options);

/// A learner by its name: one file, and one line in registered_methods.h.
struct Method {
  std::string name;                   ///< as in `--method NAME`
  std::string summary;                ///< one line
  std::string guarantee;              ///< what is proved about it, or "heuristic"
  std::vector<Parameter> parameters;  ///< its options, for help: as in `--method sculpt:rows=4000`
  Access access;                      ///< what it asks, with default options
  Told told = Told::nothing;          ///< what it knows besides, likewise
  /// The algorithm with the options that a spec gives, defaults for the rest. Throws InputError.
  std::function<std::shared_ptr<const Algorithm>(const Spec&)> configure;
  /// The spec with every option: equal for specs that mean the same. Throws InputError.
  std::function<Spec(const Spec&)> canonical;
  /// Its ladder of budgets, cheapest first. Options that the spec gives stay as they are. Null: by examples
  /// 25,000, 100,000, .. of them, whatever is wanted; by values one rung, since it asks as much as it needs.
  Ladder ladder{};
};

/// As `families --json` has it.
template <class Visit>
void describe(Visit& visit, const Method*) {
  visit("name", &Method::name);
  visit("access", &Method::access);
  visit("told", &Method::told);
  visit("summary", &Method::summary);
  visit("guarantee", &Method::guarantee);
  visit("options", &Method::parameters);
}

/// The method of an algorithm that is constructed from its options, which `table` binds to their names.
template <class Implementation, class Options>
Method method_of(std::string name, std::string summary, std::string guarantee,
                 const OptionTable<Options>& table, Ladder ladder = nullptr) {
  return {std::move(name),
          std::move(summary),
          std::move(guarantee),
          table.rows(),
          Implementation(Options{}).access(),
          Implementation(Options{}).told(),
          [table](const Spec& spec) { return std::make_shared<const Implementation>(table.read(spec)); },
          [table](const Spec& spec) { return table.canonical(spec); },
          std::move(ladder)};
}

/// All learners, in the order they are listed.
std::span<const Method> methods();

/// The method of that name. Throws InputError with the nearest name.
const Method& find_method(const std::string& name);

}  // namespace hardhead::learner
