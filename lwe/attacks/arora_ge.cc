#include <fmt/format.h>

#include <cmath>

#include "lwe/attacks/machine_speeds.h"
#include "lwe/attacks/registered_attacks.h"
#include "lwe/problem/echelon.h"

namespace hardhead::lwe {
namespace {

// h - anchor is one of `width` values f, so P(t) = prod_f (anchor + f - t) vanishes at t = <a, s>: an
// equation of degree `width` in s, linear in its monomials. S. Arora, R. Ge, "New algorithms for learning in
// presence of errors", ICALP 2011.
constexpr double max_monomials = 2500;
constexpr std::int64_t surplus_equations = 20;

double monomials(const ProblemParameters& p) {
  double count = 1;
  const std::int64_t degree = window(p).width();
  for (std::int64_t i = 1; i <= degree && count < 1e18; ++i)
    count *= static_cast<double>(p.n + i) / static_cast<double>(i);
  return std::round(count) - 1;  // without the constant
}

/// Coefficients of P, lowest first, mod q.
std::vector<std::uint64_t> polynomial(const ProblemParameters& p, Residue b) {
  const auto q = static_cast<std::uint64_t>(p.q);
  const Window allowed = window(p);
  std::vector<std::uint64_t> out = {1};
  for (std::int64_t f = allowed.low; f <= allowed.high; ++f) {
    const auto root = std::uint64_t{residue(anchor(p, b) + f, p.q)};
    out.push_back(0);
    for (std::size_t k = out.size(); k-- > 0;) out[k] = (out[k] * root + (k > 0 ? q - out[k - 1] : 0)) % q;
  }
  return out;
}

/// Coefficients of sum_k c_k <a, s>^k in the monomials s^alpha, 1 <= |alpha| <= degree:
/// <a, s>^k = sum_{|alpha| = k} k! / alpha! prod_j (a_j s_j)^alpha_j. Needs a prime q above the degree.
class Expansion {
 public:
  Expansion(std::int64_t n, std::size_t degree, std::int64_t q)
      : n_(static_cast<std::size_t>(n)), degree_(degree), q_(static_cast<std::uint64_t>(q)) {
    factorial_.push_back(1);
    for (std::size_t k = 1; k <= degree; ++k) factorial_.push_back(factorial_.back() * k % q_);
    for (const std::uint64_t f : factorial_) inverse_.push_back(inverse_mod(static_cast<Residue>(f), q));
  }

  void write(const std::vector<std::uint64_t>& c, std::span<const Residue> a, Residue* out) const {
    Residue* at = out;
    visit(c, a, 0, 0, 1, at);
  }

  /// Position of s_j among the monomials.
  std::vector<std::size_t> linear_positions() const {
    // s_j is the first monomial visited of those whose first variable is j.
    std::vector<std::size_t> out;
    std::size_t at = 0;
    for (std::size_t j = 0; j < n_; ++j) {
      out.push_back(at);
      for (std::size_t k = 1; k <= degree_; ++k) at += count(n_ - j - 1, degree_ - k);
    }
    return out;
  }

 private:
  /// Monomials of degree at most k in v variables, the constant included.
  static std::size_t count(std::size_t v, std::size_t k) {
    std::size_t out = 1;
    for (std::size_t i = 1; i <= k; ++i) out = out * (v + i) / i;
    return out;
  }

  // Every exponent of variable j, smallest j first; `product` is prod (a_j^alpha_j / alpha_j!) so far.
  void visit(const std::vector<std::uint64_t>& c, std::span<const Residue> a, std::size_t j,
             std::size_t degree, std::uint64_t product, Residue*& at) const {
    for (std::size_t v = j; v < n_; ++v) {
      std::uint64_t power = 1;
      for (std::size_t k = 1; degree + k <= degree_; ++k) {
        power = power * a[v] % q_;
        const std::uint64_t next = product * (power * inverse_[k] % q_) % q_;
        *at++ = static_cast<Residue>(c[degree + k] * (next * factorial_[degree + k] % q_) % q_);
        if (degree + k < degree_) visit(c, a, v + 1, degree + k, next, at);
      }
    }
  }

  std::size_t n_, degree_;
  std::uint64_t q_;
  std::vector<std::uint64_t> factorial_, inverse_;
};

Candidate run_arora_ge(const Challenge& challenge, const RunContext& context, std::string& message) {
  const ProblemParameters& p = challenge.parameters;
  const auto unknowns = static_cast<std::int64_t>(monomials(p));
  const std::int64_t rows = std::min(challenge.samples.count(), unknowns + surplus_equations);
  const Expansion expansion(p.n, static_cast<std::size_t>(window(p).width()), p.q);
  ModMatrix equations(rows, unknowns + 1);
  for (std::int64_t i = 0; i < rows; ++i) {
    context.stop.check();
    const auto c = polynomial(p, challenge.samples.label(i));
    expansion.write(c, challenge.samples.row(i), equations.row(i));
    equations.row(i)[unknowns] = residue(-static_cast<std::int64_t>(c[0]), p.q);
  }
  message = fmt::format("{} equations in {} monomials", rows, unknowns);
  const auto solution = solve_mod(std::move(equations), p.q, context.stop);
  if (!solution) {
    message += ": they leave the secret open";
    return std::nullopt;
  }
  std::vector<Residue> secret;
  for (const std::size_t at : expansion.linear_positions()) secret.push_back((*solution)[at]);
  return secret;
}

Cost arora_ge_cost(const ProblemParameters& p, std::int64_t) {
  if (!is_prime(p.q) || p.q == 2)
    return Cost::impossible(fmt::format("it works over a field of odd size, not mod {}", p.q));
  const auto width = window(p).width();
  if (width >= p.q) return Cost::impossible("a sample excludes no residue");
  const double unknowns = monomials(p);
  if (unknowns > max_monomials)
    return Cost::impossible(fmt::format("errors of {} values make {:.3g} monomials, more than {}", width,
                                        unknowns, max_monomials));
  return {std::nullopt, machine.start + machine.field_step * std::pow(unknowns, 3), 4 * unknowns * unknowns,
          unknowns};
}

}  // namespace

Attack detail::arora_ge_attack() {
  return {"arora-ge", "errors with few values as polynomial equations, linearised",
          "heuristic: the linearised equations are taken to have full rank; the witness is verified",
          arora_ge_cost, run_arora_ge};
}

}  // namespace hardhead::lwe
