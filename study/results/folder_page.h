#pragma once
#include <optional>
#include <string>
#include <vector>

#include "study/figure/figure.h"

namespace hardhead::study {

/// The page of a folder and the figures that it shows.
struct FolderPage {
  /// What the folder was made by: `reproduce` or `sweep`.
  enum class Kind { reproduction, sweep };
  Kind kind = Kind::reproduction;      ///< of the folder
  std::string html{};                  ///< the page
  std::vector<std::string> figures{};  ///< in it: paths without ending, from the folder
};

/// The page of a folder: of its verdicts.json (finding.h), or else of its journal.jsonl (journal.h). The same
/// folder gives the same page. The figures of a sweep, which may still be running, are drawn into
/// `folder`/figures, and its table is written to `folder`/report.csv. Figures of claims are those of the
/// folder; where a style is given, they are drawn again in it, from their NAME.json. `page_folder` is the
/// folder that the page will be in, where its links start.
///
/// Throws InputError: the folder has neither file, or is that of an atlas (atlas.h), one of them is not
/// what it should be (naming the place), figures cannot be drawn or read.
FolderPage folder_page(const std::string& folder, const std::string& page_folder,
                       const std::optional<report::FigureStyle>& style = {});

}  // namespace hardhead::study
