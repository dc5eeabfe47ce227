#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "queries/learner.h"
#include "study/problem/problem.h"
#include "study/run/run.h"

/// A learner by value queries on a source, and the judge of what it hands back.
namespace hardhead::study {

/// How many tokens a query has.
enum class QueryLength {
  fixed,  ///< as many as the source's examples
  free,   ///< as many as the learner likes
};

/// What a run by queries is asked to do.
struct QueryRequest {
  Spec learner{"mobius", {}};                  ///< with its options
  QueryLength length = QueryLength::fixed;     ///< of every X
  queries::Tolerance tolerance{};              ///< of answers
  std::optional<std::int64_t> budget{};        ///< at most this many queries
  std::optional<attention::Index> heads{};     ///< where they are told
  std::optional<double> time_limit_seconds{};  ///< the run is stopped then
  std::uint64_t seed = 1;                      ///< of the learner, of noise and of test examples
  double recovery = 1e-10;                     ///< test error up to which a layer counts as recovered
  /// Hears of every query with its answer, where answers are doubles.
  std::function<void(const attention::Block&)> listener{};
};

/// A step with the error of the layer that it left.
struct StepResult {
  queries::Step step;                  ///< without its layer
  std::optional<double> test_error{};  ///< on fresh X
};

/// A run with its score: every field of `query --json`.
struct QueryResult {
  ProblemSummary problem;         ///< what was to be learnt
  QueryRequest request;           ///< as it was asked for
  Spec options;                   ///< request.learner with every option
  queries::Report report;         ///< the learner's own
  std::vector<StepResult> steps;  ///< its steps, measured
  Score score;                    ///< the judge's, on fresh X of the source's number of tokens
  /// Of a learner in exact arithmetic: is every entry of every head right, as a rational?
  std::optional<bool> exactly_right{};
  /// Of a learner that reads what a family hides: is it all right? The layer of a right answer is scored,
  /// since all else is public.
  std::optional<bool> hidden_right{};
};

/// Opens an oracle on the instance behind `source`, runs the learner and scores it on fresh examples. Labels
/// of hard families are exact rationals rounded once, at the X asked.
///
/// Throws InputError: for a data file, which answers no queries; whatever open_problem() and queries::query()
/// refuse.
QueryResult query_run(const Source& source, const QueryRequest& request, const RunContext& context = {});

/// The fields of `query --json`.
nlohmann::ordered_json to_json(const QueryResult& result);

}  // namespace hardhead::study

namespace hardhead {

template <>
inline constexpr auto enum_names<study::QueryLength> = std::to_array<EnumName<study::QueryLength>>(
    {{study::QueryLength::fixed, "fixed"}, {study::QueryLength::free, "free"}});

template <>
inline constexpr auto enum_names<queries::Ending> =
    std::to_array<EnumName<queries::Ending>>({{queries::Ending::finished, "finished"},
                                              {queries::Ending::failed, "failed"},
                                              {queries::Ending::out_of_queries, "out_of_queries"},
                                              {queries::Ending::stopped, "stopped"}});

}  // namespace hardhead
