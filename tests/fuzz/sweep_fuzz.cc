#include "study/sweep/sweep.h"
#include "tests/fuzz/target.h"

namespace hardhead::fuzz {

void read(std::string_view bytes) {
  static const Folder folder;
  if (has_small_numbers(bytes)) study::read_sweep(folder.write("sweep.toml", bytes));
}

}  // namespace hardhead::fuzz
