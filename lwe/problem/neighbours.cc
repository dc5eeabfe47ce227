#include "lwe/problem/neighbours.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "lwe/problem/echelon.h"

namespace hardhead::lwe {
namespace {

constexpr double all_secrets = 12;  // log2 of how many are looked at one by one
constexpr double dual_bases = 8, basis_operations = 2e8;

/// log2 P(h - anchor(b) = low + k mod q) for k = 0, 1, .., up to a constant; other k have probability 0.
std::vector<double> log2_law(const ProblemParameters& p) {
  const Window allowed = window(p);
  std::vector<double> law(static_cast<std::size_t>(std::min(allowed.width(), p.q)), 0);
  if (p.problem == ProblemKind::lpn) {
    law = p.rate > 0 ? std::vector{std::log2(1 - p.rate), std::log2(p.rate)} : std::vector{0.0};
  } else if (p.problem == ProblemKind::lwe && p.noise == Noise::binomial) {
    for (std::int64_t e = allowed.low; e <= allowed.high; ++e) {
      const double ones = static_cast<double>(p.eta + e), bits = static_cast<double>(2 * p.eta);
      law[static_cast<std::size_t>((e - allowed.low) % p.q)] +=
          std::exp(std::lgamma(bits + 1) - std::lgamma(ones + 1) - std::lgamma(bits - ones + 1));
    }
    for (double& probability : law) probability = std::log2(probability);
  } else if (p.problem == ProblemKind::lwe && p.noise == Noise::gaussian && p.sigma > 0) {
    const DiscreteGaussian errors(p.sigma);
    for (std::int64_t e = allowed.low; e <= allowed.high; ++e)
      // At the ends the table may have 0, which no secret is to be excluded by.
      law[static_cast<std::size_t>((e - allowed.low) % p.q)] +=
          std::max(1.0, static_cast<double>(errors.probability(e)));
    for (double& probability : law) probability = std::log2(probability);
  }
  return law;
}

/// What the labels say of s + x against s.
class Comparison {
 public:
  Comparison(const ProblemParameters& p, const Samples& samples, std::span<const Residue> s)
      : p_(p), samples_(samples), s_(s), law_(log2_law(p)), hopeless_(-64 - p.log2_secrets()) {
    const std::int64_t low = window(p).low;
    for (std::int64_t i = 0; i < samples.count(); ++i) {
      const std::int64_t h = inner_product(samples.row(i), s, p.q);
      places_.push_back(residue(h - anchor(p, samples.label(i)) - low, p.q));
    }
  }

  /// Whether there is noise to mistake a secret for another one by.
  bool noisy() const { return law_.size() > 1; }
  /// log2 of the sum so far.
  double total() const { return std::log2(sum_); }

  /// Adds s + x, of which shift(i) = <a_i, x> mod q.
  template <class Shift>
  void add(const Shift& shift) {
    double ratio = 0;
    for (std::size_t i = 0; i < places_.size() && ratio > hopeless_; ++i) {
      const std::uint64_t change = shift(i);
      if (change == 0) continue;
      const std::size_t place = (places_[i] + change) % static_cast<std::uint64_t>(p_.q);
      if (place >= law_.size()) return;
      ratio += law_[place] - law_[places_[i]];
    }
    sum_ += std::exp2(ratio);
  }

  /// <a_i, x> mod q.
  Residue product(std::size_t i, std::span<const Residue> x) const {
    return inner_product(samples_.row(static_cast<std::int64_t>(i)), x, p_.q);
  }

  /// Adds s + x with x_j = `by` and x_l = -by, or x_j = `by` alone for l = j.
  void add_change(std::size_t j, std::size_t l, std::uint64_t by) {
    const auto q = static_cast<std::uint64_t>(p_.q);
    add([&](std::size_t i) {
      const auto row = samples_.row(static_cast<std::int64_t>(i));
      return (by * row[j] + (l == j ? 0 : (q - by) * row[l] % q)) % q;
    });
  }

  /// Adds -s, whose labels are those of s where two levels are rounded to the nearest, but for halves.
  void add_negative() {
    const auto q = static_cast<std::uint64_t>(p_.q);
    std::vector<Residue> negative;
    for (const Residue entry : s_) negative.push_back(static_cast<Residue>((q - entry) % q));
    if (std::ranges::equal(negative, s_) || !defect_of_secret(p_, negative).empty()) return;
    add([&](std::size_t i) { return 2 * (q - product(i, s_)) % q; });
  }

  /// Adds s + c x for all c that sample `seen` leaves, where <a, x> is a unit.
  void add_line(std::span<const Residue> x, std::size_t seen) {
    const auto q = static_cast<std::uint64_t>(p_.q);
    std::vector<Residue> values;  // <a_i, x>, as far as they were needed
    const auto value = [&](std::size_t i) {
      for (std::size_t k = values.size(); k <= i; ++k) values.push_back(product(k, x));
      return std::uint64_t{values[i]};
    };
    const Residue inverse = inverse_mod(product(seen, x), p_.q);
    for (std::size_t place = 0; place < law_.size(); ++place) {
      const std::uint64_t c = (place + q - places_[seen]) % q * inverse % q;
      if (c != 0 && is_secret(x, c)) add([&](std::size_t i) { return c * value(i) % q; });
    }
  }

