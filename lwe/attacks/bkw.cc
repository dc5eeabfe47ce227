#include "lwe/attacks/bkw.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "base/numeric/walsh_hadamard.h"
#include "lwe/attacks/machine_speeds.h"
#include "lwe/attacks/registered_attacks.h"

namespace hardhead::lwe {
namespace {

using std::numbers::pi;
constexpr double max_table = 33554432;  // 2^25
constexpr std::int64_t max_rounds = 12;
constexpr double least_bias = 1e-9;  // with less, no number of samples is enough
constexpr double any_number = 1e18;  // of samples

/// Samples as BKW adds and subtracts them: coefficients, then twice the middle of what the label allows, mod
/// 2q.
class Rows {
 public:
  Rows(const Challenge& challenge, const std::vector<Residue>& known_tail, std::int64_t count)
      : q_(challenge.parameters.q),
        n_(challenge.parameters.n - static_cast<std::int64_t>(known_tail.size())) {
    const Window allowed = window(challenge.parameters);
    const std::int64_t twice_middle =
        challenge.parameters.problem == ProblemKind::lpn ? 0 : allowed.low + allowed.high;
    for (std::int64_t i = 0; i < count; ++i) {
      const auto row = challenge.samples.row(i);
      data_.insert(data_.end(), row.begin(), row.begin() + n_);
      const std::int64_t known = inner_product(row.last(known_tail.size()), known_tail, q_);
      const std::int64_t told = anchor(challenge.parameters, challenge.samples.label(i)) - known;
      data_.push_back(residue(2 * told + twice_middle, 2 * q_));
    }
  }

  std::int64_t n() const { return n_; }
  std::int64_t count() const { return static_cast<std::int64_t>(data_.size()) / (n_ + 1); }
  const Residue* row(std::int64_t i) const { return data_.data() + i * (n_ + 1); }

  /// Makes coordinates first .. end - 1 zero in all rows that are left.
  void cancel(std::int64_t first, std::int64_t end, const StopToken& stop) {
    std::size_t keys = 1;
    for (std::int64_t j = first; j < end; ++j) keys *= static_cast<std::size_t>(q_);
    std::vector<std::int32_t> table(keys, -1);
    std::vector<Residue> kept;
    const auto width = static_cast<std::size_t>(n_ + 1);
    std::int64_t out = 0;
    for (std::int64_t i = 0; i < count(); ++i) {
      if (i % 65536 == 0) stop.check();
      Residue* own = data_.data() + static_cast<std::size_t>(i) * width;
      const std::size_t key = canonical_key(own, first, end);
      if (key != 0 && table[key] < 0) {
        table[key] = static_cast<std::int32_t>(kept.size() / width);
        kept.insert(kept.end(), own, own + width);
        continue;
      }
      Residue* target = data_.data() + static_cast<std::size_t>(out++) * width;
      if (key == 0)
        std::copy_n(own, width, target);
      else
        subtract(own, kept.data() + static_cast<std::size_t>(table[key]) * width, target);
    }
    data_.resize(static_cast<std::size_t>(out) * width);
  }

 private:
  /// The block as a number, after the row has been negated if that makes its first nonzero entry at most q/2.
  std::size_t canonical_key(Residue* row, std::int64_t first, std::int64_t end) const {
    const auto q = static_cast<Residue>(q_);
    std::int64_t lead = first;
    while (lead < end && row[lead] == 0) ++lead;
    if (lead == end) return 0;
    if (row[lead] > q / 2) {
      for (std::int64_t j = 0; j < n_; ++j) row[j] = row[j] == 0 ? 0 : q - row[j];
      row[n_] = row[n_] == 0 ? 0 : 2 * q - row[n_];
    }
    std::size_t key = 0;
    for (std::int64_t j = first; j < end; ++j) key = key * static_cast<std::size_t>(q_) + row[j];
    return key;
  }

  void subtract(const Residue* x, const Residue* y, Residue* out) const {
    const auto q = static_cast<Residue>(q_);
    for (std::int64_t j = 0; j < n_; ++j) out[j] = x[j] >= y[j] ? x[j] - y[j] : x[j] + q - y[j];
    out[n_] = x[n_] >= y[n_] ? x[n_] - y[n_] : x[n_] + 2 * q - y[n_];
  }

