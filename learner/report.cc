#include "learner/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

namespace hardhead::learner {

namespace {

class BlockPredictor final : public Predictor {
 public:
  explicit BlockPredictor(std::function<void(attention::Block& block)> write) : write_(std::move(write)) {}

  Answers answers(const attention::SampleSource&, std::int64_t, const RunContext&) const override {
    return [write = write_](std::int64_t, attention::Block& block) { write(block); };
  }

 private:
  std::function<void(attention::Block& block)> write_;
};

}  // namespace

std::shared_ptr<const Predictor> predictor_of(std::function<void(attention::Block& block)> write) {
  return std::make_shared<BlockPredictor>(std::move(write));
}

void Phase::add(std::string measure, double value) {
  constexpr std::array<std::string_view, 4> fields = {"name", "seconds", "examples", "rows_kept"};
  const auto has_that_name = [&](const auto& other) { return other.first == measure; };
  if (std::ranges::find(fields, measure) != fields.end() || std::ranges::any_of(measures, has_that_name))
    throw std::logic_error(fmt::format("phase '{}': '{}' is taken, and no name of a measure", name, measure));
  measures.emplace_back(std::move(measure), value);
}

}  // namespace hardhead::learner