  /// The first sample of which <a, x> is a unit, for a unit vector x. For a uniform secret mod a prime or a
  /// power of two there is one, since there is no kernel.
  std::optional<std::size_t> first_seen(std::size_t j) const {
    for (std::int64_t i = 0; i < samples_.count(); ++i)
      if (inverse_mod(samples_.row(i)[j], p_.q) != 0) return static_cast<std::size_t>(i);
    return std::nullopt;
  }

 private:
  /// Whether s + c x is a secret.
  bool is_secret(std::span<const Residue> x, std::uint64_t c) const {
    if (p_.secret == SecretKind::uniform) return true;
    std::vector<Residue> other(s_.begin(), s_.end());
    for (std::size_t j = 0; j < other.size(); ++j)
      other[j] = static_cast<Residue>((other[j] + c * x[j]) % static_cast<std::uint64_t>(p_.q));
    return defect_of_secret(p_, other).empty();
  }

  const ProblemParameters& p_;
  const Samples& samples_;
  std::span<const Residue> s_;
  std::vector<double> law_;
  double hopeless_, sum_ = 0;
  std::vector<std::size_t> places_;  ///< of s, in the law
};

void add_all_secrets(const ProblemParameters& p, std::span<const Residue> s, Comparison& out) {
  const std::vector<Residue> alphabet = p.alphabet();
  const auto n = static_cast<std::size_t>(p.n);
  std::vector<std::size_t> digit(n, 0);
  std::vector<Residue> other(n, alphabet[0]), x(n);
  for (std::size_t j = 0; j < n;) {
    if (!std::ranges::equal(other, s) && defect_of_secret(p, other).empty()) {
      for (std::size_t k = 0; k < n; ++k) x[k] = static_cast<Residue>((other[k] + p.q - s[k]) % p.q);
      out.add([&](std::size_t i) { return out.product(i, x); });
    }
    for (j = 0; j < n; ++j) {
      digit[j] = (digit[j] + 1) % alphabet.size();
      other[j] = alphabet[digit[j]];
      if (digit[j] != 0) break;
    }
  }
}

void add_small_changes(const ProblemParameters& p, std::span<const Residue> s, Comparison& out) {
  const auto q = static_cast<std::uint64_t>(p.q);
  const std::vector<Residue> alphabet = p.alphabet();
  for (std::size_t j = 0; j < s.size(); ++j) {
    for (const Residue other : alphabet)
      if (other != s[j] && (!p.has_fixed_weight() || (other != 0 && s[j] != 0)))
        out.add_change(j, j, (other + q - s[j]) % q);
    for (std::size_t l = 0; l < j; ++l)
      if (s[l] != s[j]) out.add_change(j, l, (s[l] + q - s[j]) % q);
  }
}

void add_unit_lines(const ProblemParameters& p, Comparison& out) {
  std::vector<Residue> x(static_cast<std::size_t>(p.n), 0);
  for (std::size_t j = 0; j < x.size(); ++j) {
    x[j] = 1;
    if (const auto seen = out.first_seen(j)) out.add_line(x, *seen);
    x[j] = 0;
  }
}

/// The lines of the dual of the first basis among the rows in a random order.
void add_dual_lines(const ProblemParameters& p, const Samples& samples, std::uint64_t number,
                    Comparison& out) {
  const Stream order(Domain::test, number, "bases of rows");
  const std::int64_t m = samples.count();
  for (std::int64_t looked_at = std::min(m, 2 * p.n + 32);; looked_at = std::min(m, 2 * looked_at)) {
    const std::vector<std::int64_t> rows = draw_subset(order, m, looked_at);
    // U (A^T | I), reduced: where A^T has the unit vectors of a basis, the rows of U are its dual.
    ModMatrix matrix(p.n, looked_at + p.n);
    for (std::int64_t j = 0; j < p.n; ++j) {
      for (std::int64_t k = 0; k < looked_at; ++k)
        matrix.row(j)[k] = samples.row(rows[static_cast<std::size_t>(k)])[static_cast<std::size_t>(j)];
      matrix.row(j)[looked_at + j] = 1;
    }
    const std::vector<std::int64_t> basis = reduce_rows(matrix, looked_at, p.q);
    if (static_cast<std::int64_t>(basis.size()) < p.n) {
      if (looked_at == m) return;
      continue;
    }
    for (std::int64_t j = 0; j < p.n; ++j) {
      const auto seen =
          static_cast<std::size_t>(rows[static_cast<std::size_t>(basis[static_cast<std::size_t>(j)])]);
      out.add_line({matrix.row(j) + looked_at, static_cast<std::size_t>(p.n)}, seen);
    }
    return;
  }
}

using Row = std::vector<std::uint64_t>;

/// Bezout's g = gcd(x, y) = u x + v y, with u and v mod q; y = 0 stands for q.
struct Bezout {
  std::uint64_t g, u, v;

