#pragma once
#include <nlohmann/json_fwd.hpp>

#include "study/compare.h"
#include "study/run.h"

namespace hardhead::study {

/// Reports as JSON. Numbers that are not finite are null, never NaN; what is not known is null.

/// A report of these fields, an object: its "schema" first.
nlohmann::ordered_json report_json(const nlohmann::ordered_json& fields);
/// One without fields yet.
nlohmann::ordered_json report_json();

/// The fields of `learn --json`. Measures of a phase stand next to its name and seconds.
nlohmann::ordered_json to_json(const RunResult& result);

/// The run that to_json() wrote, but for its layer, the partners of its heads and numbers that were not finite
/// (NaN). Throws nlohmann's exceptions or InputError for a document that is not one.
RunResult run_from_json(const nlohmann::ordered_json& document);

/// `rows[{instance, method, runs, recovered, stopped, heads_right, recovery_interval[2], test_error, null_error,
/// advantage{median, min, max}, failed_phases{}, likely_causes{}, seconds, results[]}], interrupted`; medians where one number
/// stands for all runs, `results` in the form of the runs.
nlohmann::ordered_json to_json(const Comparison& comparison);

/// The same as indented text.
std::string json_text(const RunResult& result);
/// The same as indented text.
std::string json_text(const Comparison& comparison);

/// The number, or null if it is not finite.
nlohmann::ordered_json number_or_null(double value);

/// The integer that a document has; Integer is int, std::int64_t or std::uint64_t. Throws InputError unless it is one and fits.
template <class Integer>
Integer integer_from_json(const nlohmann::ordered_json& value);

}  // namespace hardhead::study
