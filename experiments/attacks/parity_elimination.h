#pragma once
#include <cstdint>
#include <vector>

#include "attention/samples/sample_source.h"

namespace hardhead::experiments {

/// What linear algebra finds in single examples of the family `parity`, without statistical queries.
struct ParityElimination {
  std::vector<attention::Index> found;  ///< the one set that fits all equations, sorted; empty if not unique
  bool unique = false;                  ///< whether the equations leave one set only
  std::int64_t examples = 0;            ///< read for the equations
  std::int64_t equations = 0;           ///< examples among them with the switch on
  std::int64_t checked = 0;             ///< later examples with the switch on
  std::int64_t agreeing = 0;            ///< of those, how many fit the set found
  double seconds = 0;                   ///< reading and solving

  /// Whether there is one set and it fits every example that it was checked on.
  bool verified() const { return unique && checked > 0 && agreeing == checked; }
};

/// Where the switch is on (z_{j0} = -1, z_j = x_{1j} x_{2j}), Y_{1,1} / x_{1,j0} takes one of two values, the
/// smaller where the number of hidden j with z_j = -1 is even: one equation over GF(2). Solves the equations
/// of the first `examples` examples for the hidden set among the coordinates other than j0, and checks it on
/// 1000 later ones. 4d examples are enough with overwhelming probability (half have the switch on).
///
/// Throws InputError unless k = 2, inputs are Boolean, 0 <= switch_coordinate < d, d >= 2, examples >= 1 and
/// the source has examples + 1000.
ParityElimination eliminate_parity(const attention::SampleSource& source, attention::Index switch_coordinate,
                                   std::int64_t examples);

/// The least N with (2^(d-1) + 1) (3/4)^N <= failure: eliminate_parity() of N examples returns the hidden set
/// with probability 1 - failure at least. Proof: the switch is on in each example with probability 1/2, and
/// the other coordinates are then uniform. A wrong set that differs from the hidden one fits an equation with
/// probability 1/2, and so an example with 3/4; a set that fits all is one of 2^(d-1). The labels are read
/// the wrong way round only if no equation has an even number of hidden z_j = -1, of probability (3/4)^N.
/// Throws InputError unless d >= 2 and 0 < failure < 1.
std::int64_t elimination_examples(attention::Index d, double failure);

}  // namespace hardhead::experiments
