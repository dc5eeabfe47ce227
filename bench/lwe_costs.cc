// Predicted against measured: every attack on the sizes it is for, and the lattice attack for n = 8 .. 60.
// Prints a markdown table: seconds the cost model predicts, median measured, how many seeds were solved and
// verified; and beside it the n = 40 lattice attack and fplll's own command line on the same embedding.
//
// Arguments: seeds a row (default 5), largest n of the lattice rows (default 60), seconds an attack may take
// (default 120).
#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "bench/study_program.h"
#include "lwe/attacks/attack.h"
#include "lwe/attacks/embedding.h"
#include "lwe/files/matrix_file.h"
#include "statistics/median.h"
#include "study/sweep/compare.h"

namespace {

using namespace hardhead;

struct Row {
  std::string method, problem;
};

std::vector<Row> rows(std::int64_t largest) {
  std::vector<Row> out;
  for (std::int64_t n = 8; n <= largest; n += n < 40 ? 8 : 4)
    for (const char* method : {"kannan", "kannan-fplll"})
      out.push_back({method, fmt::format("lwe:n={},q=12289,sigma=3.2,samples={}", n, 2 * n)});
  const auto add = [&](const char* method, std::initializer_list<const char*> problems) {
    for (const char* problem : problems) out.push_back({method, problem});
  };
  add("kannan", {"lwe:n=60,q=12289,samples=120,secret=binary", "lwr:n=16,q=257,p=16,samples=64",
                 "lwr:n=16,q=4096,p=256,samples=64", "lwr:n=32,q=4096,p=256,samples=96"});
  add("elimination",
      {"lpn:n=64,rate=0,samples=256", "lpn:n=1024,rate=0,samples=2048", "lwe:n=128,sigma=0,samples=256"});
  add("exhaustive", {"lpn:n=16,samples=400", "lpn:n=24,samples=800", "lwr:n=4,samples=100",
                     "lwr:n=6,samples=100", "lwr:n=8,samples=100", "lwe:n=32,secret=binary,samples=64"});
  add("mitm", {"lwe:n=16,secret=binary,samples=48", "lwe:n=24,secret=binary,samples=48",
               "lwe:n=32,secret=binary,samples=64", "lwe:n=40,secret=binary,samples=64",
               "lwr:n=24,q=4096,p=256,secret=binary,samples=64"});
  add("bkw", {"lpn:n=16,samples=100000", "lpn:n=24,samples=100000", "lpn:n=32,samples=1000000",
              "lwe:n=4,q=101,sigma=1,samples=200000", "lwe:n=6,q=101,sigma=1,samples=200000",
              "lwe:n=8,q=101,sigma=1,samples=200000", "lwr:n=8,samples=50000", "lwr:n=10,samples=400000"});
  add("arora-ge",
      {"lwe:n=8,q=101,noise=binary,sigma=0,samples=200", "lwe:n=12,q=101,noise=binary,sigma=0,samples=200",
       "lwe:n=24,q=101,noise=binary,sigma=0,samples=500", "lwr:n=8,q=11,p=4,samples=400"});
  return out;
}

void measure(const Row& row, std::int64_t seeds, double limit, const RunContext& context) {
  std::vector<double> seconds;
  std::int64_t solved = 0;
  lwe::AttackReport report;
  for (std::int64_t seed = 1; seed <= seeds; ++seed) {
    context.stop.check();
    const auto recipe = lwe::Recipe::parse(Spec::parse(fmt::format("{},seed={}", row.problem, seed)));
    const lwe::Sampler sampler(recipe.parameters, recipe.seed);
    const lwe::Challenge challenge{recipe.parameters, sampler.draw(0, recipe.samples)};
    report = lwe::attack(challenge, lwe::find_attack(row.method), limit, context);
    solved += report.solved() && report.secret == sampler.secret() ? 1 : 0;
    seconds.push_back(report.seconds);
  }
  fmt::print("| {} | `{}` | {:.3g} | {:.3g} | {} of {} | {} |\n", row.method, row.problem,
             report.predicted.seconds, statistics::median(seconds), solved, seeds, report.message);
  std::fflush(stdout);
}

/// The same embeddings through fplll's command line: process start, reading and printing included, nothing
/// looked for.
void side_by_side(std::int64_t seeds, const RunContext& context) {
  const std::string file =
      (std::filesystem::temp_directory_path() / fmt::format("hardhead-{}.fplll", ::getpid())).string();
  std::vector<double> ntl, library, lll, all_lll, all_bkz;
  const auto tool = [&](const std::string& how) {
    const Stopwatch watch;
    const int status = std::system(fmt::format("fplll {} {} > {}.out", how, file, file).c_str());
    return status == 0 ? watch.seconds() : NAN;
  };
  for (std::int64_t seed = 1; seed <= seeds; ++seed) {
    context.stop.check();
    const auto recipe = lwe::Recipe::parse(Spec::parse(fmt::format("lwe:n=40,samples=80,seed={}", seed)));
    const lwe::Challenge challenge{recipe.parameters,
                                   lwe::Sampler(recipe.parameters, recipe.seed).draw(0, 80)};
    ntl.push_back(lwe::attack(challenge, lwe::find_attack("kannan"), 60, context).seconds);
    library.push_back(lwe::attack(challenge, lwe::find_attack("kannan-fplll"), 60, context).seconds);
    const std::int64_t m = lwe::plan_embedding(challenge.parameters, 80).m;
    lwe::write_fplll_matrix(file, lwe::Embedding(challenge, m).basis());
    lll.push_back(tool("-a lll -d 0.99"));
    lwe::write_fplll_matrix(file, lwe::Embedding(challenge, 80).basis());
    all_lll.push_back(tool("-a lll -d 0.99"));
    all_bkz.push_back(tool("-a bkz -b 20"));
  }
  std::filesystem::remove(file);
  std::filesystem::remove(file + ".out");
  fmt::print(
      "\n| n = 40, q = 12289, sigma = 3.2, 80 samples, {} seeds | median s |\n|---|---|\n"
      "| `kannan` (NTL), secret found and verified | {:.3g} |\n| `kannan-fplll`, secret found and verified | "
      "{:.3g} |\n"
      "| `fplll -a lll` on the embedding that both use | {:.3g} |\n| `fplll -a lll` on that of all 80 "
      "samples | {:.3g} |\n"
      "| `fplll -a bkz -b 20` on that of all 80 samples | {:.3g} |\n",
      seeds, statistics::median(ntl), statistics::median(library), statistics::median(lll),
      statistics::median(all_lll), statistics::median(all_bkz));
}

}  // namespace

int main(int argc, char** argv) {
  return bench::run_study([&](const RunContext& context) {
    const std::int64_t seeds = bench::integer_argument(argc, argv, 1, 5, 1, 1000);
    const std::int64_t largest = bench::integer_argument(argc, argv, 2, 60, 0, 200);
    const auto limit = static_cast<double>(bench::integer_argument(argc, argv, 3, 120, 1, 86400));
    fmt::print(
        "| attack | problem | predicted s | measured s | solved and verified | last run "
        "|\n|---|---|---|---|---|---|\n");
    for (const Row& row : rows(largest)) measure(row, seeds, limit, context);
    side_by_side(seeds, context);
  });
}
