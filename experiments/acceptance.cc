#include "experiments/acceptance.h"

#include <fmt/format.h>

#include <algorithm>

#include "attention/samples/sample_source.h"
#include "base/error.h"
#include "learner/certificate/harvest.h"

namespace hardhead::experiments {

std::vector<double> certificate_scores(const attention::Layer& layer, attention::Index k,
                                       std::int64_t examples, std::int64_t keep, std::uint64_t seed,
                                       const RunContext& context) {
  const attention::SimulatedSource source(std::make_shared<attention::LayerTeacher>(layer), layer.d, k,
                                          attention::Inputs::boolean,
                                          Stream(Domain::samples, seed, "acceptance"));
  const learner::Harvest found =
      learner::harvest({source, 0, examples}, layer.w_sum(), {.keep = keep}, context, "acceptance");
  std::vector<double> out;
  for (const learner::ScoredRow& row : found.rows) out.push_back(row.score);
  return out;
}

attention::Layer arithmetic(attention::Layer layer) {
  for (attention::Head& head : layer.heads) {
    const double s = head.theta.norm() / static_cast<double>(layer.d);
    head.theta = head.theta.unaryExpr([s](double entry) { return entry < 0 ? -s : s; });
  }
  return layer;
}

double exact_agreement(const attention::Layer& layer, attention::Index k, std::int64_t examples,
                       std::uint64_t seed, const RunContext& context) {
  constexpr std::int64_t keep = 100'000;
  const std::vector<double> scores = certificate_scores(layer, k, examples, keep, seed, context);
  const auto agreeing = std::ranges::upper_bound(scores, 1e-9) - scores.begin();
  if (agreeing == keep)
    throw InputError(
        fmt::format("acceptance: {} rows or more of {} examples agree: take fewer", keep, examples));
  return static_cast<double>(agreeing) / static_cast<double>(examples * k);
}

}  // namespace hardhead::experiments
