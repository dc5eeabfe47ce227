#include "study/run/degree.h"

#include <fmt/format.h>

#include <utility>

namespace hardhead::study {

std::optional<Degree> degree_of(const DegreeMeasures& measures) {
  if (measures.test_error <= measures.recovery) return Degree::recovered;
  if (measures.advantage >= learnt_advantage) return Degree::learnt;
  if (!(measures.advantage > 0)) return Degree::nothing;
  if (!measures.advantage_interval) return std::nullopt;
  return measures.advantage_interval->low > 0 ? Degree::partly : Degree::nothing;
}

void DegreeCounts::add(const std::optional<Degree>& degree) {
  const std::array by_degree = {&nothing, &partly, &learnt, &recovered};
  ++(degree ? *by_degree[static_cast<std::size_t>(*degree)] : unknown);
}

std::string DegreeCounts::str() const {
  std::string out;
  for (const auto& [name, count] : {std::pair{name_of(Degree::recovered), recovered},
                                    {name_of(Degree::learnt), learnt},
                                    {name_of(Degree::partly), partly},
                                    {name_of(Degree::nothing), nothing},
                                    {"unknown", unknown}})
    if (count > 0) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", name, count);
  return out.empty() ? "-" : fmt::format("{} of {}", out, total());
}

}  // namespace hardhead::study
