// A claim: the values of d tokens give W_sum, whatever the Theta_i are. One file in experiments/claims/, and
// the line x(toy) in experiments/claims/registered_claims.h.
#include <fmt/format.h>

#include "base/statistics/median.h"
#include "experiments/claims/registered_claims.h"
#include "hardness/families/family.h"
#include "learner/learner.h"

namespace hardhead::experiments {
namespace {

Evidence perform(const Setting& setting, const RunContext& context) {
  Evidence out;
  out.table.columns = {"instance", "relative error of W_sum"};
  std::vector<double> errors;
  for (std::uint64_t seed = setting.seed; seed < setting.seed + (setting.quick ? 7 : 25); ++seed) {
    const auto instance = hardness::make_instance(Spec::parse(with_seed("nice:d=16,k=3,m=3", seed)));
    learner::ValueOracle oracle(instance.teacher, 16, {.tokens = 1});
    const auto report = learner::learn(Spec::parse("toy-values"), oracle, {}, context);
    const attention::Matrix w_sum = instance.layer.w_sum();
    errors.push_back((report.layer->w_sum() - w_sum).norm() / w_sum.norm());
    out.table.add({instance.spec.str(), fmt::format("{:.2g}", errors.back())});
  }
  out.reason = median_text(errors);
  out.verdict = report::at_most(median_known(errors), 1e-12);
  return out;
}

}  // namespace

Experiment claims::toy() {
  return {.id = "T1",
          .title = "One value of each unit vector gives W_sum",
          .claim = "F(x) = W_sum^T x for X of one token, so d values give W_sum.",
          .source = "tests/extending",
          .method = "nice:d=16,k=3,m=3, toy-values, 25 seeds (quick: 7).",
          .criterion = "The 95% interval of the median relative error of W_sum is at most 1e-12.",
          .quick_seconds = 1,
          .full_seconds = 1,
          .perform = perform};
}

}  // namespace hardhead::experiments
