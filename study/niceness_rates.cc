#include "study/niceness_rates.h"

#include "study/named_source.h"
#include "study/series.h"

namespace hardhead::study {

using hardness::Condition;
using hardness::Verdict;

NicenessRates niceness_rates(const std::string& source, std::uint64_t first_seed, std::int64_t seeds,
                             std::optional<attention::Index> tokens, const Parameters& constants,
                             const RunControl& control) {
  const Series series(source, first_seed);
  NicenessRates out{series.label(), {}};
  for (std::int64_t i = 0; i < seeds; ++i) {
    const std::string member = series.member(i);
    control.progress(member, static_cast<double>(i) / static_cast<double>(seeds));
    const NamedLayer named = open_layer(member);
    const std::vector<Condition> worst =
        hardness::certify_worst(named.layer, tokens ? tokens : named.k, constants, control).conditions;
    if (out.conditions.empty())
      for (const Condition& c : worst) out.conditions.push_back({c, 0, 0, {}, {}});
    for (std::size_t c = 0; c < worst.size(); ++c) {
      if (worst[c].verdict == Verdict::not_applicable) continue;
      NicenessRate& rate = out.conditions[c];
      ++(worst[c].verdict == Verdict::pass ? rate.holds : rate.fails);
      rate.values.push_back(worst[c].value);
      rate.flips.push_back(worst[c].constant_at_flip);
    }
  }
  return out;
}

}  // namespace hardhead::study
