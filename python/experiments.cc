#include <nlohmann/json.hpp>

#include "base/files/atomic_file.h"
#include "base/text/json.h"
#include "experiments/claims/reproduce.h"
#include "experiments/distinguish.h"
#include "python/described.h"
#include "python/samples.h"
#include "study/report/finding.h"
#include "study/results/folder_page.h"

namespace hardhead::python {
namespace {

using experiments::DistinguishResult;
using report::Finding;

DistinguishResult distinguish(const SpecOrText& spec, const SpecOrText& method, std::optional<Heads> heads,
                              std::optional<Examples> examples, Whole<"trials"> trials, Seed<> seed,
                              std::optional<Real<"time_limit", Reals::limit>> time_limit,
                              const Progress& progress) {
  experiments::DistinguishOptions how;
  how.method = learner_of(method);
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
    AtomicFile file(page.value);
    file.stream() << made.html;
    file.commit();
    return std::move(made.figures);
  });
}

void bind_finding(py::module_& module) {
  Record<Finding> finding(module, "Finding", "What became of one claim (docs/claims.md).");
  add_described(finding);
  finding.python().def(py::pickle([](const Finding& f) { return text_of_json(report::to_json(f)); },
                                  [](const std::string& text) {
                                    return report::finding_from_json(
                                        parse_json<nlohmann::ordered_json>(text, 16), "a pickled finding");
                                  }));
}

void bind_distinguishing(py::module_& module) {
  using Result = DistinguishResult;
  Record<Result> result(
      module, "DistinguishResult",
      "How well true labels are told from unrelated ones; advantage = 2 right / trials - 1.");
  result.field("method", &Result::method)
      .field("trials", &Result::trials)
      .field("right", &Result::right)
      .field("advantage", &Result::advantage)
      .field("interval", [](const Result& r) { return ends(r.interval); })
      .field("true_trials", &Result::true_trials)
      .field("said_true_of_true", &Result::said_true_of_true)
      .field("said_true_of_unrelated", &Result::said_true_of_unrelated)
      .field("true_errors", &Result::true_errors)
      .field("unrelated_errors", &Result::unrelated_errors)
      .field("seconds", &Result::seconds);
  result.python().def(py::pickle(
      [](const Result& r) {
        return py::make_tuple(r.method, r.trials, r.right, r.true_trials, r.said_true_of_true,
                              r.said_true_of_unrelated, r.advantage, *ends(r.interval), r.true_errors,
                              r.unrelated_errors, r.seconds);
      },
      [](const py::tuple& state) {
        const auto [low, high] = state[7].cast<std::pair<double, double>>();
        return Result{.method = state[0].cast<std::string>(),
                      .trials = state[1].cast<std::int64_t>(),
                      .right = state[2].cast<std::int64_t>(),
                      .true_trials = state[3].cast<std::int64_t>(),
                      .said_true_of_true = state[4].cast<std::int64_t>(),
                      .said_true_of_unrelated = state[5].cast<std::int64_t>(),
                      .advantage = state[6].cast<double>(),
                      .interval = {low, high},
                      .true_errors = state[8].cast<std::vector<double>>(),
                      .unrelated_errors = state[9].cast<std::vector<double>>(),
                      .seconds = state[10].cast<double>()};
      }));
}

}  // namespace

void bind_experiments(py::module_& module) {
  bind_finding(module);
  bind_distinguishing(module);
  module.def("_distinguish", &distinguish);
  module.def("_reproduce", &reproduce);
  module.def("_report", &write_page);
}

}  // namespace hardhead::python
