#include "lwe/attacks/low_bits.h"

#include <fmt/format.h>

#include <algorithm>

#include "lwe/attacks/machine_speeds.h"
#include "lwe/attacks/registered_attacks.h"
#include "lwe/problem/gf2.h"

namespace hardhead::lwe {
namespace {

/// The value of `feature` on all candidates, if it is the same.
template <class Feature>
std::optional<bool> agreed(const std::vector<Residue>& candidates, const Feature& feature) {
  if (candidates.empty()) return std::nullopt;
  const bool first = feature(candidates.front());
  for (const Residue h : candidates)
    if (feature(h) != first) return std::nullopt;
  return first;
}

bool bit(std::uint64_t x, int k) {
  return (x >> k & 1) != 0;
}

class Lifting {
 public:
  Lifting(std::span<const ResidueEquation> equations, std::int64_t q, const StopToken& stop)
      : equations_(equations.begin(), equations.end()),
        n_(equations.front().a.size()),
        q_(q),
        stop_(stop),
        secret_(n_, 0) {}

  Candidate run(std::string& message) {
    int known = 0;
    if (lift(0))
      known = 1;
    else if (start_quadratic())
      known = 2;
    while (known > 0 && std::int64_t{1} << known < q_ && lift(known)) ++known;
    if (std::int64_t{1} << known >= q_) return secret_;
    message = known == 0 ? fmt::format("no bit of the secret: {} examples fix bit 0, {} bit 0 + bit 1, of {}",
                                       linear_, quadratic_, equations_.size())
                         : fmt::format("bits 0 .. {} of the secret; {} examples fix the next, of {}",
                                       known - 1, linear_, equations_.size());
    return std::nullopt;
  }

 private:
  /// Bit k of the secret, given its bits below.
  bool lift(int k) {
    stop_.check();
    const auto mask = static_cast<Residue>((std::uint64_t{1} << k) - 1);
    std::vector<Gf2Equation> system;
    for (ResidueEquation& e : equations_) {
      const Residue partial = inner_product(e.a, secret_, q_);
      std::erase_if(e.candidates, [&](Residue h) { return (h & mask) != (partial & mask); });
      const auto value = agreed(e.candidates, [&](Residue h) { return bit(h, k); });
      if (!value) continue;
      Gf2Equation row = Gf2Equation::zero(n_);
      for (std::size_t j = 0; j < n_; ++j)
        if (bit(e.a[j], 0)) row.set(j);
      row.rhs = *value != bit(partial, k);
      system.push_back(std::move(row));
    }
    linear_ = system.size();
    const auto x = only_gf2_solution(system, static_cast<std::int64_t>(n_));
    if (!x) return false;
    for (std::size_t j = 0; j < n_; ++j) secret_[j] |= (*x)[j] << k;
    return true;
  }

  /// Bits 0 and 1 at once, from bit 0 + bit 1 of h.
  bool start_quadratic() {
    if (q_ < 4) return false;
    const std::size_t unknowns = 2 * n_ + n_ * (n_ - 1) / 2;
    std::vector<Gf2Equation> system;
    for (const ResidueEquation& e : equations_) {
      stop_.check();
      const auto value = agreed(e.candidates, [](Residue h) { return bit(h, 0) != bit(h, 1); });
      if (!value) continue;
      Gf2Equation row = Gf2Equation::zero(unknowns);
      std::size_t at = 2 * n_;
      for (std::size_t i = 0; i < n_; ++i) {
        if (bit(e.a[i], 0)) row.set(i);
        if (bit(e.a[i], 1)) row.set(n_ + i);
        for (std::size_t j = i + 1; j < n_; ++j, ++at)
          if (bit(e.a[i], 0) && bit(e.a[j], 0)) row.set(at);
      }
      row.rhs = *value;
      system.push_back(std::move(row));
    }
    quadratic_ = system.size();
    const auto x = only_gf2_solution(system, static_cast<std::int64_t>(unknowns));
    if (!x) return false;
    for (std::size_t j = 0; j < n_; ++j) {
      const unsigned s0 = (*x)[n_ + j], s1 = (*x)[j] ^ s0;
      secret_[j] = static_cast<Residue>(s0 | s1 << 1);
    }
    return true;
  }

  std::vector<ResidueEquation> equations_;
  std::size_t n_;
  std::int64_t q_;
  const StopToken& stop_;
  std::vector<Residue> secret_;
  std::size_t linear_ = 0, quadratic_ = 0;
};

Candidate run_low_bits(const Challenge& challenge, const RunContext& context, std::string& message) {
  const ProblemParameters& p = challenge.parameters;
  std::vector<ResidueEquation> equations;
  const Window allowed = window(p);
  for (std::int64_t i = 0; i < challenge.samples.count(); ++i) {
    const auto row = challenge.samples.row(i);
    ResidueEquation e{{row.begin(), row.end()}, {}};
    for (std::int64_t f = allowed.low; f <= allowed.high; ++f)
      e.candidates.push_back(residue(anchor(p, challenge.samples.label(i)) + f, p.q));
    equations.push_back(std::move(e));
  }
  return linearise_low_bits(equations, p.q, context.stop, message);
}

Cost low_bits_cost(const ProblemParameters& p, std::int64_t samples) {
  if (p.problem != ProblemKind::lwr || !is_power_of_two(p.q))
    return Cost::impossible("it lifts bit by bit: for lwr with q a power of two");
  // Three residues in a row agree in no sum of low bits, nor do the two halves of a period.
  if (p.p < p.q && (p.q % p.p == 0 || window(p).width() > 2))
    return Cost::impossible("no label fixes a low bit");
  const auto n = static_cast<double>(p.n), used = static_cast<double>(samples);
  const double unknowns = 2 * n + n * (n - 1) / 2;
  return {std::nullopt,
          machine.start + machine.word_step * used *
                              (10 * n + static_cast<double>(window(p).width()) + unknowns * unknowns / 64),
          used * unknowns / 4, n};
}

}  // namespace

Candidate linearise_low_bits(std::span<const ResidueEquation> equations, std::int64_t q,
                             const StopToken& stop, std::string& message) {
  if (equations.empty()) {
    message = "no examples";
    return std::nullopt;
  }
  return Lifting(equations, q, stop).run(message);
}

Attack detail::low_bits_attack() {
  return {"low-bits", "linearisation of low-order bits over GF(2)",
          "exact where labels fix low bits; rounding to p levels, p dividing q, hides them all",
          low_bits_cost, run_low_bits};
}

}  // namespace hardhead::lwe
