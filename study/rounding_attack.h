#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "attention/sample_source.h"
#include "base/run_control.h"
#include "base/spec.h"
#include "lwe/attack.h"

namespace hardhead::study {

/// What linearisation makes of examples of the families `lwr` and `staircase` (hardness/rounding_layer.h).
struct RoundingLinearisation {
  std::vector<lwe::Residue> secret;  ///< empty if none was found
  std::int64_t examples = 0;         ///< read
  std::int64_t equations = 0;        ///< examples among them with the switch on
  std::int64_t checked = 0;          ///< later examples with the switch on
  std::int64_t agreeing = 0;         ///< of those, the ones whose label the secret reproduces
  std::string message;               ///< one sentence on how it went
  double seconds = 0;                ///< reading and solving

  /// A secret, which gives every label it was checked on?
  bool verified() const { return !secret.empty() && checked > 0 && agreeing == checked; }
};

/// Everything but the secret and H = <s, 1> is public; H is told (the heads of a layer show it). So label values are public,
/// and each leaves some residues of h = <w, a> mod q: those of all h in 0 .. H with that label, bit for bit. Where labels are
/// those of LWR exactly, that is a whole plateau; where steps are finite, a label that is off its plateau leaves one or two.
/// lwe::linearise_low_bits() does the rest. The secret is checked on 1000 later examples: it must give every label, bit for bit.
///
/// `spec` names the instance (its secret is used for H and nothing else). Throws InputError for another family or a source that
/// is not of its shape.
RoundingLinearisation linearise_rounding(const Spec& spec, const attention::SampleSource& source,
                                         std::int64_t examples, const RunControl& control);

/// Examples of `lwr` as plain LWR samples, for the attacks of lwe/: those of the first `examples` with the switch on.
lwe::Challenge rounding_challenge(const Spec& spec, const attention::SampleSource& source,
                                  std::int64_t examples);

}  // namespace hardhead::study