  std::int64_t q_, n_;
  std::vector<Residue> data_;
};

/// In place over Z_q^tail: values[s] becomes sum_a exp(-2 pi i <a, s> / q) values[a]; for q = 2
/// Walsh-Hadamard.
void fourier(std::vector<std::complex<double>>& values, std::int64_t q, const StopToken& stop) {
  if (q == 2) {
    simple_walsh_hadamard(std::span(values));
    return;
  }
  const auto size = static_cast<std::size_t>(q);
  std::vector<std::complex<double>> root(size), line(size);
  for (std::size_t k = 0; k < size; ++k)
    root[k] = std::polar(1.0, -2 * pi * static_cast<double>(k) / static_cast<double>(q));
  for (std::size_t stride = 1; stride < values.size(); stride *= size)
    for (std::size_t block = 0; block < values.size(); block += stride * size) {
      stop.check();
      for (std::size_t at = block; at < block + stride; ++at) {
        for (std::size_t s = 0; s < size; ++s) {
          std::complex<double> sum = 0;
          for (std::size_t a = 0; a < size; ++a) sum += values[at + a * stride] * root[a * s % size];
          line[s] = sum;
        }
        for (std::size_t s = 0; s < size; ++s) values[at + s * stride] = line[s];
      }
    }
}

/// The tail whose combined samples agree best.
std::vector<Residue> read_tail(const Rows& rows, std::int64_t tail, std::int64_t q, const StopToken& stop) {
  std::size_t size = 1;
  for (std::int64_t j = 0; j < tail; ++j) size *= static_cast<std::size_t>(q);
  std::vector<std::complex<double>> values(size);
  for (std::int64_t i = 0; i < rows.count(); ++i) {
    const Residue* row = rows.row(i);
    std::size_t at = 0;
    for (std::int64_t j = rows.n() - tail; j < rows.n(); ++j) at = at * static_cast<std::size_t>(q) + row[j];
    values[at] += std::polar(1.0, pi * row[rows.n()] / static_cast<double>(q));
  }
  fourier(values, q, stop);
  std::size_t best = 0;
  for (std::size_t s = 1; s < size; ++s)
    if (values[s].real() > values[best].real()) best = s;
  std::vector<Residue> out(static_cast<std::size_t>(tail));
  for (std::size_t j = out.size(); j-- > 0;) {
    out[j] = static_cast<Residue>(best % static_cast<std::size_t>(q));
    best /= static_cast<std::size_t>(q);
  }
  return out;
}

Candidate run_bkw(const Challenge& challenge, const RunContext& context, std::string& message) {
  const ProblemParameters& p = challenge.parameters;
  std::vector<Residue> known;  // the last coordinates of the secret
  while (static_cast<std::int64_t>(known.size()) < p.n) {
    const std::int64_t left = p.n - static_cast<std::int64_t>(known.size());
    const auto plan = plan_bkw(p, left, static_cast<double>(challenge.samples.count()));
    if (!plan) return std::nullopt;
    Rows rows(challenge, known,
              std::min(challenge.samples.count(), static_cast<std::int64_t>(std::ceil(plan->samples))));
    for (std::int64_t round = 0; round < plan->rounds; ++round) {
      rows.cancel(round * plan->block, std::min(left - plan->tail, (round + 1) * plan->block), context.stop);
      context.progress.report("BKW", static_cast<double>(p.n - left) / static_cast<double>(p.n));
    }
    const auto found = read_tail(rows, plan->tail, p.q, context.stop);
    if (known.empty())
      message = fmt::format("{} rounds of {} coordinates, {} by Fourier transform of {} combinations",
                            plan->rounds, plan->block, plan->tail, rows.count());
    known.insert(known.begin(), found.begin(), found.end());
  }
  return known;
}

Cost bkw_cost(const ProblemParameters& p, std::int64_t samples) {
  if (sample_bias(p) < least_bias) return Cost::impossible("a sample has no bias");
  const auto unlimited = plan_bkw(p, p.n, any_number);
  if (!unlimited)
    return Cost::impossible(fmt::format("no plan with tables of at most {:.0f} entries", max_table));
  const auto plan = plan_bkw(p, p.n, static_cast<double>(samples));
  const BkwPlan& chosen = plan ? *plan : *unlimited;
  return {std::nullopt, machine.start + chosen.seconds, chosen.memory_bytes, chosen.samples};
}

}  // namespace

double sample_bias(const ProblemParameters& p) {
  const auto q = static_cast<double>(p.q);
  if (p.problem == ProblemKind::lpn) return 1 - 2 * p.rate;
  if (p.problem == ProblemKind::lwe)
    return p.noise == Noise::binary     ? std::cos(pi / q)
           : p.noise == Noise::binomial ? std::pow(std::cos(pi / q), static_cast<double>(2 * p.eta))
                                        : std::exp(-2 * pi * pi * p.sigma * p.sigma / (q * q));
  const auto width = static_cast<double>(window(p).width());
  return std::sin(pi * width / q) / (width * std::sin(pi / q));
}

std::optional<BkwPlan> plan_bkw(const ProblemParameters& p, std::int64_t n, double samples) {
  const auto q = static_cast<double>(p.q), length = static_cast<double>(n);
  std::optional<BkwPlan> best;
  for (std::int64_t tail = 1; tail <= n; ++tail) {
    const auto t = static_cast<double>(tail), transform = std::pow(q, t);
    if (transform > max_table) break;
    for (std::int64_t rounds = tail == n ? 0 : 1; rounds <= (tail == n ? 0 : max_rounds); ++rounds) {
      BkwPlan plan{rounds, rounds == 0 ? 0 : (n - tail + rounds - 1) / rounds, tail};
      const double table = rounds == 0 ? 0 : std::pow(q, static_cast<double>(plan.block));
      if (table > max_table) continue;
      const double combined = std::pow(sample_bias(p), std::exp2(static_cast<double>(rounds)));
      const double combinations = 8 * (t * std::log(q) + 5) / (combined * combined);
      plan.samples = combinations + static_cast<double>(rounds) * (p.q == 2 ? table : table / 2);
      if (!(plan.samples <= samples)) continue;
      const double fourier_steps = p.q == 2 ? t * transform : t * q * transform;
      plan.seconds = machine.word_step * plan.samples * (static_cast<double>(rounds) * (20 + length) + 30) +
                     machine.fourier_step * fourier_steps +
                     machine.table_step * static_cast<double>(rounds) * table;
      plan.memory_bytes = 8 * plan.samples * (length + 1) + 16 * transform + 4 * table;
      if (!best || plan.seconds < best->seconds) best = plan;
    }
  }
  return best;
}

Attack detail::bkw_attack() {
  return {"bkw",
          "Blum-Kalai-Wasserman: cancel blocks of coordinates, finish by a Fourier (lpn: Walsh-Hadamard) "
          "transform",
          "heuristic: combinations are taken to be independent; the witness is verified", bkw_cost, run_bkw};
}

}  // namespace hardhead::lwe
