#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "attention/samples/sample_source.h"
#include "base/run/run_context.h"
#include "base/text/spec.h"
#include "lwe/attacks/attack.h"

namespace hardhead::experiments {

/// What linearisation finds in examples of the families `lwr` and `staircase`
/// (hardness/families/rounding_layer.h).
struct RoundingLinearisation {
  std::vector<lwe::Residue> secret;  ///< empty if none was found
  std::int64_t examples = 0;         ///< read
  std::int64_t equations = 0;        ///< examples among them with the switch on
  std::int64_t checked = 0;          ///< later examples with the switch on
  std::int64_t agreeing = 0;         ///< of those, the ones whose label the secret reproduces
  std::string message;               ///< one sentence on how it went
  double seconds = 0;                ///< reading and solving

  /// Whether there is a secret and it gives every label that it was checked on.
  bool verified() const { return !secret.empty() && checked > 0 && agreeing == checked; }
};

/// Everything but the secret and H = <s, 1> is public, and H is told, since the number of heads of a layer
/// shows it. So the values of labels are public. A label leaves some residues of h = <w, a> mod q: those of
/// all h in 0 .. H with this very label, bit for bit. Where labels are exactly those of LWR, they are a whole
/// plateau; where steps have a finite width, a label that is off its plateau leaves one or two.
/// lwe::linearise_low_bits() does the rest. The secret is checked on 1000 later examples, all of whose labels
/// it must give bit for bit.
///
/// `spec` names the instance (its secret is used for H and nothing else). Throws InputError for a family that
/// hides no secret of rounding (hardness::Hidden) and for a source that is not of the instance's shape.
RoundingLinearisation linearise_rounding(const Spec& spec, const attention::SampleSource& source,
                                         std::int64_t examples, const RunContext& context);

/// Examples of `lwr` as plain LWR samples, for the attacks of lwe/: those of the first `examples` with the
/// switch on.
lwe::Challenge rounding_challenge(const Spec& spec, const attention::SampleSource& source,
                                  std::int64_t examples);

}  // namespace hardhead::experiments
