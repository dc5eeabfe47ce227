#include "study/sweep/forecast.h"

#include <fmt/format.h>

#include <algorithm>

#include "learner/learner.h"
#include "study/query/ask.h"

namespace hardhead::study {
namespace {

std::string of_share(const Forecast::Share& share) {
  if (share.unknown == share.runs) return "unknown";
  return duration(share.seconds) + (share.unknown > 0 ? " and more" : "");
}

}  // namespace

std::string duration(double seconds) {
  if (seconds < 1) return "under 1 s";
  if (seconds < 120) return fmt::format("{:.0f} s", seconds);
  if (seconds < 7200) return fmt::format("{:.0f} min", seconds / 60);
  constexpr double hour = 3600, day = 24 * hour, year = 365.25 * day;
  if (seconds < 2 * day) return fmt::format("{:.1f} h", seconds / hour);
  if (seconds < 2 * year) return fmt::format("{:.0f} days", seconds / day);
  return fmt::format("{:.3g} years", seconds / year);
}

std::optional<double> Forecaster::seconds(const PlannedRun& run) {
  if (asks_values(run.run.method.name)) return std::nullopt;
  const std::string label = run.source.label();
  auto known = shapes_.find(label);
  if (known == shapes_.end()) known = shapes_.emplace(label, run.source.shape()).first;
  const SourceShape& of = known->second;
  learner::Task task = run.run.task;
  if (of.examples) task.examples = std::min(*of.examples, task.examples.value_or(*of.examples));
  constexpr attention::Index some_heads = 2;
  return learner::predicted_seconds(run.run.method, of.d, of.k, of.m.value_or(some_heads), task);
}

void Forecast::add(const std::string& method, std::optional<double> seconds) {
  auto at = std::ranges::find(methods, method, &std::pair<std::string, Share>::first);
  if (at == methods.end()) at = methods.insert(at, {method, {}});
  ++at->second.runs;
  at->second.unknown += seconds ? 0 : 1;
  at->second.seconds += seconds.value_or(0);
}

std::string Forecast::str() const {
  std::string text = fmt::format("{} runs", runs);
  if (from_journal > 0) text += fmt::format(", {} of them in the journal", from_journal);
  if (methods.empty()) return text;
  text += "; predicted, roughly:";
  Share all;
  for (const auto& [name, share] : methods) {
    text += fmt::format(" {} of {} {},", share.runs, name, of_share(share));
    all.runs += share.runs;
    all.unknown += share.unknown;
    all.seconds += share.seconds / jobs;
  }
  return text +
         fmt::format(" {} in all{}", of_share(all), jobs > 1 ? fmt::format(", {} at a time", jobs) : "");
}

void Pace::plan(std::size_t row, double predicted) {
  if (row >= rows_.size()) rows_.resize(row + 1);
  ++rows_[row].ahead;
  rows_[row].predicted_ahead += predicted;
}

void Pace::leave(std::size_t row, double predicted) {
  --rows_[row].ahead;
  rows_[row].predicted_ahead -= predicted;
}

void Pace::finish(std::size_t row, double predicted, double measured) {
  predicted_ += predicted;
  measured_ += measured;
  recall(row, predicted, measured);
}

void Pace::recall(std::size_t row, double predicted, double measured) {
  leave(row, predicted);
  ++rows_[row].done;
  rows_[row].measured += measured;
  update();
}

void Pace::drop(std::size_t row, double predicted) {
  leave(row, predicted);
  update();
}

void Pace::update() {
  const double ratio = predicted_ > 0 ? measured_ / predicted_ : 1;
  double ahead = 0;
  for (const Row& one : rows_)
    ahead += one.done > 0 ? one.measured / static_cast<double>(one.done) * static_cast<double>(one.ahead)
                          : one.predicted_ahead * ratio;
  if (measured_ + ahead > 0) fraction_ = std::max(fraction_, measured_ / (measured_ + ahead));
}

}  // namespace hardhead::study
