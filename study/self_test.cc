#include "study/self_test.h"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "attention/data_file.h"
#include "base/temporary_folder.h"
#include "hardness/family.h"
#include "lwe/attack.h"
#include "sq/walsh_hadamard.h"
#include "study/run.h"

namespace hardhead::study {
namespace {

// Each says what is wrong, or nothing.

std::string learns_a_nice_layer(const RunControl& control) {
  RunOptions options;
  options.method = Spec::parse("gauss-newton");
  options.heads = 2;
  options.examples = 2000;
  options.time_limit_seconds = 5;
  const RunResult result = run(open_problem("nice:d=8,k=2,m=2,seed=3", {}), options, control);
  return result.outcome == Outcome::recovered
             ? ""
             : fmt::format("{}, test error {:.3g}", to_string(result.outcome), result.test_error);
}

std::string labels_are_those_of_the_layer(const RunControl&) {
  const hardness::Instance instance = hardness::make_instance(Spec::parse("parity:d=6,m=2"));
  const attention::EnumerationSource inputs(instance.teacher, instance.layer.d, instance.k);
  attention::Block exact(instance.layer.d, instance.k, inputs.size());
  inputs.read(0, exact);
  attention::Block forward = exact;
  attention::LayerTeacher(instance.layer).label(forward);
  const double furthest = (exact.y - forward.y).cwiseAbs().maxCoeff();
  return furthest <= 1e-9 ? "" : fmt::format("a label is off by {:.3g}", furthest);
}

std::string transforms_back(const RunControl&) {
  constexpr int n = 12;
  std::vector<std::int64_t> x(std::size_t{1} << n);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::int64_t>(i * i % 1009) - 500;
  std::vector<std::int64_t> y = x;
  sq::walsh_hadamard(y, n);
  sq::walsh_hadamard(y, n);
  for (std::size_t i = 0; i < x.size(); ++i)
    if (y[i] != x[i] << n) return fmt::format("entry {} is {}, not {}", i, y[i], x[i] << n);
  return "";
}

std::string solves_a_small_lwe(const RunControl& control) {
  const lwe::Recipe recipe = lwe::Recipe::parse(Spec::parse("lwe:n=8,q=97,sigma=1,samples=40"));
  const lwe::Samples samples = lwe::Sampler(recipe.parameters, recipe.seed).draw(0, recipe.samples);
  const auto attempts = lwe::attack_auto({recipe.parameters, samples}, 5, control);
  if (attempts.empty()) return "no attack applies";
  return attempts.back().solved() ? "" : attempts.back().message;
}

std::string reads_what_it_wrote(const RunControl& control) {
  const TemporaryFolder folder("hardhead-doctor");
  const std::string file = folder.file("data.safetensors");
  const Problem problem = open_problem("parity:d=6,m=2", {});
  constexpr std::int64_t count = 1000;
  attention::write_data(file, *problem.training, count, {}, control);
  const attention::FileSource read(file);
  return attention::content_digest(read, count, control) ==
                 attention::content_digest(*problem.training, count, control)
             ? ""
             : fmt::format("{} holds other examples than were written", file);
}

constexpr std::pair<const char*, std::string (*)(const RunControl&)> tests[] = {
    {"Gauss-Newton recovers a nice layer", learns_a_nice_layer},
    {"exact labels of a parity layer are those of its forward pass", labels_are_those_of_the_layer},
    {"a Walsh-Hadamard transform and back", transforms_back},
    {"an attack solves LWE with n = 8, verified", solves_a_small_lwe},
    {"a data file is read as it was written", reads_what_it_wrote},
};

}  // namespace

std::vector<SelfTest> self_test(const RunControl& control) {
  std::vector<SelfTest> out;
  for (const auto& [name, test] : tests) {
    control.check();
    const Stopwatch watch;
    std::string reason;
    try {
      reason = test(control);
    } catch (const std::exception& error) {
      reason = error.what();
    }
    out.push_back({name, std::move(reason), watch.seconds()});
  }
  return out;
}

}  // namespace hardhead::study
