#pragma once
#include <fmt/format.h>

#include <optional>
#include <vector>

#include "base/run/stop_token.h"
#include "learner/rational/field.h"
#include "learner/recorder.h"

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

/// The heads as the learner finds them. Logits of Theta are in units such that 2 x^T Theta e = x^T n e in
/// those of the field's exponents: Theta_i = n_i (ln B) / 2, or n_i / 2 in double.
template <class Field>
struct Heads {
  std::vector<Rows<typename Field::Exponent>> n;  ///< m matrices of d x d
  std::vector<Rows<typename Field::Number>> w;    ///< likewise
};

/// Learns m heads from one token x and n copies of another, y, which is x but for the features of a set G:
///
///     row of x = x W_sum + sum_i n t_i / (1 + n t_i) (y - x) W_i,    t_i = exp(x^T Theta_i (y - x)),
///
/// a rational function of n with a pole for each head, at -s_i = -1/t_i. With signs sigma on G and x = sigma
/// there, y - x = -2 e_G, e_G = sum of sigma_f e_f over G, so ln s_i = 2 x^T Theta_i e_G and its vector is -2
/// e_G^T W_i. (The row is read as V(n) = (row - x W_sum) / -2 = sum_i n / (n + s_i) e_G^T W_i.)
///
/// One feature a is the anchor: a single flip of it shows the most heads. Column a of each Theta_i is linear
/// in x, so x and x with one other feature turned give it. G = {a, f} with signs (1, 1) and, for one x, (1,
/// -1) gives column f. A head is known again by its row e_G^T W_i. Where two heads have one pole their rows
/// are added there, and are told apart as long as rows of different heads are independent.
template <class Field>
class HeadFinder {
 public:
  using Number = typename Field::Number;      ///< of values
  using Exponent = typename Field::Exponent;  ///< of logits

  /// At most `most_heads` are looked for.
  HeadFinder(const Field& field, std::size_t most_heads, const Stream& stream, const StopToken& stop)
      : field_(field),
        most_heads_(most_heads),
        stream_(stream),
        stop_(stop),
        d_(static_cast<std::size_t>(field.d())) {}

  /// Throws Failed, and what the oracle throws.
  Heads<Field> find() {
    ask_w_sum();
    choose_anchor();
    find_anchor_column();
    for (std::size_t f = 0; f < d_; ++f)
      if (f != anchor_) find_column(f);
    return std::move(heads_);
  }

 private:
  using Signs = std::vector<int>;
  using Terms = std::vector<Term<Field>>;

  using Flip = std::vector<std::pair<std::size_t, int>>;  // features with signs

  Signs draw(const Flip& flip) {
    std::vector<double> random(d_);
    stream_.signs(drawn_++, random);
    Signs out(random.begin(), random.end());
    for (const auto& [f, sign] : flip) out[f] = sign;
    return out;
  }

  void ask_w_sum() {
    const Signs ones(d_, 1);
    const std::vector<Number> all = field_.ask(ones);
    w_sum_.assign(d_, all);
    for (std::size_t f = 1; f < d_; ++f) {
      Signs x = ones;
      x[f] = -1;
      const std::vector<Number> value = field_.ask(x);
      for (std::size_t b = 0; b < d_; ++b) {
        w_sum_[f][b] = (all[b] - value[b]) / 2;
        w_sum_[0][b] -= w_sum_[f][b];
      }
    }
  }

  /// (row of x - x W_sum) / -2 for n copies of y.
  std::vector<Number> value(const Signs& x, const Flip& flip, int n) {
    stop_.check();
    Signs y = x, query = x;
    for (const auto& [f, sign] : flip) y[f] = -y[f];
    for (int copy = 0; copy < n; ++copy) query.insert(query.end(), y.begin(), y.end());
    std::vector<Number> out = field_.ask(query);
    for (std::size_t b = 0; b < d_; ++b) {
      for (std::size_t f = 0; f < d_; ++f) out[b] -= x[f] * w_sum_[f][b];
      out[b] /= -2;
    }
    return out;
  }

