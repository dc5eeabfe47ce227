#include <nlohmann/json.hpp>

#include "base/files/atomic_file.h"
#include "base/text/json.h"
#include "experiments/claims/reproduce.h"
#include "experiments/distinguish.h"
#include "experiments/hardness_profile.h"
#include "python/described.h"
#include "python/samples.h"
#include "sq/dimension/low_degree.h"
#include "study/cost/hard_presets.h"
#include "study/report/finding.h"
#include "study/results/folder_page.h"

namespace hardhead::python {
namespace {

using experiments::DistinguishResult;
using report::Finding;

DistinguishResult distinguish(const SpecOrText& spec, const py::object& method, std::optional<Heads> heads,
                              std::optional<Examples> examples, Whole<"trials"> trials, Seed<> seed,
                              std::optional<Real<"time_limit", Reals::limit>> time_limit,
                              const Progress& progress) {
  experiments::DistinguishOptions how;
  if (py::isinstance<learner::Learner>(method))
    how.own = method.cast<learner::Learner>();
  else
    how.method = learner_of(method.cast<SpecOrText>());
  how.run.task = {
      .heads = value_of(heads), .examples = value_of(examples), .time_limit_seconds = value_of(time_limit)};
  how.samples = value_of(examples).value_or(how.samples);
  how.trials = trials;
  how.seed = seed;
  const Spec chosen = spec_of(spec);
  return interruptibly(
      [&](const RunContext& context) { return experiments::distinguish(chosen, how, context); }, progress);
}

std::pair<std::vector<Finding>, int> reproduce(const std::vector<std::string>& ids,
                                               const Path<"folder">& folder, bool quick, Seed<> seed,
                                               Jobs jobs, const std::string& command,
                                               const Progress& progress) {
  experiments::Reproduction done = interruptibly(
      [&](const RunContext& context) {
        return experiments::reproduce({.ids = ids,
                                       .folder = folder.value,
                                       .quick = quick,
                                       .seed = seed,
                                       .jobs = static_cast<int>(jobs),
                                       .command = command},
                                      context);
      },
      progress);
  return {std::move(done.findings), done.performed};
}

/// Writes the page of a folder, and returns the figures that it shows.
std::vector<std::string> write_page(const Path<"folder">& folder, const Path<"page">& page,
                                    const std::string& page_folder) {
  return interruptibly([&](const RunContext&) {
    study::FolderPage made = study::folder_page(folder.value, page_folder);
    write_text(page.value, made.html);
    return std::move(made.figures);
  });
}

py::object dict_of(const std::optional<experiments::AttackCost>& attack) {
  if (!attack) return py::none();
  return py::dict("name"_a = attack->name, "examples"_a = attack->examples, "seconds"_a = attack->seconds,
                  "log2_operations"_a = attack->log2_operations, "beyond"_a = attack->beyond,
                  "guarantee"_a = attack->guarantee);
}

py::dict dict_of(const statistics::Estimate& estimate) {
  return py::dict("value"_a = estimate.value, "low"_a = estimate.interval.low,
                  "high"_a = estimate.interval.high);
}

/// What is known of how hard an instance is, as the class Hardness of the package has it.
py::dict hardness_of(const SpecOrText& spec, const Rational& tolerance,
                     std::optional<Whole<"degree">> degree) {
  const Spec named = study::source_spec(spec_of(spec).str());
  experiments::HardnessOptions options{.tolerance = tolerance};
  if (degree) options.degree = static_cast<int>(std::min<std::int64_t>(*degree, sq::max_low_degree + 1));
  const experiments::HardnessProfile profile =
      interruptibly([&](const RunContext&) { return experiments::hardness_profile(named, options); });
  py::list bounds, learners;
  for (const experiments::ProvedBound& bound : profile.bounds)
    bounds.append(py::dict("of"_a = bound.of, "at_least"_a = bound.at_least, "meaning"_a = bound.meaning));
  for (const study::LearnerCost& one : profile.learners) {
    const bool fits = !one.no_fit;
    learners.append(py::dict("learner"_a = one.learner, "no_fit"_a = one.no_fit,
                             "examples"_a = fits ? py::object(dict_of(one.examples)) : py::none(),
                             "seconds"_a = fits ? py::object(dict_of(one.seconds)) : py::none(),
                             "measured"_a = one.measured, "extrapolated"_a = one.beyond,
                             "complete"_a = experiments::ends_with_the_layer(one.learner)));
  }
  return py::dict("spec"_a = profile.spec.str(), "bounds"_a = bounds, "learners"_a = learners,
                  "remarks"_a = profile.remarks, "unlike"_a = profile.unlike,
                  "gadget"_a = dict_of(profile.gadget), "attack"_a = dict_of(profile.attack),
                  "verdict"_a = profile.verdict());
}

void bind_finding(py::module_& module) {
  Record<Finding> finding(module, "Finding", "What became of one claim (docs/claims.md).");
  add_described(finding);
  finding.python().def(pickled_as_json<Finding>("a pickled finding"));
}

void bind_distinguishing(py::module_& module) {
  using Result = DistinguishResult;
  Record<Result> result(
      module, "DistinguishResult",
      "How well true labels are told from unrelated ones; advantage = 2 right / trials - 1.");
  add_described(result);
  result.python().def(pickled_as_json<Result>("a pickled result"));
}

}  // namespace

void bind_experiments(py::module_& module) {
  bind_finding(module);
  bind_distinguishing(module);
  module.def("_distinguish", &distinguish);
  module.def("_hardness", &hardness_of);
  module.def("_reproduce", &reproduce);
  module.def("_report", &write_page);
}

}  // namespace hardhead::python
