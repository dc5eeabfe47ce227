#pragma once
#include <string>
#include <variant>
#include <vector>

#include "attention/layer/layer.h"
#include "hardness/challenge/challenge.h"

namespace hardhead::challenge {

/// Predicted labels of all test inputs, [test_examples, k, d].
struct Predictions {
  std::vector<double> y;  ///< finite
};

/// What is handed in: predictions, a layer, or a secret of the problem behind the switch (parity: d - 1
/// numbers, 1 for the coordinates of the hidden set).
using Answer = std::variant<Predictions, attention::Layer, std::vector<lwe::Residue>>;

/// Reads an answer by the ending of its name. Throws InputError naming the file and the place.
///
///     .json           {"schema": "hardhead.lwe-solution/1", "instance": any text, "secret": [..]}
///     .csv            a line for each test input: k d numbers, token by token, with commas between them
///     .safetensors    `y` [test_examples, k, d], or a layer, `theta` and `w` [m, d, d]
Answer read_answer(const std::string& path, const LayerChallenge& challenge);

/// Whether an answer is right.
struct Verdict {
  bool right = false;  ///< every test label is
  std::string reason;  ///< one sentence: what is right or wrong, and for how many labels that is not known
};

/// As `challenge verify --json` has it.
template <class Visit>
void describe(Visit& visit, const Verdict*) {
  visit("right", &Verdict::right);
  visit("reason", &Verdict::reason);
}

/// Compares all test labels with the commitment. A prediction is read as the nearest label that there can be
/// (terms.h), or rounded to six digits after the point (`nice`): right to within a quarter of the distance of
/// labels, or to within rounding_margin, is right. Throws InputError for an answer that does not fit the
/// challenge, such as a layer of another d.
Verdict verify(const LayerChallenge& challenge, const Answer& answer);

}  // namespace hardhead::challenge
