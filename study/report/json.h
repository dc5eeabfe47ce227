#pragma once
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "base/text/json.h"

namespace hardhead::report {

/// The kinds of JSON documents. docs/formats.md says which command prints which.
inline constexpr auto document_kinds = std::to_array<std::string_view>(
    {"atlas",      "attacks",     "best-shots",   "certificate",    "certificates", "challenge",
     "checkpoint", "commands",    "comparison",   "completion",     "dimension",    "distinguisher",
     "families",   "figure",      "file",         "finding",        "hardness",     "inspection",
     "ladder",     "lwe-problem", "machine",      "niceness-rates", "page",         "query-bounds",
     "query-game", "report",      "reproduction", "success-curve",  "suite",        "suites",
     "sweep"});

/// The kind of a document. Another text than those above does not compile.
class Document {
 public:
  /// The kind of that name.
  consteval Document(const char* name) : name_(name) {
    if (std::ranges::find(document_kinds, name_) == document_kinds.end()) throw "no kind of document";
  }
  std::string_view name() const { return name_; }  ///< "best-shots"

 private:
  std::string_view name_;
};

/// The kind as the first key of its documents, `schema`, has it: "hardhead.KIND/1".
std::string schema(Document kind);

/// A document of these fields, an object, with its `schema` first.
Json report_json(Document kind, const Json& fields);
/// One without fields yet.
Json report_json(Document kind);

}  // namespace hardhead::report
