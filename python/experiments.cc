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
  module.def("_reproduce", &reproduce);
  module.def("_report", &write_page);
}

}  // namespace hardhead::python
