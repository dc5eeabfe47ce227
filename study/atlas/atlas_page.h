#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "study/atlas/atlas.h"
#include "study/report/grid.h"
#include "study/report/table.h"

namespace hardhead::study {

/// An atlas as a map: families by learners. A cell opens to its command, and rung by rung how it went.
report::Grid atlas_grid(const Atlas& atlas);

/// One row for each cell: instance, learner, access, told, degree, successes, trials, their exact 95%
/// interval, median of examples or queries, median seconds, command.
report::Table atlas_table(const Atlas& atlas);

/// {"seeds", "interrupted", "cells": [{"instance", "learner", "access", "degree", "successes", "trials",
/// "interval", "reached", "cost", "seconds", "refusal", "command"}]}
nlohmann::ordered_json to_json(const Atlas& atlas);

/// Draws an atlas into a folder, which is made where it is not there: journal.jsonl, from which the same call
/// goes on after a stop, then atlas.json, atlas.csv, atlas.svg and atlas.html, the page, which needs no other
/// file and names `command`. Throws as draw_atlas(), and InputError where a file cannot be written or another
/// process is at work in the folder.
Atlas draw_into(const std::string& folder, AtlasPlan plan, const std::string& command,
                const RunContext& context);

}  // namespace hardhead::study
