#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "study/atlas/atlas.h"
#include "study/report/grid.h"
#include "study/report/table.h"

namespace hardhead::study {

/// An atlas as a map: families by learners. A cell opens to its command, and rung by rung how it went.
report::Grid atlas_grid(const Atlas& atlas);

/// One row for each cell: instance, learner, access, degree, successes, trials, their exact 95% interval,
/// median of examples or queries, median seconds, command.
report::Table atlas_table(const Atlas& atlas);

/// {"seeds", "interrupted", "cells": [{"instance", "learner", "access", "degree", "successes", "trials",
/// "interval", "reached", "cost", "seconds", "refusal", "command"}]}
nlohmann::ordered_json to_json(const Atlas& atlas);

/// Writes FOLDER/atlas.json, atlas.csv, atlas.svg and atlas.html, the page, which needs no other file. Throws
/// InputError where a file cannot be written.
void write_atlas(const Atlas& atlas, const std::string& folder, const std::string& command);

}  // namespace hardhead::study
