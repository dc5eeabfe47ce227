#include <ClpConfig.h>
#include <NTL/version.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmp.h>
#include <mpfr.h>
#include <tbb/info.h>
#include <tbb/version.h>
#include <unistd.h>
#include <boost/version.hpp>
#if __has_include(<fplll/fplll_config.h>)
#include <fplll/fplll_config.h>
#endif

#include <Eigen/Core>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/cpu/cpu_features.h"
#include "app/mpi_communicator.h"
#include "app/output.h"
#include "base/numeric/simd.h"
#include "base/version.h"
#include "experiments/self_test.h"
#include "lwe/attacks/attack.h"
#include "study/report/json.h"
#include "study/run/run.h"

namespace hardhead::app {
namespace {

namespace fs = std::filesystem;

struct DoctorOptions {
  CommonOptions common;
};

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
  return {
      {"hardhead", version()},
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
      {"MPFR", MPFR_VERSION_STRING},
      optional_program("gnuplot", "report and reproduce cannot draw (Debian's package: gnuplot-nox)"),
      optional_program("chromium", "the test of the report's page is skipped; nothing else needs it"),
  };
}

/// "avx512 runs; baseline, avx2 can be chosen".
std::string kernels() {
  std::vector<std::string> others;
  for (const SimdTarget target : simd_targets())
    if (target != simd_target()) others.push_back(name_of(target));
  return fmt::format(
      "{}{}", name_of(simd_target()),
      others.empty() ? "" : fmt::format("; HARDHEAD_SIMD can choose {}", fmt::join(others, ", ")));
}

struct Extension {
  const char* name;
  bool built, cpu;
};

std::vector<Extension> extensions() {
#ifdef __x86_64__
  const CpuFeatures cpu = cpu_features();
  return {{"AVX2", built_for.avx2, cpu.avx2},
          {"FMA", built_for.fma, cpu.fma},
          {"BMI2", built_for.bmi2, cpu.bmi2},
          {"AVX-512", built_for.avx512, cpu.avx512}};
#else
  return {};
#endif
}

std::string text(const std::vector<Part>& found, const std::vector<experiments::SelfTest>& self_tests) {
  Rows rows = {{"part", "found", "what is not available"}};
  for (const Part& part : found) rows.push_back({part.name, part.found, part.note});
  rows.push_back({"cores", std::to_string(tbb::info::default_concurrency()), ""});
  rows.push_back({"kernels", kernels(), ""});
  for (const Extension& simd : extensions())
    rows.push_back({simd.name, simd.built ? "built for it" : "not built for it",
                    simd.cpu ? "" : "this CPU does not have it"});
  std::string out = table(rows) + "\n";
  for (const experiments::SelfTest& test : self_tests)
    out += test.ok() ? fmt::format("ok      {} ({:.2f} s)\n", test.name, test.seconds)
                     : fmt::format("FAILED  {}: {}\n", test.name, test.reason);
  return out;
}

Json json(const std::vector<Part>& found, const std::vector<experiments::SelfTest>& self_tests) {
  Json out = report::report_json("machine", {{"cores", tbb::info::default_concurrency()}});
  for (const Part& part : found)
    out["parts"].push_back({{"name", part.name}, {"found", part.found}, {"without", part.note}});
  out["kernels"]["target"] = name_of(simd_target());
  for (const SimdTarget target : simd_targets()) out["kernels"]["targets"].push_back(name_of(target));
  out["simd"] = Json::array();
  for (const Extension& simd : extensions())
    out["simd"].push_back({{"name", simd.name}, {"built", simd.built}, {"cpu", simd.cpu}});
  for (const experiments::SelfTest& test : self_tests)
    out["self_tests"].push_back(
        {{"name", test.name}, {"ok", test.ok()}, {"reason", test.reason}, {"seconds", test.seconds}});
  return out;
}

Answer run(const DoctorOptions& options, const RunContext& context) {
  const std::vector<experiments::SelfTest> self_tests = experiments::self_test(context);
  const bool healthy = std::ranges::all_of(self_tests, &experiments::SelfTest::ok);
  return {.text = options.common.json ? text_of(json(parts(), self_tests)) : text(parts(), self_tests),
          .code = healthy ? ExitCode::answered : ExitCode::our_bug};
}

}  // namespace

Command doctor_command() {
  return make_command({.name = "doctor",
                       .summary = "versions, cores, SIMD, optional parts, and a self-test of ten seconds at "
                                  "most; exit 1 if it fails",
                       .examples = {"hardhead doctor"}},
                      FlagTable<DoctorOptions>(), run);
}

}  // namespace hardhead::app
