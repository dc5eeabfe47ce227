#pragma once
#include <string>
#include <vector>

namespace hardhead::study {

/// A page with what it shows.
struct Report {
  /// What the folder was made by: `reproduce` or `sweep`.
  enum class Kind { reproduction, sweep };
  Kind kind = Kind::reproduction;    ///< of the folder
  std::string html;                  ///< the page
  std::vector<std::string> figures;  ///< in it: paths without ending, from the folder
};

/// The page of a folder: of its verdicts.json (finding.h), or else of its journal.jsonl (journal.h). The same
/// folder gives the same page. A sweep's figures are drawn into `folder`/figures and its table is written to
/// `folder`/report.csv; it need not have ended. `page_folder` is where the page is to lie: its links start
/// there.
///
/// Throws InputError: the folder has neither file, one of them is not what it should be (naming the place),
/// figures cannot be drawn or read.
Report report(const std::string& folder, const std::string& page_folder);

}  // namespace hardhead::study
