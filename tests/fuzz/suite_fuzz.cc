#include "study/problem/suite.h"
#include "tests/fuzz/target.h"

namespace hardhead::fuzz {

void read(std::string_view bytes) {
  const study::Suite suite = study::parse_suite("suite", bytes);
  std::string text = "# " + suite.purpose + "\n";
  for (const auto& [spec, digest] : suite.entries) text += spec + " " + digest + "\n";
  const study::Suite again = study::parse_suite("again", text);
  require(again.purpose == suite.purpose && again.entries.size() == suite.entries.size(),
          "a suite comes back as it was");
}

}  // namespace hardhead::fuzz
