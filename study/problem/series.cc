#include "study/problem/series.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/seed.h"
#include "hardness/families/family.h"
#include "study/cost/hard_presets.h"
#include "study/problem/suite.h"

namespace hardhead::study {

SourceSeries::SourceSeries(const std::string& name, std::uint64_t seed) : label_(name) {
  if (names_a_file(name)) {
    fixed_.emplace(name, name);
    return;
  }
  spec_ = source_spec(name);
  const Spec canonical = hardness::find_family(spec_.name).canonical(spec_);
  if (canonical.value("seed") == nullptr) {
    fixed_.emplace(name, name);
    return;
  }
  first_ = spec_.value("seed") != nullptr ? std::stoull(*canonical.value("seed")) : seed;
  std::erase_if(spec_.values, [](const auto& value) { return value.first == "seed"; });
  label_ = spec_.str();
}

Source SourceSeries::numbered(std::uint64_t seed) const {
  Spec spec = spec_;
  spec.values.emplace_back("seed", fmt::format("{}", seed));
  return {spec.str(), label_};
}

Source SourceSeries::member(std::int64_t run) const {
  return fixed_ ? *fixed_ : numbered(seed_of_run(first_, run));
}

std::vector<SourceSeries> series_of(const std::string& name, std::uint64_t seed) {
  const auto suite = names_a_suite(name);
  if (!suite) return {SourceSeries(name, seed)};
  std::vector<SourceSeries> out;
  for (const SuiteEntry& entry : find_suite(*suite).entries) {
    SourceSeries& series = out.emplace_back(entry.spec, seed);
    if (!series.fixed_) series.fixed_ = series.numbered(series.first_);
  }
  return out;
}

}  // namespace hardhead::study
