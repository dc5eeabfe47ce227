#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "study/execute.h"

namespace hardhead::study {

/// What learner::predicted_seconds says of a run on the cores of this thread's arena, from the shape of its source.
/// The true number of heads is used where it is known, else 2. None for a learner of which nothing is known
/// (`exec` without a time limit). Makes the source once for all runs that differ in its seed alone.
class Forecaster {
 public:
  /// Seconds of one run; throws as open_source().
  std::optional<double> seconds(const PlannedRun& run);

 private:
  struct Shape {
    attention::Index d, k, m;
    std::optional<std::int64_t> examples;  ///< of a data file
  };
  const Shape& shape(const std::string& source);

  std::map<std::string, Shape> shapes_;  // by the source's label
};

/// "40 s", "12 min", "2.5 h", "under 1 s".
std::string duration(double seconds);

/// A plan in one sentence: "12 runs, 2 of them in the journal; predicted: 5 of sculpt 40 s, 5 of exec unknown; 20 s in
/// all, 2 at a time". `seconds` are of the runs to do.
struct Forecast {
  /// The runs of one method.
  struct Share {
    std::int64_t runs = 0, unknown = 0;  ///< runs, and those of unknown length among them
    double seconds = 0;                  ///< of those known
  };
  std::int64_t runs = 0, from_journal = 0;               ///< of the plan, and done before
  std::vector<std::pair<std::string, Share>> methods{};  ///< by name, in the plan's order
  int jobs = 1;                                          ///< runs at the same time

  /// One more run of a method; no seconds: nothing is known.
  void add(const std::string& method, std::optional<double> seconds);
  /// The sentence.
  std::string str() const;
};

}  // namespace hardhead::study