  /// The terms at x, from `count` values.
  std::optional<Terms> terms(const Signs& x, const Flip& flip, std::size_t count) {
    stop_.check();
    Values<Field> values{Field::copies(count), {}};
    for (const int n : values.n) values.rows.push_back(value(x, flip, n));
    return terms_of(field_, values);
  }

  void choose_anchor() {
    for (std::size_t f = 0; f < d_; ++f) {
      const Flip flip{{f, 1}};
      const auto found = terms(draw(flip), flip, 2 * most_heads_);
      if (found && found->size() > m_) m_ = found->size(), anchor_ = f;
    }
    if (m_ == 0)
      throw Failed{"no feature shows a head: every W_i is 0, or answers are too far off for a pole"};
    heads_.n.assign(m_, Rows<Exponent>(d_, std::vector<Exponent>(d_, 0)));
    heads_.w.assign(m_, Rows<Number>(d_, std::vector<Number>(d_, Number(0))));
  }

  /// An x where every head has a pole of its own, and the terms there.
  std::pair<Signs, Terms> all_apart(const Flip& flip) {
    constexpr int tries = 100;
    for (int attempt = 0; attempt < tries; ++attempt) {
      Signs x = draw(flip);
      if (auto found = terms(x, flip, 2 * m_); found && found->size() == m_) return {x, *std::move(found)};
    }
    throw Failed{fmt::format(
        "at none of {} x do {} heads have poles of their own when {} features are flipped: rows of "
        "the W_i are 0 there, Theta_i are alike, or answers are too far off",
        tries, m_, flip.size())};
  }

  /// The logits of the heads at x, in the order of `rows`.
  std::vector<Exponent> logits(const Signs& x, const Flip& flip, const Rows<Number>& rows) {
    const auto found = terms(x, flip, 2 * m_);
    if (!found) throw Failed{"values are not those of m poles: answers are too far off"};
    std::vector<std::optional<Exponent>> out(m_);
    for (const Term<Field>& term : *found)
      for (const std::size_t i : heads_in(term.c, rows)) out[i] = term.e;
    std::vector<Exponent> all;
    for (const auto& e : out) {
      if (!e)
        throw Failed{"a head cannot be told by its row of W: rows of different heads are alike or dependent"};
      all.push_back(*e);
    }
    return all;
  }

  /// The heads whose rows add up to `sum`.
  std::vector<std::size_t> heads_in(const std::vector<Number>& sum, const Rows<Number>& rows) const {
    for (std::size_t i = 0; i < m_; ++i)
      if (Field::alike(sum, rows[i])) return {i};
    // rows^T kappa = sum by its normal equations, kappa in {0, 1}.
    Rows<Number> gram(m_, std::vector<Number>(m_, Number(0))), right(m_, {Number(0)});
    for (std::size_t i = 0; i < m_; ++i)
      for (std::size_t b = 0; b < d_; ++b) {
        right[i][0] += rows[i][b] * sum[b];
        for (std::size_t l = 0; l < m_; ++l) gram[i][l] += rows[i][b] * rows[l][b];
      }
    std::vector<std::size_t> out;
    if (const auto kappa = solve(std::move(gram), std::move(right)))
      for (std::size_t i = 0; i < m_; ++i)
        if (Field::same((*kappa)[i][0], Number(1))) out.push_back(i);
    return out;
  }

  /// The logits that features outside the flip add, b by b: half the change when x_b is turned, times x_b.
  /// And what the flipped features add together.
  struct Linear {
    Rows<Number> rows;                         // e_G^T W_i
    std::vector<std::vector<Exponent>> parts;  // of head i: by feature, 0 on the flip
    std::vector<Exponent> on_flip;             // of head i
  };

  Linear linear_in_x(const Flip& flip) {
    Linear out;
    auto [x, apart] = all_apart(flip);
    std::vector<Exponent> at_x;
    for (Term<Field>& term : apart) {
      out.rows.push_back(std::move(term.c));
      at_x.push_back(term.e);
    }
    out.parts.assign(m_, std::vector<Exponent>(d_, 0));
    out.on_flip = at_x;
    for (std::size_t b = 0; b < d_; ++b) {
      if (std::ranges::any_of(flip, [&](const auto& part) { return part.first == b; })) continue;
      Signs turned = x;
      turned[b] = -x[b];
      const std::vector<Exponent> there = logits(turned, flip, out.rows);
      for (std::size_t i = 0; i < m_; ++i) {
        out.parts[i][b] = (at_x[i] - there[i]) / 2 * x[b];
        out.on_flip[i] -= out.parts[i][b] * x[b];
      }
    }
    return out;
  }

