#include "experiments/self_test.h"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "attention/files/data_file.h"
#include "base/files/temporary_folder.h"
#include "base/numeric/walsh_hadamard.h"
#include "hardness/families/family.h"
#include "lwe/attacks/attack.h"
#include "study/run/run.h"

namespace hardhead::experiments {
namespace {

// Each says what is wrong, or nothing.

std::string learns_a_nice_layer(const RunContext& context) {
  study::RunOptions options;
  options.method = Spec::parse("gauss-newton");
  options.task.heads = 2;
  options.task.examples = 2000;
  options.task.time_limit_seconds = 5;
  const study::RunResult result = run(study::open_problem("nice:d=8,k=2,m=2,seed=3", {}), options, context);
  return result.score.outcome == study::Outcome::recovered
             ? ""
             : fmt::format("{}, test error {:.3g}", name_of(result.score.outcome), result.score.test_error);
}

std::string labels_are_those_of_the_layer(const RunContext&) {
  const hardness::Instance instance = hardness::make_instance(Spec::parse("parity:d=6,m=2"));
  const attention::EnumerationSource inputs(instance.teacher, instance.layer.d, instance.k);
  attention::Block exact(instance.layer.d, instance.k, inputs.size());
  inputs.read(0, exact);
  attention::Block forward = exact;
  attention::LayerTeacher(instance.layer).label(forward);
  const double furthest = (exact.y - forward.y).cwiseAbs().maxCoeff();
  return furthest <= 1e-9 ? "" : fmt::format("a label is off by {:.3g}", furthest);
}

std::string transforms_back(const RunContext&) {
  constexpr int n = 12;
  std::vector<std::int64_t> x(std::size_t{1} << n);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::int64_t>(i * i % 1009) - 500;
  std::vector<std::int64_t> y = x;
  walsh_hadamard(y, n);
  walsh_hadamard(y, n);
  for (std::size_t i = 0; i < x.size(); ++i)
    if (y[i] != x[i] << n) return fmt::format("entry {} is {}, not {}", i, y[i], x[i] << n);
  return "";
}

std::string solves_a_small_lwe(const RunContext& context) {
  const lwe::Recipe recipe = lwe::Recipe::parse(Spec::parse("lwe:n=8,q=97,sigma=1,samples=40"));
  const lwe::Samples samples = lwe::Sampler(recipe.parameters, recipe.seed).draw(0, recipe.samples);
  const auto attempts = lwe::attack_auto({recipe.parameters, samples}, 5, context);
  if (attempts.empty()) return "no attack applies";
  return attempts.back().solved() ? "" : attempts.back().message;
}

std::string reads_what_it_wrote(const RunContext& context) {
  const TemporaryFolder folder("hardhead-doctor");
  const std::string file = folder.file("data.safetensors");
  const study::Problem problem = study::open_problem("parity:d=6,m=2", {});
  constexpr std::int64_t count = 1000;
  attention::write_data(file, *problem.training, count, {}, context);
  const attention::FileSource read(file);
  return attention::content_digest(read, count, context) ==
                 attention::content_digest(*problem.training, count, context)
             ? ""
             : fmt::format("{} holds other examples than were written", file);
}

constexpr std::pair<const char*, std::string (*)(const RunContext&)> tests[] = {
    {"Gauss-Newton recovers a nice layer", learns_a_nice_layer},
    {"exact labels of a parity layer are those of its forward pass", labels_are_those_of_the_layer},
    {"a Walsh-Hadamard transform and back", transforms_back},
    {"an attack solves LWE with n = 8, verified", solves_a_small_lwe},
    {"a data file is read as it was written", reads_what_it_wrote},
};

}  // namespace

std::vector<SelfTest> self_test(const RunContext& context) {
  std::vector<SelfTest> out;
  for (const auto& [name, test] : tests) {
    context.stop.check();
    const Stopwatch watch;
    std::string reason;
    try {
      reason = test(context);
    } catch (const std::exception& error) {
      reason = error.what();
    }
    out.push_back({name, std::move(reason), watch.seconds()});
  }
  return out;
}

}  // namespace hardhead::experiments
