#include "lwe/files/matrix_file.h"

#include <fmt/format.h>

#include "base/files/atomic_file.h"
#include "lwe/files/text_scanner.h"

namespace hardhead::lwe {

IntegerMatrix read_fplll_matrix(const std::string& path) {
  constexpr std::int64_t most = std::int64_t{1} << 62;
  TextScanner scan = TextScanner::open(path);
  IntegerMatrix out;
  scan.expect('[', "the matrix");
  while (scan.accept('[')) {
    std::vector<std::int64_t>& row = out.emplace_back();
    while (!scan.accept(']')) row.push_back(scan.integer("an entry", -most, most));
    if (row.empty()) scan.fail("a row is empty");
    if (row.size() != out.front().size())
      scan.fail(
          fmt::format("row {} has {} entries, row 0 has {}", out.size() - 1, row.size(), out.front().size()));
  }
  scan.expect(']', "the matrix");
  scan.expect_end();
  if (out.empty()) scan.fail("the matrix has no row");
  return out;
}

void write_fplll_matrix(const std::string& path, const IntegerMatrix& matrix) {
  AtomicFile file(path);
  file.stream() << "[";
  for (const auto& row : matrix) file.stream() << fmt::format("[{}]\n", fmt::join(row, " "));
  file.stream() << "]\n";
  file.commit();
}

}  // namespace hardhead::lwe