  Bezout(std::uint64_t x, std::uint64_t y, std::uint64_t q) {
    auto r0 = static_cast<std::int64_t>(y == 0 ? q : y), r1 = static_cast<std::int64_t>(x);
    std::int64_t u0 = 0, u1 = 1, v0 = 1, v1 = 0;
    while (r1 != 0) {
      const std::int64_t quotient = r0 / r1;
      r0 = std::exchange(r1, r0 - quotient * r1);
      u0 = std::exchange(u1, u0 - quotient * u1);
      v0 = std::exchange(v1, v0 - quotient * v1);
    }
    const auto modulus = static_cast<std::int64_t>(q);
    g = static_cast<std::uint64_t>(r0);
    u = static_cast<std::uint64_t>((u0 % modulus + modulus) % modulus);
    v = static_cast<std::uint64_t>((v0 % modulus + modulus) % modulus);
  }
};

/// A triangular form of the module that rows span: for each column at most one row that begins there, with an
/// entry that divides q and those of all other rows of the module that begin there.
class Triangle {
 public:
  Triangle(std::int64_t n, std::int64_t q)
      : q_(static_cast<std::uint64_t>(q)), pivots_(static_cast<std::size_t>(n)) {}

  void add(Row row) {
    std::vector<Row> waiting{std::move(row)};
    while (!waiting.empty()) {
      Row next = std::move(waiting.back());
      waiting.pop_back();
      for (std::size_t c = 0; c < next.size(); ++c) {
        if (next[c] == 0) continue;
        Row& pivot = pivots_[c];
        if (pivot.empty() || next[c] % pivot[c] != 0) {
          // (next, pivot) become (u next + v pivot, (p next - n pivot) / g), by a matrix of determinant 1;
          // where there is no pivot, q at the column, which is 0, is one.
          const std::uint64_t n = next[c], p = pivot.empty() ? 0 : pivot[c];
          const Bezout bezout(n, p, q_);
          Row rest = combined(next, (p == 0 ? q_ : p) / bezout.g, pivot, q_ - n / bezout.g);
          pivot = combined(next, bezout.u, pivot, bezout.v);
          waiting.push_back(combined(pivot, q_ / bezout.g, {}, 0));  // what of it lies past the column
          next = std::move(rest);
          continue;
        }
        const std::uint64_t factor = q_ - next[c] / pivot[c];
        for (std::size_t j = c; j < next.size(); ++j) next[j] = (next[j] + factor * pivot[j]) % q_;
      }
    }
  }

  double log2_kernel() const {
    double sum = 0;
    for (std::size_t c = 0; c < pivots_.size(); ++c)
      sum += std::log2(static_cast<double>(pivots_[c].empty() ? q_ : pivots_[c][c]));
    return sum;
  }

 private:
  /// a x + b y mod q; y may be empty.
  Row combined(const Row& x, std::uint64_t a, const Row& y, std::uint64_t b) const {
    Row out = x;
    for (std::size_t j = 0; j < out.size(); ++j) {
      out[j] = a % q_ * out[j] % q_;
      if (!y.empty()) out[j] = (out[j] + b % q_ * y[j] % q_) % q_;
    }
    return out;
  }

  std::uint64_t q_;
  std::vector<Row> pivots_;
};

}  // namespace

bool neighbours_are_all(const ProblemParameters& p) {
  return static_cast<double>(p.n) * std::log2(static_cast<double>(p.entry_values())) <= all_secrets;
}

double log2_neighbours(const ProblemParameters& p, const Samples& samples, std::span<const Residue> secret) {
  Comparison out(p, samples, secret);
  if (neighbours_are_all(p)) {
    add_all_secrets(p, secret, out);
    return out.total();
  }
  const bool few_values = p.entry_values() <= 3;
  if (few_values) add_small_changes(p, secret, out);
  if (!out.noisy()) return out.total();  // on a line only a kernel could leave others
  out.add_negative();
  if (!few_values) add_unit_lines(p, out);
  const auto n = static_cast<double>(p.n);
  const double bases = std::floor(std::min(dual_bases, basis_operations / (n * n * (3 * n + 32))));
  for (std::uint64_t number = 0; static_cast<double>(number) < bases; ++number)
    add_dual_lines(p, samples, number, out);
  return out.total();
}

double log2_kernel(const Samples& samples, std::int64_t q) {
  Triangle triangle(samples.n, q);
  double left = triangle.log2_kernel();
  for (std::int64_t i = 0; i < samples.count() && left > 0; ++i) {
    const auto row = samples.row(i);
    triangle.add(Row(row.begin(), row.end()));
    // Each row divides the kernel by q at most: it cannot be trivial before there are n of them.
    if (i + 1 >= samples.n) left = triangle.log2_kernel();
  }
  return triangle.log2_kernel();
}

}  // namespace hardhead::lwe
