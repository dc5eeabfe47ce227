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
  help,
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

}  // namespace hardhead::report

namespace hardhead {

template <>
inline constexpr auto enum_names<report::Document> =
    std::to_array<EnumName<report::Document>>({{report::Document::atlas, "atlas"},
                                               {report::Document::attacks, "attacks"},
                                               {report::Document::best_shots, "best-shots"},
                                               {report::Document::certificate, "certificate"},
                                               {report::Document::certificates, "certificates"},
                                               {report::Document::challenge, "challenge"},
                                               {report::Document::checkpoint, "checkpoint"},
                                               {report::Document::commands, "commands"},
                                               {report::Document::comparison, "comparison"},
                                               {report::Document::completion, "completion"},
                                               {report::Document::dimension, "dimension"},
                                               {report::Document::distinguisher, "distinguisher"},
                                               {report::Document::families, "families"},
                                               {report::Document::figure, "figure"},
                                               {report::Document::file, "file"},
                                               {report::Document::finding, "finding"},
                                               {report::Document::hardness, "hardness"},
                                               {report::Document::help, "help"},
                                               {report::Document::inspection, "inspection"},
                                               {report::Document::ladder, "ladder"},
                                               {report::Document::lwe_problem, "lwe-problem"},
                                               {report::Document::machine, "machine"},
                                               {report::Document::niceness_rates, "niceness-rates"},
                                               {report::Document::page, "page"},
                                               {report::Document::query_bounds, "query-bounds"},
                                               {report::Document::query_game, "query-game"},
                                               {report::Document::report, "report"},
                                               {report::Document::reproduction, "reproduction"},
                                               {report::Document::success_curve, "success-curve"},
                                               {report::Document::suite, "suite"},
                                               {report::Document::suites, "suites"},
                                               {report::Document::sweep, "sweep"}});

}  // namespace hardhead

namespace hardhead::report {

/// A document of these fields, an object: its "schema" first, "hardhead.KIND/1".
nlohmann::ordered_json report_json(Document kind, const nlohmann::ordered_json& fields);
/// One without fields yet.
nlohmann::ordered_json report_json(Document kind);

/// The number, or null if it is not finite.
nlohmann::ordered_json number_or_null(double value);
/// The text, or null if it is empty.
nlohmann::ordered_json text_or_null(const std::string& text);

/// The value, or null where there is none; a number that is not finite is null, too.
nlohmann::ordered_json or_null(const std::optional<double>& value);
nlohmann::ordered_json or_null(const std::optional<std::int64_t>& value);
nlohmann::ordered_json or_null(const std::optional<bool>& value);
nlohmann::ordered_json or_null(const std::optional<std::string>& value);

using hardhead::integer_from_json;

}  // namespace hardhead::report
