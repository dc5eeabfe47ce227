#include "lwe/files/matrix_file.h"

#include <fmt/format.h>

#include "base/files/atomic_file.h"

namespace hardhead::lwe {

void write_fplll_matrix(const std::string& path, const IntegerMatrix& matrix) {
  AtomicFile file(path);
  file.stream() << "[";
  for (const auto& row : matrix) file.stream() << fmt::format("[{}]\n", fmt::join(row, " "));
  file.stream() << "]\n";
  file.commit();
}

}  // namespace hardhead::lwe
