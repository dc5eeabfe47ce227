// Learns a nice layer from a thousand of its examples and prints how far off it is.
#include <cstdio>
#include <memory>

#include "attention/samples/sample_source.h"
#include "hardness/families/family.h"
#include "learner/learner.h"

int main() {
  using namespace hardhead;
  const auto nice = hardness::make_instance(Spec::parse("nice:d=8,k=2,m=1,seed=7"));
  const attention::SimulatedSource source(nice.teacher, nice.layer.d, nice.k, nice.inputs,
                                          Stream(Domain::samples, 1));
  const learner::Task task{.heads = 1, .examples = 1000};
  const learner::Report report = learner::learn(Spec::parse("gauss-newton"), source, task, RunContext());
  if (!report.layer) return 1;

  const attention::Matrix off = report.layer->heads[0].theta - nice.layer.heads[0].theta;
  std::printf("relative error of theta: %.1e\n", off.norm() / nice.layer.heads[0].theta.norm());
  return 0;
}
