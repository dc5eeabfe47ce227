#include <cmath>

#include "lwe/files/instance_file.h"
#include "tests/fuzz/target.h"

namespace hardhead::fuzz {

void read(std::string_view bytes) {
  static const Folder folder;
  const lwe::Challenge challenge = lwe::read_darmstadt(folder.write("challenge", bytes));
  lwe::write_darmstadt(folder.path("again"), challenge);
  const lwe::Challenge again = lwe::read_darmstadt(folder.path("again"));
  require(again.samples.a == challenge.samples.a && again.samples.b == challenge.samples.b,
          "samples come back as they were");
  // The format has sigma / q.
  const double sigma = challenge.parameters.sigma;
  require(std::abs(again.parameters.sigma - sigma) <= 1e-15 * sigma, "sigma comes back but for rounding");
}

}  // namespace hardhead::fuzz
