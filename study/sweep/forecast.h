#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "study/sweep/execute.h"

namespace hardhead::study {

/// What learner::predicted_seconds says of a run on the cores of this thread's arena, from the shape of its
/// source; empty for a learner of which nothing is known (`exec`). Where the number of heads is not known it
/// is 2. One source is resolved for all runs that differ in its seed alone.
class Forecaster {
 public:
  /// Seconds of one run. Throws as Source::resolve().
  std::optional<learner::PredictedSeconds> seconds(const RunRequest& run);

 private:
  std::map<std::string, SourceShape> shapes_;  // by the source's label
};

/// "under 1 s", "40 s", "12 min", "2.5 h", "30 days", "4.5 years".
std::string duration(double seconds);

/// A plan in words: how many runs there are, what one of each method takes, when a run is stopped and all
/// end. It has no sum of what is not known: how hard a source is shows in the first runs (WorkQueue).
struct Forecast {
  /// The runs of one method.
  struct Share {
    std::int64_t runs = 0, unknown = 0;   ///< runs, and how many of them are of unknown length
    learner::PredictedSeconds seconds{};  ///< of the runs of known length
  };
  std::int64_t runs = 0, from_journal = 0;  ///< of the plan, and how many of them were done before
  std::vector<std::pair<std::string, Share>> methods{};  ///< by name, in the plan's order
  int jobs = 1;                                          ///< runs at the same time
  double most_seconds = 0;  ///< the longest time limit of a run; infinity if one has none
  double cap_seconds = 0;   ///< the sum of the time limits of all runs

  /// Adds a run of a method. Without seconds its length is unknown.
  void add(const std::string& method, std::optional<learner::PredictedSeconds> seconds,
           std::optional<double> time_limit);
  /// The sentences.
  std::string str() const;
};

/// How far a plan is, by the time that its runs take. Runs that differ in their seeds alone are a row of the
/// plan. With s predicted and t measured seconds,
///
///     a run ahead takes    the mean t of its row's runs that are done; where none is,
///                          its own s x (sum of t / sum of s over all runs that are done)
///     fraction             sum of t of the runs done / (that sum + what the runs ahead take)
///
/// A learner that fails takes longer than the prediction, which is for layers that it learns: one run of
/// each row tells.
class Pace {
 public:
  /// A run that is to be done.
  void plan(std::size_t row, double predicted);
  /// It has been done.
  void finish(std::size_t row, double predicted, double measured);
  /// It was done before, in so much time: it only tells what the runs of its row take.
  void recall(std::size_t row, double predicted, double measured);
  /// It need not be done.
  void drop(std::size_t row, double predicted);
  /// 0 .. 1; it does not fall.
  double fraction() const { return fraction_; }
  /// What the runs ahead take, one after the other.
  double seconds_ahead() const;
  /// Whether a run of each row has been done.
  bool knows_all_rows() const;

 private:
  struct Row {
    std::size_t ahead = 0, done = 0;
    double predicted_ahead = 0, measured = 0;  ///< seconds
  };
  void leave(std::size_t row, double predicted);
  void update();

  std::vector<Row> rows_;
  double predicted_ = 0, measured_ = 0;  ///< of all runs done
  double fraction_ = 0;
};

}  // namespace hardhead::study
