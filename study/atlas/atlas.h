#pragma once
#include <optional>
#include <string>
#include <vector>

#include "study/best/best_shot.h"
#include "study/report/grid.h"
#include "study/report/table.h"

namespace hardhead::study {

/// A map of the field: every learner's best shot (best_shot.h) at every family, learners by values beside
/// those by random examples.
///
/// A series is a family that gets harder from member to member, such as parity layers of one d. A learner
/// that has failed at `failures` members of a series is not given the rest of it.
struct AtlasPlan {
  std::vector<std::vector<SourceSeries>> series;  ///< specs without a seed
  int failures = 2;                               ///< as above
  /// Of a cell: all fresh layers must be learnt. Its plan has the learners, those by examples first, and no
  /// sources.
  BestShotOptions shot{};

  std::int64_t seeds() const { return shot.plan.seeds; }  ///< fresh layers of a cell
};

/// What is asked for.
struct AtlasRequest {
  bool quick = false;                        ///< small layers and short ladders
  std::vector<std::string> sources{};        ///< rows, each a series of its own; empty: those of the program
  std::vector<learner::Learner> learners{};  ///< columns; empty: likewise
  std::uint64_t seed = 1;                    ///< of the first fresh layer
  int jobs = 1;                              ///< runs at the same time
};

/// The plan of a request. Throws InputError as series_of().
AtlasPlan atlas_plan(const AtlasRequest& request);

/// One learner on one family.
struct AtlasCell {
  std::string source;              ///< a spec without its seed
  learner::Learner learner;        ///< as in the plan
  std::optional<BestShot> shot{};  ///< what became of it
  std::string refusal{};           ///< why the learner does not take this family, if it does not

  /// Neither run nor refused: it failed at earlier members of the series.
  bool untried() const { return !shot && refusal.empty(); }
  /// Fresh layers that were learnt or recovered, all in all.
  std::int64_t successes() const;
  /// Fresh layers that were tried with the last budget.
  std::int64_t trials() const;
  /// Did the learner learn all that the plan asks for?
  bool reached(const AtlasPlan& plan) const { return successes() >= plan.seeds(); }
  /// BestShot::degree; empty where nothing was run or it is not known.
  std::optional<Degree> degree() const { return shot ? shot->degree : std::nullopt; }
  /// Median of the examples or queries of the fresh runs; of a failed ladder, the most that a run read.
  double cost() const;
  /// Median of the seconds of the fresh runs; of a failed ladder, of all its runs together.
  double seconds() const;
};

/// The cells, row by row.
struct Atlas {
  AtlasPlan plan;                  ///< what was asked for
  std::vector<AtlasCell> cells{};  ///< fewer than were planned where it was interrupted
  bool interrupted = false;        ///< stopped from outside
};

/// Runs the plan and reports progress cell by cell. Throws as best_shots() does; a family that a learner by
/// values refuses is a cell.
Atlas draw_atlas(const AtlasPlan& plan, const RunContext& context);

/// The command that runs a cell alone.
std::string command_of(const AtlasCell& cell, const AtlasPlan& plan);

/// An atlas as a map: families by learners. A cell opens to its command, and rung by rung how it went.
report::Grid atlas_grid(const Atlas& atlas);

/// One row for each cell: instance, learner, access, told, degree, successes, trials, their exact 95%
/// interval, median of examples or queries, median seconds, command.
report::Table atlas_table(const Atlas& atlas);

/// {"seeds", "interrupted", "cells": [{"instance", "learner", "access", "degree", "successes", "trials",
/// "interval", "reached", "cost", "seconds", "refusal", "command"}]}
Json to_json(const Atlas& atlas);

/// Draws an atlas into a folder, which is made where it is not there: journal.jsonl, from which the same call
/// goes on after a stop, then atlas.json, atlas.csv, atlas.svg and atlas.html, the page, which needs no other
/// file and names `command`. Throws as draw_atlas(), and InputError where a file cannot be written or another
/// process is at work in the folder.
Atlas draw_into(const std::string& folder, AtlasPlan plan, const std::string& command,
                const RunContext& context);

}  // namespace hardhead::study
