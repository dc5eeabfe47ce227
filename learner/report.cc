#include "learner/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

namespace hardhead::learner {

Predictor predictor_of(std::function<void(attention::Block& block)> write) {
  return [write = std::move(write)](const attention::SampleSource&, std::int64_t, const RunContext&) {
    return [write](std::int64_t, attention::Block& block) { write(block); };
  };
}

void Phase::add(std::string measure, double value) {
  constexpr std::array<std::string_view, 4> fields = {"name", "seconds", "examples", "rows_kept"};
  const auto has_that_name = [&](const auto& other) { return other.first == measure; };
  if (std::ranges::find(fields, measure) != fields.end() || std::ranges::any_of(measures, has_that_name))
    throw std::logic_error(fmt::format("phase '{}': '{}' is taken, and no name of a measure", name, measure));
  measures.emplace_back(std::move(measure), value);
}

}  // namespace hardhead::learner
