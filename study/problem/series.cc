#include <fmt/format.h>

#include "base/text/seed.h"
#include "hardness/families/family.h"
#include "study/cost/hard_presets.h"
#include "study/problem/source.h"
#include "study/problem/suite.h"

namespace hardhead::study {

SourceSeries::SourceSeries(const std::string& name) : name_(name), label_(name) {
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
  if (spec_.value("seed") != nullptr) first_ = std::stoull(*canonical.value("seed"));
  std::erase_if(spec_.values, [](const auto& value) { return value.first == "seed"; });
  label_ = spec_.str();
}

Source SourceSeries::numbered(std::uint64_t seed) const {
  Spec spec = spec_;
  spec.values.emplace_back("seed", fmt::format("{}", seed));
  return {spec.str(), label_};
}

Source SourceSeries::member(std::int64_t run, std::uint64_t seed) const {
  return fixed_ ? *fixed_ : numbered(seed_of_run(first_.value_or(seed), run));
}

std::vector<SourceSeries> series_of(const std::string& name) {
  const auto suite = names_a_suite(name);
  if (!suite) return {SourceSeries(name)};
  std::vector<SourceSeries> out;
  for (const SuiteEntry& entry : find_suite(*suite).entries) {
    SourceSeries& series = out.emplace_back(entry.spec);
    series.suite_ = name;
    if (!series.fixed_) series.fixed_ = series.numbered(*series.first_);
  }
  return out;
}

std::vector<SourceSeries> series_of(const std::vector<std::string>& names) {
  std::vector<SourceSeries> out;
  for (const std::string& name : names)
    for (SourceSeries& series : series_of(name)) out.push_back(std::move(series));
  return out;
}

}  // namespace hardhead::study
