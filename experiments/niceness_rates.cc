#include "experiments/niceness_rates.h"

#include "study/problem/source.h"

namespace hardhead::experiments {

using hardness::Condition;
using hardness::ConditionStatus;

NicenessRates niceness_rates(const std::string& source, std::uint64_t first_seed, std::int64_t seeds,
                             std::optional<attention::Index> tokens,
                             const hardness::NicenessConstants& constants, const RunContext& context) {
  const study::SourceSeries series(source);
  NicenessRates out{series.label(), {}};
  for (std::int64_t i = 0; i < seeds; ++i) {
    const study::Source member = series.member(i, first_seed);
    context.progress.report(member.name(), static_cast<double>(i) / static_cast<double>(seeds));
    const study::NamedLayer named = study::open_layer(member);
    const std::vector<Condition> worst =
        hardness::certify_worst(named.layer, tokens ? tokens : named.k, constants, context.stop).conditions;
    if (out.conditions.empty())
      for (const Condition& c : worst) out.conditions.push_back({c, 0, 0, {}, {}});
    for (std::size_t c = 0; c < worst.size(); ++c) {
      if (worst[c].status == hardness::ConditionStatus::not_applicable) continue;
      NicenessRate& rate = out.conditions[c];
      ++(worst[c].status == hardness::ConditionStatus::pass ? rate.holds : rate.fails);
      rate.values.push_back(worst[c].value);
      rate.flips.push_back(worst[c].constant_at_flip);
    }
  }
  return out;
}

}  // namespace hardhead::experiments
