#pragma once
#include <optional>
#include <vector>

#include "learner/rational/field.h"

namespace hardhead::learner::rational {

/// A term n / (n + s) c of a rational function of n, s = B^e.
template <class Field>
struct Term {
  typename Field::Exponent e;             ///< logarithm of s
  std::vector<typename Field::Number> c;  ///< d numbers
};

/// Values R(n_1), R(n_2), .. of R(n) = sum_i n / (n + s_i) c_i: d numbers each.
template <class Field>
struct Values {
  std::vector<int> n;                 ///< numbers of copies
  Rows<typename Field::Number> rows;  ///< R at each
};

/// u . R(n) / n for fixed u with entries 1 .. 104729, in which no term is lost but by bad luck.
template <class Field>
std::vector<typename Field::Number> projected(const Values<Field>& values) {
  std::vector<typename Field::Number> out;
  for (std::size_t k = 0; k < values.n.size(); ++k) {
    typename Field::Number sum = 0;
    for (std::size_t f = 0; f < values.rows[k].size(); ++f)
      sum += static_cast<int>(7919 * (f + 1) % 104729 + 1) * values.rows[k][f];
    out.push_back(sum / values.n[k]);
  }
  return out;
}

/// The terms of R: as few as explain its values, at most half as many. Nothing where there are no such terms.
/// That fewer than half as many explain them is checked by the values that are left.
template <class Field>
std::optional<std::vector<Term<Field>>> terms_of(const Field& field, const Values<Field>& values) {
  using Number = typename Field::Number;
  const std::vector<Number> g = projected<Field>(values);
  const auto zero = [](const Number& value) { return value == 0; };
  if (std::ranges::all_of(g, zero)) return std::vector<Term<Field>>();
  for (std::size_t r = 1; 2 * r <= g.size(); ++r) {
    const auto exponents = field.poles(values.n, g, r);
    if (exponents.empty()) continue;
    Rows<Number> shares;
    for (const int n : values.n) {
      std::vector<Number> row;
      for (const auto e : exponents) row.push_back(n / (n + field.power(e)));
      shares.push_back(std::move(row));
    }
    const auto c = Field::fit(shares, values.rows);
    if (!c) continue;
    std::vector<Term<Field>> out;
    for (std::size_t i = 0; i < r; ++i) out.push_back({exponents[i], (*c)[i]});
    bool explained = true;
    for (std::size_t k = 0; 2 * r < g.size() && k < g.size(); ++k)
      for (std::size_t f = 0; f < values.rows[k].size(); ++f) {
        Number sum = 0;
        for (std::size_t i = 0; i < r; ++i) sum += shares[k][i] * out[i].c[f];
        explained = explained && Field::same(sum, values.rows[k][f]);
      }
    if (explained) return out;
  }
  return std::nullopt;
}

}  // namespace hardhead::learner::rational
