#include <ClpConfig.h>
#include <NTL/version.h>
#include <fmt/format.h>
#include <gmp.h>
#include <tbb/info.h>
#include <tbb/version.h>
#include <unistd.h>
#include <boost/version.hpp>
#if __has_include(<fplll/fplll_config.h>)
#include <fplll/fplll_config.h>
#endif
#if __has_include(<mpfr.h>)
#include <mpfr.h>
#endif

#include <Eigen/Core>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/lwe.h"
#include "app/mpi_team.h"
#include "app/output.h"
#include "attention/data_file.h"
#include "base/temporary_folder.h"
#include "hardness/family.h"
#include "sq/walsh_hadamard.h"

namespace hardhead::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct Part {
  std::string name, found, note{};
};

bool on_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (::access((fs::path(folder) / program).c_str(), X_OK) == 0) return true;
  return false;
}

Part optional_program(const std::string& name, const std::string& without) {
  return on_path(name) ? Part{name, "on PATH"} : Part{name, "missing", without};
}

Part fplll() {
  const lwe::Recipe recipe = lwe::Recipe::parse(Spec::parse("lwe:n=8,q=97,sigma=1,samples=40"));
  const auto why_not =
      lwe::find_attack("kannan-fplll").cost(recipe.parameters, recipe.samples).not_applicable;
  if (why_not) return {"fplll", "missing", "the attack kannan-fplll does not run: " + *why_not};
#ifdef FPLLL_MAJOR_VERSION
  return {"fplll", fmt::format("{}.{}.{}", FPLLL_MAJOR_VERSION, FPLLL_MINOR_VERSION, FPLLL_MICRO_VERSION)};
#else
  return {"fplll", "present"};
#endif
}

Part mpi() {
  const std::string library = mpi_library();
  if (library.empty())
    return {"MPI", "missing", "one process only (Debian's packages: libopenmpi-dev, openmpi-bin)"};
  return {"MPI", library};
}

