#include "study/series.h"

#include <fmt/format.h>

#include <algorithm>

#include "hardness/family.h"
#include "study/named_source.h"
#include "study/suite.h"

namespace hardhead::study {

Series::Series(const std::string& source, std::uint64_t seed) : source_(source) {
  if (names_a_file(source)) return;
  spec_ = Spec::parse(source);
  const auto& table = hardness::find_family(spec_.name).parameters;
  seeded_ = std::any_of(table.begin(), table.end(), [](const Parameter& p) { return p.name == "seed"; });
  if (!seeded_) return;
  const Parameters parameters(spec_, table);
  first_ = parameters.was_given("seed") ? static_cast<std::uint64_t>(parameters.integer("seed")) : seed;
  std::erase_if(spec_.values, [](const auto& value) { return value.first == "seed"; });
  source_ = spec_.str();
}

std::string Series::member(std::int64_t run) const {
  if (!seeded_) return source_;
  Spec spec = spec_;
  spec.values.emplace_back("seed", fmt::format("{}", first_ + static_cast<std::uint64_t>(fixed_ ? 0 : run)));
  return spec.str();
}

std::vector<Series> series_of(const std::string& source, std::uint64_t seed) {
  const auto suite = names_a_suite(source);
  if (!suite) return {Series(source, seed)};
  std::vector<Series> out;
  for (const SuiteEntry& entry : find_suite(*suite).entries) out.emplace_back(entry.spec, seed).fixed_ = true;
  return out;
}

}  // namespace hardhead::study
