#include "study/sweep/forecast.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text/number.h"
#include "learner/learner.h"

namespace hardhead::study {
namespace {

/// What one run of a method takes in the mean of those that are predicted.
std::string of_one(const Forecast::Share& share) {
  const std::int64_t known = share.runs - share.unknown;
  return known == 0 ? "an unknown time" : duration(share.seconds.learnt / static_cast<double>(known));
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

std::optional<learner::PredictedSeconds> Forecaster::seconds(const RunRequest& run) {
  const std::string label = run.source.label();
  auto known = shapes_.find(label);
  if (known == shapes_.end()) known = shapes_.emplace(label, run.source.shape()).first;
  const SourceShape& of = known->second;
  learner::Task task = run.run.task;
  if (of.examples) task.examples = std::min(*of.examples, task.examples.value_or(*of.examples));
  constexpr attention::Index some_heads = 2;
  return run.run.method.predicted_seconds({of.d, of.k}, of.m.value_or(some_heads), task);
}

void Forecast::add(const std::string& method, std::optional<learner::PredictedSeconds> seconds,
                   std::optional<double> time_limit) {
  auto at = std::ranges::find(methods, method, &std::pair<std::string, Share>::first);
  if (at == methods.end()) at = methods.insert(at, {method, {}});
  Share& share = at->second;
  ++share.runs;
  share.unknown += seconds ? 0 : 1;
  share.seconds.learnt += seconds ? seconds->learnt : 0;
  share.seconds.not_learnt += seconds ? seconds->not_learnt : 0;
  const double limit = time_limit.value_or(std::numeric_limits<double>::infinity());
  most_seconds = std::max(most_seconds, limit);
  cap_seconds += limit;
}

std::string Forecast::str() const {
  std::string text = counted(runs, "run");
  if (from_journal > 0) text += fmt::format(", {} of them in the journal", from_journal);
  if (methods.empty()) return text;
  if (jobs > 1) text += fmt::format(", {} at a time", jobs);
  text += ". Predicted for one run, where a layer is learnt as nice ones are:";
  for (const auto& [name, share] : methods)
    text += fmt::format("{} {} of {} ({})", &share == &methods.front().second ? "" : ",", of_one(share), name,
                        counted(share.runs, "run"));
  if (!std::isfinite(most_seconds)) return text;
  const auto said = [](double seconds) {
    return seconds < 1 ? fmt::format("{:.2g} s", seconds) : duration(seconds);
  };
  return text + fmt::format(". A run is stopped after {}: {} for all at most", said(most_seconds),
                            said(cap_seconds / jobs));
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

double Pace::seconds_ahead() const {
  const double ratio = predicted_ > 0 ? measured_ / predicted_ : 1;
  double ahead = 0;
  for (const Row& one : rows_)
    ahead += one.done > 0 ? one.measured / static_cast<double>(one.done) * static_cast<double>(one.ahead)
                          : one.predicted_ahead * ratio;
  return ahead;
}

bool Pace::knows_all_rows() const {
  return std::ranges::all_of(rows_, [](const Row& one) { return one.done > 0; });
}

void Pace::update() {
  const double ahead = seconds_ahead();
  if (measured_ + ahead > 0) fraction_ = std::max(fraction_, measured_ / (measured_ + ahead));
}

}  // namespace hardhead::study
