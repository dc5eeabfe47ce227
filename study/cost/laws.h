#pragma once
#include <string>
#include <vector>

#include "base/statistics/cost_laws.h"

namespace hardhead::study {

/// A law's name with its coefficients c_1, c_2, .. in their places: "e^(1.9 m)". The places are {}, or {0}
/// for c_1 and {1} for c_2.
std::string law_text(std::string name, const std::vector<std::string>& coefficients);

/// ln C(d-1, m): of the hidden sets that a parity layer may have.
double ln_hidden_sets(double d, double m);

/// The laws that costs on nice layers are held against, at = {m, d}: a power of m, and exponentials of m, of
/// m ln m and of (m-1)^2 (docs/criteria_R6.md). The number of features does not come into them.
const std::vector<statistics::CostLaw>& nice_cost_laws();

/// Those of parity layers, at = {m, d}: d^(b m + c), and a power of C(d-1, m).
const std::vector<statistics::CostLaw>& parity_cost_laws();

/// Those of layers of rounding, at = {n, d}: a power of the number of secrets q^n = 2^(d-1), and d^(b n + c).
const std::vector<statistics::CostLaw>& rounding_cost_laws();

/// Those of juntas of one function of m bits, at = {d, m}: a power of d.
const std::vector<statistics::CostLaw>& junta_cost_laws();

}  // namespace hardhead::study
