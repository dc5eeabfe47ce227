#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "study/report/finding.h"
#include "study/report/grid.h"
#include "study/report/table.h"

namespace hardhead::report {

/// A report as data, and the page that html() makes of it. All text is plain and is escaped there; powers and
/// indices in titles, facts and paragraphs are typeset (escape.h).
struct PageSection {
  std::string id;                    ///< the page's anchor: letters, digits and '-'
  std::string title;                 ///< one line
  std::optional<Verdict> verdict{};  ///< of a claim, which the section's id then numbers
  std::vector<std::pair<std::string, std::string>> facts{};  ///< "claim", what is claimed; and so on
  std::string command{};               ///< makes it again; shown with a button that copies it; empty for none
  std::string listing{};               ///< a file's text, shown as it is; empty for none
  std::vector<std::string> figures{};  ///< paths without ending, from the page's folder
  std::string about_figures{};         ///< what bars and lines are
  std::optional<Grid> grid{};          ///< a map, whose cells open
  std::optional<Table> table{};        ///< shown, and sortable
  /// A column of the table whose cells are lists "word 2, word 1 ..": each word and its number take the
  /// colour that the style sheet has for the word; empty for none.
  std::string words_column{};
  std::string table_file{};  ///< the same as CSV, a path from the page's folder; empty for none
};

/// A report: its lead and its sections, in order.
struct Page {
  std::string title;                    ///< one line
  std::vector<std::string> lead{};      ///< paragraphs
  std::vector<PageSection> sections{};  ///< in order
};

/// One HTML document that needs no other file and no network, and does the same on paper, on a phone, on
/// light and dark pages. A bar with a link to each section stays in sight. Sections with a verdict are listed
/// at the top. Tables sort by any column, by mouse or keyboard, and long ones can be searched; buttons copy a
/// command, a table as CSV, and the citation of hardhead (CITATION.bib), which ends the page. `folder` is the
/// page's own: each figure's NAME.svg is read from there and becomes part of the page; NAME.svg, NAME.pdf and
/// the tables are linked to.
///
/// A strict content security policy lets the page's own script run and nothing else. An SVG that gnuplot
/// would not write is refused: any element but shapes and text, a link out of it. Throws InputError naming
/// the file.
std::string html(const Page& page, const std::string& folder);

namespace detail {
/// report/page.css, report/page.js and CITATION.bib, compiled in (made by CMake).
std::string_view page_style();
std::string_view page_script();
std::string_view citation();
}  // namespace detail

}  // namespace hardhead::report
