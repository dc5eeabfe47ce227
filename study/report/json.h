#pragma once
#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "base/text/enum_names.h"
#include "base/text/json.h"

namespace hardhead::report {

/// The kinds of JSON documents. docs/formats.md says which command prints which.
enum class Document {
  atlas,
  attacks,
  best_shots,
  certificate,
  certificates,
  challenge,
  checkpoint,
  commands,
  comparison,
  completion,
  dimension,
  distinguisher,
  families,
  figure,
  file,
  finding,
  hardness,
  inspection,
  ladder,
  lwe_problem,
  machine,
  niceness_rates,
  page,
  query_bounds,
  query_game,
  report,
  reproduction,
  success_curve,
  suite,
  suites,
  sweep
};

constexpr auto enum_names(Document) {
  return std::to_array<EnumName<Document>>({{Document::atlas, "atlas"},
                                            {Document::attacks, "attacks"},
                                            {Document::best_shots, "best-shots"},
                                            {Document::certificate, "certificate"},
                                            {Document::certificates, "certificates"},
                                            {Document::challenge, "challenge"},
                                            {Document::checkpoint, "checkpoint"},
                                            {Document::commands, "commands"},
                                            {Document::comparison, "comparison"},
                                            {Document::completion, "completion"},
                                            {Document::dimension, "dimension"},
                                            {Document::distinguisher, "distinguisher"},
                                            {Document::families, "families"},
                                            {Document::figure, "figure"},
                                            {Document::file, "file"},
                                            {Document::finding, "finding"},
                                            {Document::hardness, "hardness"},
                                            {Document::inspection, "inspection"},
                                            {Document::ladder, "ladder"},
                                            {Document::lwe_problem, "lwe-problem"},
                                            {Document::machine, "machine"},
                                            {Document::niceness_rates, "niceness-rates"},
                                            {Document::page, "page"},
                                            {Document::query_bounds, "query-bounds"},
                                            {Document::query_game, "query-game"},
                                            {Document::report, "report"},
                                            {Document::reproduction, "reproduction"},
                                            {Document::success_curve, "success-curve"},
                                            {Document::suite, "suite"},
                                            {Document::suites, "suites"},
                                            {Document::sweep, "sweep"}});
}

/// The kind as the first key of its documents, `schema`, has it: "hardhead.KIND/1".
std::string schema(Document kind);

/// A document of these fields, an object: its "schema" first, "hardhead.KIND/1".
nlohmann::ordered_json report_json(Document kind, const nlohmann::ordered_json& fields);
/// One without fields yet.
nlohmann::ordered_json report_json(Document kind);

/// The text, or null if it is empty.
nlohmann::ordered_json text_or_null(const std::string& text);

using hardhead::integer_from_json;

}  // namespace hardhead::report
