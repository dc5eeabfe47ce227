#include "study/cost/hard_presets.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <mutex>

#include "base/error.h"
#include "study/cost/cost_fit.h"

namespace hardhead::study {
namespace {

constexpr int most_features = 128, most_hidden = 40, parity_tokens = 2;

/// As compiled in: found once.
const Spec& own_spec(std::size_t preset) {
  static std::mutex mutex;
  static std::array<std::optional<Spec>, 3> found;
  const std::lock_guard lock(mutex);
  if (!found[preset]) found[preset] = preset_spec(hard_presets()[preset]);
  return *found[preset];
}

}  // namespace

std::span<const HardPreset> hard_presets() {
  static const std::array<HardPreset, 3> all{
      {{"hard-1h", 3600,
        "a parity layer that is predicted to take each learner measured an hour at least; none is told "
        "the gadget"},
       {"hard-1d", 86'400, "the same with a day"},
       {"hard-1y", 31'557'600, "the same with a year"}}};
  return all;
}

Spec preset_spec(const HardPreset& preset, std::span<const MeasuredCost> costs) {
  std::vector<CostFit> fits = cost_fits("parity", {most_features, parity_tokens}, costs);
  std::erase_if(fits, [](const CostFit& fit) { return fit.no_fit().has_value(); });
  if (fits.empty())
    throw InputError(
        fmt::format("{}: no learner's costs on parity layers have a fit yet (claim R6)", preset.name));
  const int measured = std::ranges::min(fits, {}, &CostFit::largest_m).largest_m();
  for (int m = measured; m <= most_hidden; ++m)
    for (int d = m + 2; d <= most_features; ++d)
      if (std::ranges::all_of(
              fits, [&](const CostFit& fit) { return fit.at(d, m).seconds.interval.low >= preset.seconds; }))
        return Spec::parse(fmt::format("parity:d={},m={}", d, m));
  throw InputError(
      fmt::format("{}: of parity layers with m = {} .. {} and d of at most {}, none is predicted "
                  "to take so long",
                  preset.name, measured, most_hidden, most_features));
}

Spec source_spec(std::string_view text) {
  Spec spec = Spec::parse(text);
  const std::span<const HardPreset> presets = hard_presets();
  const auto named = std::ranges::find(presets, spec.name, &HardPreset::name);
  if (named == presets.end()) return spec;
  const std::string rest = Spec{"", spec.values}.str();
  const std::string preset = own_spec(static_cast<std::size_t>(named - presets.begin())).str();
  return spec.values.empty() ? Spec::parse(preset) : Spec::parse(preset + "," + rest.substr(1));
}

}  // namespace hardhead::study
