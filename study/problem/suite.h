#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/run/run_context.h"

namespace hardhead::study {

/// One instance of a suite.
struct SuiteEntry {
  std::string spec;    ///< with its seed
  std::string digest;  ///< of the instance (hardness/families/instance.h), when the suite was made
};

/// A named list of instances. Results "on nice-v1" in two papers are about the same layers, and the digests
/// prove it. A suite that was published never changes; a changed list gets the next version (docs/suites.md).
///
/// The lists are study/problem/suites/NAME.txt, compiled in. A list starts with a comment; then each line is
/// an entry:
///
///     # what the suite is for
///     nice:d=16,k=2,m=1,inputs=boolean,seed=1,theta_norm=2,w_norm=1 5f0c..
struct Suite {
  std::string name, purpose;        ///< "nice-v1"; what it is for, one line
  std::vector<SuiteEntry> entries;  ///< in the file's order
};

/// All suites, by name.
std::span<const Suite> suites();

/// The suite of that name. Throws InputError with the nearest name.
const Suite& find_suite(const std::string& name);

/// The name in "suite:NAME", which stands for all entries where a source is expected; empty for any other
/// source.
std::optional<std::string> names_a_suite(const std::string& source);

/// Reads such a list. Throws InputError naming `name` and the line: no purpose, no entry, a line that is not
/// a text, a space and the 64 digits of a digest, or a text that comes twice. Whether a text is a spec shows
/// only when its instance is made.
Suite parse_suite(const std::string& name, std::string_view text);

/// The entry of this spec: canonical, with the digest of the instance that this program makes. Throws
/// InputError.
SuiteEntry make_entry(const std::string& spec);

/// An entry whose instance this program makes differently from when it was published.
struct SuiteMismatch {
  SuiteEntry entry;   ///< as published
  std::string found;  ///< the digest of the instance that this program makes, or why it makes none
};

/// Makes every instance again, in parallel, and returns the entries that disagree, in the suite's order.
std::vector<SuiteMismatch> verify(const Suite& suite, const RunContext& context = {});

namespace detail {
/// A file of study/problem/suites.
struct SuiteText {
  std::string_view name, text;  ///< without its ending; its content
};
/// The files of study/problem/suites (made by CMake).
std::span<const SuiteText> suite_texts();
}  // namespace detail

}  // namespace hardhead::study