std::vector<Part> parts() {
  std::vector<Part> out = {
      {"hardhead", study::version()},
#ifdef __clang__
      {"compiler", __VERSION__},
#else
      {"compiler", "g++ " __VERSION__},
#endif
      {"Eigen", fmt::format("{}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION)},
      {"Boost",
       fmt::format("{}.{}.{}", BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000, BOOST_VERSION % 100)},
      {"NTL", NTL_VERSION},
      {"oneTBB", TBB_runtime_version()},
      {"GMP", gmp_version},
      {"Clp", CLP_VERSION},
      fplll(),
      mpi(),
  };
#ifdef MPFR_VERSION_STRING
  out.push_back({"MPFR", MPFR_VERSION_STRING});
#else
  out.push_back({"MPFR", "missing", "only fplll needs it"});
#endif
  out.push_back(
      optional_program("gnuplot", "report and reproduce cannot draw (Debian's package: gnuplot-nox)"));
  out.push_back(
      optional_program("chromium", "the test of the report's page is skipped; nothing else needs it"));
  return out;
}

struct Extension {
  const char* name;
  bool built, cpu;
};

std::vector<Extension> extensions() {
#ifdef __x86_64__
#ifdef __AVX2__
  constexpr bool avx2 = true;
#else
  constexpr bool avx2 = false;
#endif
#ifdef __FMA__
  constexpr bool fma = true;
#else
  constexpr bool fma = false;
#endif
#ifdef __AVX512F__
  constexpr bool avx512 = true;
#else
  constexpr bool avx512 = false;
#endif
  return {{"AVX2", avx2, __builtin_cpu_supports("avx2") != 0},
          {"FMA", fma, __builtin_cpu_supports("fma") != 0},
          {"AVX-512", avx512, __builtin_cpu_supports("avx512f") != 0}};
#else
  return {};
#endif
}

/// A self-test says what is wrong, or nothing.
using SelfTest = std::string (*)(const RunControl& control);

std::string learns_a_nice_layer(const RunControl& control) {
  study::RunOptions options;
  options.method = Spec::parse("gauss-newton");
  options.heads = 2;
  options.examples = 2000;
  options.time_limit_seconds = 5;
  const study::RunResult result =
      study::run(study::open_problem("nice:d=8,k=2,m=2,seed=3", {}), options, control);
  return result.outcome == study::Outcome::recovered
             ? ""
             : fmt::format("{}, test error {}", to_string(result.outcome), brief(result.test_error));
}

std::string labels_are_those_of_the_layer(const RunControl&) {
  const hardness::Instance instance = hardness::make_instance(Spec::parse("parity:d=6,m=2"));
  const attention::EnumerationSource inputs(instance.teacher, instance.layer.d, instance.k);
  attention::Block exact(instance.layer.d, instance.k, inputs.size());
  inputs.read(0, exact);
  attention::Block forward = exact;
  attention::LayerTeacher(instance.layer).label(forward);
  const double furthest = (exact.y - forward.y).cwiseAbs().maxCoeff();
  return furthest <= 1e-9 ? "" : fmt::format("a label is off by {}", brief(furthest));
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
  const auto attempts = lwe::attack_auto(open_challenge("lwe:n=8,q=97,sigma=1,samples=40"), 5, control);
  if (attempts.empty()) return "no attack applies";
  return attempts.back().solved() ? "" : attempts.back().message;
}

std::string reads_what_it_wrote(const RunControl& control) {
  const TemporaryFolder folder("hardhead-doctor");
  const std::string file = folder.file("data.safetensors");
  const study::Problem problem = study::open_problem("parity:d=6,m=2", {});
  constexpr std::int64_t count = 1000;
  attention::write_data(file, *problem.training, count, {}, control);
  const attention::FileSource read(file);
  return attention::content_digest(read, count, control) ==
                 attention::content_digest(*problem.training, count, control)
             ? ""
             : fmt::format("{} holds other examples than were written", file);
}

constexpr std::pair<const char*, SelfTest> self_tests[] = {
    {"Gauss-Newton recovers a nice layer", learns_a_nice_layer},
    {"exact labels of a parity layer are those of its forward pass", labels_are_those_of_the_layer},
    {"a Walsh-Hadamard transform and back", transforms_back},
    {"an attack solves LWE with n = 8, verified", solves_a_small_lwe},
    {"a data file is read as it was written", reads_what_it_wrote},
};

struct Finding {
  std::string test, reason;  ///< no reason: ok
  double seconds = 0;
};

Finding examine(const std::pair<const char*, SelfTest>& test, const RunControl& control) {
  Finding out{test.first, ""};
  const auto begun = std::chrono::steady_clock::now();
  try {
    out.reason = test.second(control);
  } catch (const Stopped&) {
    throw;
  } catch (const std::exception& error) {
    out.reason = error.what();
  }
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  return out;
}

std::string text(const std::vector<Part>& found, const std::vector<Finding>& findings) {
  std::vector<std::vector<std::string>> rows = {{"part", "found", "what is not available"}};
  for (const Part& part : found) rows.push_back({part.name, part.found, part.note});
  rows.push_back({"cores", std::to_string(tbb::info::default_concurrency()), ""});
  for (const Extension& simd : extensions())
    rows.push_back({simd.name, simd.built ? "built for it" : "not built for it",
                    simd.cpu     ? ""
                    : simd.built ? "THIS CPU HAS IT NOT"
                                 : "this CPU has it not"});
  std::string out = table(rows) + "\n";
  for (const Finding& finding : findings)
    out += finding.reason.empty() ? fmt::format("ok      {} ({:.2f} s)\n", finding.test, finding.seconds)
                                  : fmt::format("FAILED  {}: {}\n", finding.test, finding.reason);
  return out;
}

Json json(const std::vector<Part>& found, const std::vector<Finding>& findings) {
  Json out{{"schema", "hardhead.report/1"}, {"cores", tbb::info::default_concurrency()}};
  for (const Part& part : found)
    out["parts"].push_back({{"name", part.name}, {"found", part.found}, {"without", part.note}});
  out["simd"] = Json::array();
  for (const Extension& simd : extensions())
    out["simd"].push_back({{"name", simd.name}, {"built", simd.built}, {"cpu", simd.cpu}});
  for (const Finding& finding : findings)
    out["self_tests"].push_back({{"name", finding.test},
                                 {"ok", finding.reason.empty()},
                                 {"reason", finding.reason},
                                 {"seconds", finding.seconds}});
  return out;
}

Answer run(const Settings& settings, const RunControl& control) {
  std::vector<Finding> findings;
  Answer answer;
  for (const auto& test : self_tests) {
    findings.push_back(examine(test, control));
    if (!findings.back().reason.empty()) answer.code = ExitCode::our_bug;
  }
  answer.text = settings.json ? text_of(json(parts(), findings)) : text(parts(), findings);
  return answer;
}

}  // namespace

Command doctor_command() {
  return {"doctor",
          "versions, cores, SIMD, optional parts, and a self-test of ten seconds at most; exit 1 if it fails",
          {},
          {},
          {},
          {"hardhead doctor"},
          run};
}

}  // namespace hardhead::app
