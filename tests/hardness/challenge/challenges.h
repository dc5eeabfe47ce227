#pragma once
#include <vector>

#include "attention/samples/sample_source.h"
#include "hardness/challenge/answer.h"
#include "hardness/challenge/challenge_file.h"
#include "hardness/challenge/commitment.h"
#include "hardness/challenge/make.h"

/// What tests of challenges share.
namespace hardhead::challenge {

inline MadeLayerChallenge made_of(const std::string& spec, std::int64_t examples) {
  return make_challenge(Spec::parse(spec), examples, {});
}

inline void write_challenge(const std::string& path, const LayerChallenge& challenge) {
  AtomicFile file(path);
  write_challenge(file, challenge);
  file.commit();
}

/// The exact labels g of a secret on the test inputs.
inline std::vector<lwe::Residue> test_labels(const LayerChallenge& challenge,
                                             const std::vector<lwe::Residue>& secret) {
  attention::Block tests = test_inputs(challenge);
  const SamplesBehindSwitch& terms = *challenge.terms.behind_switch;
  const lwe::Samples rows = rows_behind_switch(terms, tests);
  std::vector<lwe::Residue> g;
  for (std::int64_t i = 0; i < rows.count(); ++i)
    g.push_back(lwe::label(terms.problem, rows.row(i).data(), secret, 0));
  return g;
}

/// The right predictions of a secret, [test_examples, k, d].
inline Predictions right_predictions(const LayerChallenge& challenge, const Secret& secret) {
  attention::Block tests = test_inputs(challenge);
  if (const auto* layer = std::get_if<attention::Layer>(&secret))
    attention::LayerTeacher(*layer).label(tests);
  else
    write_labels(*challenge.terms.behind_switch,
                 test_labels(challenge, std::get<std::vector<lwe::Residue>>(secret)), tests);
  Predictions out{std::vector<double>(static_cast<std::size_t>(tests.y.size()))};
  attention::write_as_array(tests.y, tests.k, out.y.data());
  return out;
}

}  // namespace hardhead::challenge
