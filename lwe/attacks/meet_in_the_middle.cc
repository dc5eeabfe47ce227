#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lwe/attacks/best_fit.h"
#include "lwe/attacks/machine_speeds.h"
#include "lwe/attacks/registered_attacks.h"

namespace hardhead::lwe {
namespace {

// h = x + y, x from the first half of the secret and y from the second. Sample i wants x in [c_i + low - y,
// c_i + high - y]: an interval that touches at most two cells of Z_q, if cells are at least as long. Keys are
// the cells of the first k samples' x; a y looks up every combination of the cells that its intervals touch.
constexpr double cell_over_width = 4, max_log2_half = 25;

struct Grid {
  std::int64_t q;
  Window allowed;
  std::int64_t cell, cells;
  explicit Grid(const ProblemParameters& p)
      : q(p.q),
        allowed(window(p)),
        cell(std::max<std::int64_t>(1, static_cast<std::int64_t>(cell_over_width) * allowed.width())),
        cells(q / cell) {}
  std::int64_t of(std::int64_t x) const { return std::min(residue(x, q) / cell, cells - 1); }
};

double log2_alphabet(const ProblemParameters& p) {
  return std::log2(static_cast<double>(p.entry_values()));
}

class Halves {
 public:
  Halves(const Challenge& challenge)
      : challenge_(challenge),
        p_(challenge.parameters),
        alphabet_(p_.alphabet()),
        grid_(p_),
        split_(p_.n / 2),
        keys_(std::clamp<std::int64_t>(
            static_cast<std::int64_t>(std::ceil(static_cast<double>(p_.n - split_) * log2_alphabet(p_) /
                                                std::log2(static_cast<double>(grid_.cells)))),
            1, challenge.samples.count())) {}

  Candidate run(const RunContext& context) {
    for_each_half(0, split_, context, "table", [&](const std::vector<Residue>& half, std::uint64_t index) {
      std::uint64_t key = 0;
      for (std::int64_t i = 0; i < keys_; ++i)
        key = key * static_cast<std::uint64_t>(grid_.cells) +
              static_cast<std::uint64_t>(grid_.of(sum(i, 0, half)));
      table_.emplace_back(key, index);
      return false;
    });
    std::ranges::sort(table_);
    for_each_half(split_, p_.n, context, "matching", [&](const std::vector<Residue>& half, std::uint64_t) {
      look_up(half, 0, 0);
      return found_.verified();
    });
    return found_.secret();
  }

 private:
  std::int64_t sum(std::int64_t i, std::int64_t first, const std::vector<Residue>& half) const {
    return inner_product(challenge_.samples.row(i).subspan(static_cast<std::size_t>(first), half.size()),
                         half, p_.q);
  }

  std::vector<Residue> half_of(std::uint64_t index, std::int64_t length) const {
    std::vector<Residue> half(static_cast<std::size_t>(length));
    for (Residue& value : half) {
      value = alphabet_[index % alphabet_.size()];
      index /= alphabet_.size();
    }
    return half;
  }

  template <class Visit>
  void for_each_half(std::int64_t first, std::int64_t end, const RunContext& context, const char* phase,
                     const Visit& visit) const {
    std::uint64_t count = 1;
    for (std::int64_t j = first; j < end; ++j) count *= alphabet_.size();
    for (std::uint64_t index = 0; index < count; ++index) {
      if (index % 4096 == 0) {
        context.stop.check();
        context.progress.report(phase, static_cast<double>(index) / static_cast<double>(count));
      }
      if (visit(half_of(index, end - first), index)) return;
    }
  }

  void look_up(const std::vector<Residue>& second, std::int64_t i, std::uint64_t key) {
    if (found_.verified()) return;
    if (i == keys_) {
      const auto [begin, end] =
          std::ranges::equal_range(table_, key, {}, &std::pair<std::uint64_t, std::uint64_t>::first);
      for (auto at = begin; at != end && !found_.verified(); ++at) test(half_of(at->second, split_), second);
      return;
    }
    const std::int64_t centre = anchor(p_, challenge_.samples.label(i)) - sum(i, split_, second);
    const std::int64_t low = grid_.of(centre + grid_.allowed.low),
                       high = grid_.of(centre + grid_.allowed.high);
    key *= static_cast<std::uint64_t>(grid_.cells);
    look_up(second, i + 1, key + static_cast<std::uint64_t>(low));
    if (high != low) look_up(second, i + 1, key + static_cast<std::uint64_t>(high));
  }

  void test(std::vector<Residue> secret, const std::vector<Residue>& second) {
    secret.insert(secret.end(), second.begin(), second.end());
    for (std::int64_t i = 0; i < challenge_.samples.count(); ++i) {
      const std::int64_t f = sum(i, 0, secret) - anchor(p_, challenge_.samples.label(i)) - grid_.allowed.low;
      if (residue(f, p_.q) >= grid_.allowed.width()) return;
    }
    const Verification says = verify(p_, challenge_.samples, secret);
    found_.offer(says, std::move(secret));
  }

  const Challenge& challenge_;
  const ProblemParameters& p_;
  std::vector<Residue> alphabet_;
  Grid grid_;
  std::int64_t split_, keys_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> table_;  ///< key, index of the first half
  BestFit found_;
};

Candidate run_mitm(const Challenge& challenge, const RunContext& context, std::string& message) {
  auto found = Halves(challenge).run(context);
  if (!found) message = "no pair of halves fits all samples";
  return found;
}

Cost mitm_cost(const ProblemParameters& p, std::int64_t) {
  const Grid grid(p);
  if (p.problem == ProblemKind::lpn || grid.cells < 2)
    return Cost::impossible(
        fmt::format("a label leaves {} of {} residues: too many to match halves on", window(p).width(), p.q));
  const std::int64_t half = p.n - p.n / 2;
  const double log2_half = static_cast<double>(half) * log2_alphabet(p);
  if (log2_half > max_log2_half)
    return Cost::impossible(fmt::format("2^{:.0f} halves are more than 2^{}", log2_half, max_log2_half));
  const double cells = static_cast<double>(grid.cells), keys = std::ceil(log2_half / std::log2(cells));
  const double probes = std::pow(1 + 1 / cell_over_width, keys);
  const double width = static_cast<double>(window(p).width()) / static_cast<double>(p.q);
  return {std::nullopt, machine.start + machine.probe * std::exp2(log2_half) * (keys + probes),
          16 * std::exp2(log2_half), std::max(keys, p.log2_secrets() / -std::log2(width))};
}

}  // namespace

Attack detail::mitm_attack() {
  return {"mitm", "meet in the middle: halves of the secret matched by the cells of their sums",
          "proved: finds the secret whenever the samples determine it", mitm_cost, run_mitm};
}

}  // namespace hardhead::lwe
