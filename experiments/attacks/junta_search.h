#pragma once
#include <cstdint>
#include <vector>

#include "attention/samples/sample_source.h"
#include "base/run/run_context.h"
#include "hardness/families/junta.h"

namespace hardhead::experiments {

/// What trying all sets finds in single examples of the family `junta`, without statistical queries.
struct JuntaSearch {
  /// The hidden coordinates in the function's order, the last coordinate being the switch. Empty unless the
  /// examples leave one function. Orders that leave the function as it is are one: the first of them is
  /// given.
  std::vector<attention::Index> found;
  std::int64_t examples = 0;   ///< read for the search
  std::int64_t equations = 0;  ///< examples among them with the switch on
  std::int64_t checked = 0;    ///< later examples with the switch on
  std::int64_t agreeing = 0;   ///< of those, how many have the label that the function gives them
  double seconds = 0;          ///< reading and searching

  /// Whether there is one function and it gives every label that it was checked on.
  bool verified() const { return !found.empty() && checked > 0 && agreeing == checked; }
};

/// Where the switch is on, Y_{1,1} / x_{1,j0} is -2 f(z_{i_1}, .., z_{i_m}), z_j = x_{1j} x_{2j}
/// (hardness/gadget/switch_gadget.h), and f is public. Tries all sets of m of the d - 1 coordinates: a set is
/// left out as soon as two examples with the same bits there have different labels, and all orders of the
/// others are held against the examples. Coordinates on which f does not depend are no part of the search.
/// The function is checked on 1000 later examples.
///
/// `options` names the family's member but for the seed, which is not read. Throws InputError for a source
/// that is not of its shape, or has fewer than `examples` + 1000 examples, and for examples < 1.
JuntaSearch search_junta(const hardness::JuntaOptions& options, const attention::SampleSource& source,
                         std::int64_t examples, const RunContext& context);

/// A number of examples from which search_junta() returns the hidden function with probability 1 - failure at
/// least: the least N at which the expected number of other functions that fit all examples is at most
/// `failure` (sq/dimension/information.h). Past hardness::max_paired_bits, where pairs are too many to count,
/// two different functions are taken to agree with probability 1 - 2^-2m where the switch is on: they differ
/// at a point of their at most 2m bits. Throws InputError unless 0 < failure < 1.
std::int64_t junta_examples(const hardness::JuntaOptions& options, double failure);

/// What search_junta() is predicted to take, in seconds: sets of coordinates, by a measured time for each bit
/// of a set.
double junta_search_seconds(const hardness::JuntaOptions& options);

}  // namespace hardhead::experiments
