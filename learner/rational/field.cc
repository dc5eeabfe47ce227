#include "learner/rational/field.h"

#include <numeric>

#include "base/numeric/decompositions.h"

namespace hardhead::learner::rational {

std::vector<Rational> Exact::ask(const std::vector<int>& x) const {
  std::vector<Rational> out = oracle.ask(x);
  out.resize(static_cast<std::size_t>(d()));
  return out;
}

std::vector<int> Exact::copies(std::size_t count) {
  std::vector<int> out(count);
  std::iota(out.begin(), out.end(), 1);
  return out;
}

namespace {

/// q of P(n) / Q(n) = g(n), deg P < r, Q = n^r + q_{r-1} n^{r-1} + .. + q_0, from the first 2r values.
std::optional<std::vector<Rational>> denominator(const std::vector<int>& n, const std::vector<Rational>& g,
                                                 std::size_t r) {
  Rows<Rational> a, b;
  for (std::size_t k = 0; k < 2 * r; ++k) {
    std::vector<Rational> row(2 * r);
    Rational power = 1;
    for (std::size_t l = 0; l < r; ++l, power *= n[k]) {
      row[l] = power;
      row[r + l] = -g[k] * power;
    }
    a.push_back(std::move(row));
    b.push_back({g[k] * power});
  }
  const auto solution = solve(std::move(a), std::move(b));
  if (!solution) return std::nullopt;
  std::vector<Rational> q;
  for (std::size_t l = 0; l < r; ++l) q.push_back((*solution)[r + l][0]);
  return q;
}

}  // namespace

// All roots are negative, so with s = -root, s <= sum s = q_{r-1} and 1/s <= sum 1/s = q_1 / q_0.
std::vector<std::int64_t> Exact::poles(const std::vector<int>& n, const std::vector<Rational>& g,
                                       std::size_t r) const {
  const auto q = denominator(n, g, r);
  if (!q) return {};
  const Rational first = q->front(), second = r > 1 ? (*q)[1] : Rational(1), last = q->back(),
                 base = oracle.base();
  if (first <= 0 || second <= 0 || last <= 0) return {};
  const Rational least = first / second;
  std::int64_t e = 0;
  Rational s = 1;
  while (s > least) s /= base, --e;
  std::vector<std::int64_t> out;
  for (; s <= last; s *= base, ++e) {
    Rational value = 1;
    for (std::size_t l = r; l-- > 0;) value = value * -s + (*q)[l];
    if (value == 0) out.push_back(e);
  }
  return out.size() == r ? out : std::vector<std::int64_t>();
}

std::optional<Rows<Rational>> Exact::fit(Rows<Rational> a, Rows<Rational> b) {
  const std::size_t columns = a.front().size();
  a.resize(columns);
  b.resize(columns);
  return solve(std::move(a), std::move(b));
}

std::vector<double> Double::ask(const std::vector<int>& x) const {
  const Index features = d(), k = static_cast<Index>(x.size()) / features;
  attention::Block block(features, k, 1);
  for (Index a = 0; a < k; ++a)
    for (Index f = 0; f < features; ++f) block.x(f, a) = x[static_cast<std::size_t>(a * features + f)];
  oracle.ask(block);
  const attention::Vector row = block.label(0);
  return {row.begin(), row.end()};
}

bool Double::alike(const std::vector<double>& x, const std::vector<double>& y) {
  using Row = Eigen::Map<const attention::Vector>;
  const Row a(x.data(), static_cast<Index>(x.size())), b(y.data(), static_cast<Index>(y.size()));
  return (a - b).norm() <= 1e-3 * std::max(a.norm(), b.norm());
}

std::vector<int> Double::copies(std::size_t count) {
  std::vector<int> out;
  for (int n = 1; out.size() < count; n = std::max(n + 1, n * 3 / 2)) out.push_back(n);
  return out;
}

std::vector<double> Double::poles(const std::vector<int>& n, const std::vector<double>& g,
                                  std::size_t r) const {
  const auto size = static_cast<Index>(r);
  attention::Matrix loewner(size, size), shifted(size, size);
  for (std::size_t k = 0; k < r; ++k)
    for (std::size_t l = 0; l < r; ++l) {
      const std::size_t even = 2 * k, odd = 2 * l + 1;
      const double gap = n[even] - n[odd];
      loewner(static_cast<Index>(k), static_cast<Index>(l)) = (g[even] - g[odd]) / gap;
      shifted(static_cast<Index>(k), static_cast<Index>(l)) = (n[even] * g[even] - n[odd] * g[odd]) / gap;
    }
  const attention::Matrix pencil = full_lu_solve(loewner, shifted);
  if (!pencil.allFinite()) return {};
  std::vector<double> out;
  const Eigen::VectorXcd roots = general_eigenvalues(pencil).values;
  for (const auto& root : roots)
    if (root.real() < 0 && root.imag() == 0) out.push_back(std::log(-root.real()));
  return out.size() == r ? out : std::vector<double>();
}

std::optional<Rows<double>> Double::fit(const Rows<double>& a, const Rows<double>& b) {
  const auto matrix_of = [](const Rows<double>& rows) {
    attention::Matrix out(static_cast<Index>(rows.size()), static_cast<Index>(rows.front().size()));
    for (Index r = 0; r < out.rows(); ++r)
      for (Index c = 0; c < out.cols(); ++c)
        out(r, c) = rows[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)];
    return out;
  };
  const attention::Matrix x = least_squares(matrix_of(a), matrix_of(b));
  Rows<double> out;
  for (Index r = 0; r < x.rows(); ++r) out.emplace_back(x.row(r).begin(), x.row(r).end());
  return out;
}

}  // namespace hardhead::learner::rational
