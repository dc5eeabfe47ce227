#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "learner/oracle/value_oracle.h"

/// Arithmetic for the learner `rational`: exact, and in double.
namespace hardhead::learner::rational {

/// A matrix as its rows.
template <class Number>
using Rows = std::vector<std::vector<Number>>;

/// The solution X of A X = B by elimination, A square. The pivot of a column is its largest entry. Nothing
/// where a pivot is 0.
template <class Number>
std::optional<Rows<Number>> solve(Rows<Number> a, Rows<Number> b) {
  using std::abs;
  const std::size_t n = a.size();
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t pivot = c;
    for (std::size_t r = c + 1; r < n; ++r)
      if (abs(a[r][c]) > abs(a[pivot][c])) pivot = r;
    if (a[pivot][c] == 0) return std::nullopt;
    std::swap(a[c], a[pivot]);
    std::swap(b[c], b[pivot]);
    for (std::size_t r = 0; r < n; ++r) {
      if (r == c || a[r][c] == 0) continue;
      const Number factor = a[r][c] / a[c][c];
      for (std::size_t k = c; k < n; ++k) a[r][k] -= factor * a[c][k];
      for (std::size_t k = 0; k < b[r].size(); ++k) b[r][k] -= factor * b[c][k];
    }
  }
  for (std::size_t r = 0; r < n; ++r)
    for (Number& entry : b[r]) entry /= a[r][r];
  return b;
}

/// Values of a layer built from powers of B, as they are. A logit is an integer multiple of ln B.
struct Exact {
  using Number = Rational;        ///< answers and rows of W
  using Exponent = std::int64_t;  ///< logits, in units of ln B

  ExactOracle& oracle;  ///< what is asked

  Index d() const { return oracle.d(); }  ///< features
  /// Row 0 of F at k tokens of signs, row-major.
  std::vector<Number> ask(const std::vector<int>& x) const;
  /// Numbers of copies: 1, 2, 3, .. (`count` of them).
  static std::vector<int> copies(std::size_t count);
  /// The exponents of r poles -B^e of g(n) = sum_i c_i / (n + B^e_i), from g at the first 2r of `n`: the
  /// roots of the denominator of the rational function through them. Empty unless there are r different ones.
  std::vector<Exponent> poles(const std::vector<int>& n, const std::vector<Number>& g, std::size_t r) const;
  /// X of A X = B, which has more rows than columns; the first rows decide.
  static std::optional<Rows<Number>> fit(Rows<Number> a, Rows<Number> b);
  /// B^e.
  Number power(Exponent e) const { return hardhead::power(Rational(oracle.base()), e); }
  /// Are two values that should agree the same?
  static bool same(const Number& x, const Number& y) { return x == y; }
  /// Are two rows that should agree the same?
  static bool alike(const std::vector<Number>& x, const std::vector<Number>& y) { return x == y; }
};

/// Values in double. Logits are natural.
struct Double {
  using Number = double;    ///< answers and rows of W
  using Exponent = double;  ///< logits

  ValueOracle& oracle;  ///< what is asked

  Index d() const { return oracle.d(); }                     ///< features
  std::vector<Number> ask(const std::vector<int>& x) const;  ///< as Exact::ask()
  /// Numbers of copies: 1, 2, 3, 4, 6, 9, 13, ..: the poles spread over orders of magnitude.
  static std::vector<int> copies(std::size_t count);
  /// As Exact::poles(), e^u for B^e: eigenvalues of the Loewner pencil, (g_k - g_l) / (n_k - n_l) against
  /// (n_k g_k - n_l g_l) / (n_k - n_l), k over every second value and l over the others.
  std::vector<Exponent> poles(const std::vector<int>& n, const std::vector<Number>& g, std::size_t r) const;
  /// Least squares of A X = B.
  static std::optional<Rows<Number>> fit(const Rows<Number>& a, const Rows<Number>& b);
  Number power(Exponent e) const { return std::exp(e); }  ///< e^u
  /// Within 1e-10 of the larger.
  static bool same(double x, double y) {
    return std::abs(x - y) <= 1e-10 * std::max(std::abs(x), std::abs(y));
  }
  /// Within a hundredth of the longer: rows of different heads are further apart.
  static bool alike(const std::vector<double>& x, const std::vector<double>& y);
};

}  // namespace hardhead::learner::rational