  void find_anchor_column() {
    const Linear found = linear_in_x({{anchor_, 1}});
    for (std::size_t i = 0; i < m_; ++i) {
      for (std::size_t b = 0; b < d_; ++b) heads_.n[i][b][anchor_] = found.parts[i][b];
      heads_.n[i][anchor_][anchor_] = found.on_flip[i];
      heads_.w[i][anchor_] = found.rows[i];
    }
  }

  void find_column(std::size_t f) {
    const Linear sums = linear_in_x({{anchor_, 1}, {f, 1}});
    const auto [x, differences] = all_apart({{anchor_, 1}, {f, -1}});
    std::vector<bool> taken(m_, false);
    for (std::size_t i = 0; i < m_; ++i) {
      const auto [sum, difference] = partners(heads_.w[i][anchor_], sums.rows, differences);
      if (taken[sum])
        throw Failed{"one row of W is that of two heads: rows of different heads are alike or dependent"};
      taken[sum] = true;
      store(sums, sum, i, f, outside(i, sums.parts[sum], f, x, differences[difference].e));
    }
  }

  /// Which of the rows W_a + W_f, and which of the rows W_a - W_f, are those of the head whose W_a this is:
  /// their sum is 2 W_a. Where W_f is 0 both are W_a.
  std::pair<std::size_t, std::size_t> partners(const std::vector<Number>& w_a, const Rows<Number>& sums,
                                               const Terms& differences) const {
    std::optional<std::pair<std::size_t, std::size_t>> out;
    for (std::size_t s = 0; s < m_; ++s) {
      std::vector<Number> rest(d_);
      for (std::size_t b = 0; b < d_; ++b) rest[b] = 2 * w_a[b] - sums[s][b];
      for (std::size_t t = 0; t < m_; ++t) {
        if (!Field::alike(rest, differences[t].c)) continue;
        if (!out || Field::alike(sums[s], w_a)) out = {s, t};
      }
    }
    if (!out)
      throw Failed{
          "the rows of W that two flips show do not belong to the heads of the anchor: rows of different "
          "heads are dependent, or answers are too far off"};
    return *out;
  }

  /// n_aa - n_af - n_fa + n_ff of head i, from its logit at x with signs (1, -1): outside the flip, column a
  /// less column f is added. `parts` are those of the sum of the two columns.
  Exponent outside(std::size_t i, const std::vector<Exponent>& parts, std::size_t f, const Signs& x,
                   Exponent e) const {
    for (std::size_t b = 0; b < d_; ++b)
      if (b != anchor_ && b != f) e -= x[b] * (2 * heads_.n[i][b][anchor_] - parts[b]);
    return e;
  }

  /// Writes column f of head i, which is head `from` of the sums: on the flip these are n_aa + n_af + n_fa +
  /// n_ff, and `difference` is n_aa - n_af - n_fa + n_ff.
  void store(const Linear& sums, std::size_t from, std::size_t i, std::size_t f, Exponent difference) {
    Rows<Exponent>& n = heads_.n[i];
    for (std::size_t b = 0; b < d_; ++b) {
      heads_.w[i][f][b] = sums.rows[from][b] - heads_.w[i][anchor_][b];
      if (b != anchor_ && b != f) n[b][f] = sums.parts[from][b] - n[b][anchor_];
    }
    const Exponent sum = sums.on_flip[from];
    n[f][f] = (sum + difference) / 2 - n[anchor_][anchor_];
    n[anchor_][f] = (sum - difference) / 2 - n[f][anchor_];
  }

  const Field& field_;
  std::size_t most_heads_;
  Stream stream_;
  StopToken stop_;
  std::size_t d_, m_ = 0, anchor_ = 0;
  std::uint64_t drawn_ = 0;
  Rows<Number> w_sum_;
  Heads<Field> heads_;
};

}  // namespace hardhead::learner::rational
