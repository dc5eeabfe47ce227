#include "lwe/files/matrix_file.h"
#include "tests/fuzz/target.h"

namespace hardhead::fuzz {

void read(std::string_view bytes) {
  static const Folder folder;
  const auto matrix = lwe::read_fplll_matrix(folder.write("matrix", bytes));
  lwe::write_fplll_matrix(folder.path("again"), matrix);
  require(lwe::read_fplll_matrix(folder.path("again")) == matrix, "a matrix comes back as it was");
}

}  // namespace hardhead::fuzz
