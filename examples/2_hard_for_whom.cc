// A parity hidden in an attention layer: the six phases find nothing, elimination reads it from examples.
#include <cstdio>

#include "experiments/attacks/parity_elimination.h"
#include "study/run/run.h"

int main() {
  using namespace hardhead;
  const study::Problem problem = study::open_problem("parity:d=20,m=6,seed=7", {});
  const study::RunResult run = study::run(problem, {.method = Spec::parse("sculpt")}, {});
  std::printf("sculpt: advantage %.2f, failed in phase %s\n", run.score.advantage,
              run.report.failed_phase.c_str());

  const auto found = experiments::eliminate_parity(*problem.training, problem.d - 1, 4 * problem.d);
  std::printf("elimination: %s from %ld examples\n", found.verified() ? "found" : "did not find",
              static_cast<long>(found.examples));
  return found.verified() && found.found == problem.instance->hidden ? 0 : 1;
}
