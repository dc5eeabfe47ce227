#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "study/run/json.h"
#include "study/sweep/compare.h"

namespace hardhead::study {

/// An object with `interrupted` and a list `rows`. A row has `instance`, `method`, `runs`, `recovered`,
/// `degrees` (how many runs reached each degree and no more), `stopped`, `heads_right`, `recovery_interval`
/// (two numbers), `learnt_interval` (of `learnt` or `recovered`), `test_error`, `null_error`, `advantage`
/// (median, min, max, interval), `failed_phases`, `likely_causes`, `seconds` and `results`. One number that
/// stands for all runs is their median; `results` are as to_json() of a run writes them.
nlohmann::ordered_json to_json(const Comparison& comparison);

/// to_json() as indented text.
std::string json_text(const Comparison& comparison);

/// A run that is still to be done, for another rank of the job. Throws InputError for a source that has no
/// name by which another process could open it.
nlohmann::ordered_json to_json(const PlannedRun& run);
/// The run that to_json() wrote.
PlannedRun planned_run_from_json(const nlohmann::ordered_json& document);

}  // namespace hardhead::study
