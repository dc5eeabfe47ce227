#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "base/numeric/int128.h"
#include "base/numeric/walsh_hadamard.h"
#include "lwe/attacks/bkw.h"
#include "lwe/attacks/machine_speeds.h"
#include "lwe/attacks/registered_attacks.h"
#include "lwe/problem/verification.h"

namespace hardhead::lwe {
namespace {

using Packed = UnsignedInt128;

constexpr std::int64_t most_mod2_length = 28;
constexpr double least_combinations = 512;  // of fewer the expected number says little
constexpr int row_bits = 128, most_mod2_rounds = 5, most_log2_rows = 27;

/// Rows of fields, added and subtracted all at once: n coefficients mod 2^width, then the phase mod 2q.
class Fields {
 public:
  Fields(std::int64_t n, int width, int log2_q) : n_(n), width_(width) {
    for (std::int64_t j = 0; j < n; ++j) high_ |= bit(static_cast<int>(j + 1) * width - 1);
    high_ |= bit(phase_at() + log2_q);
  }

  static Packed bit(int at) { return Packed{1} << at; }
  int phase_at() const { return static_cast<int>(n_) * width_; }
  std::int64_t phase(Packed row) const { return static_cast<std::int64_t>(row >> phase_at()); }
  Packed coefficients(Packed row) const { return row & (bit(phase_at()) - 1); }
  Packed subtract(Packed x, Packed y) const { return ((x | high_) - (y & ~high_)) ^ ((x ^ ~y) & high_); }
  Packed pack(std::span<const Residue> a, std::int64_t phase) const {
    Packed out = static_cast<Packed>(phase) << phase_at();
    for (std::int64_t j = 0; j < n_; ++j)
      out |= (static_cast<Packed>(a[static_cast<std::size_t>(j)]) & (bit(width_) - 1))
             << (static_cast<int>(j) * width_);
    return out;
  }
  /// Bits first .. end - 1 of those to cancel: the low width - 1 of each coefficient, low ones first.
  Packed mask(int first, int end) const {
    Packed out = 0;
    for (int b = first; b < end; ++b) out |= bit(b / (width_ - 1) * width_ + b % (width_ - 1));
    return out;
  }
  /// The top bits of the coefficients.
  std::size_t top(Packed row) const {
    std::size_t out = 0;
    for (std::int64_t j = 0; j < n_; ++j)
      out |= static_cast<std::size_t>(row >> (static_cast<int>(j + 1) * width_ - 1) & 1) << j;
    return out;
  }

 private:
  std::int64_t n_;
  int width_;
  Packed high_ = 0;
};

/// A number without bias for any part of a row.
std::uint64_t mixed(Packed key) {
  std::uint64_t x = static_cast<std::uint64_t>(key) * 0x9E3779B97F4A7C15 +
                    static_cast<std::uint64_t>(key >> 64) * 0xC2B2AE3D27D4EB4F;
  return (x ^ x >> 32) * 0xD6E8FEB86659FD93;
}

std::size_t bucket_of(Packed key, int log2_buckets) {
  return log2_buckets == 0 ? 0 : static_cast<std::size_t>(mixed(key) >> (64 - log2_buckets));
}

/// Of a row and its negative the one with the smaller part on the mask, so that rows which are the same up to
/// sign become the same. Of equal parts either, by chance: an order of coefficients would bias those that
/// remain.
Packed signed_row(Packed row, const Fields& fields, Packed mask) {
  const Packed minus = fields.subtract(0, row), here = row & mask, there = minus & mask;
  if (there != here) return there < here ? minus : row;
  return mixed(fields.coefficients(minus)) < mixed(fields.coefficients(row)) ? minus : row;
}

/// Differences of distinct rows that agree on `mask`, up to sign, at most so many. Rows without
/// coefficients are left out: see Mod2Plan.
std::vector<Packed> differences(std::vector<Packed>& rows, const Fields& fields, Packed mask,
                                std::size_t most, const StopToken& stop) {
  const int log2_buckets = std::max(0, static_cast<int>(std::bit_width(rows.size())) - 3);
  std::vector<std::uint32_t> begin((std::size_t{1} << log2_buckets) + 2, 0), order(rows.size());
  for (Packed& row : rows) {
    row = signed_row(row, fields, mask);
    ++begin[bucket_of(row & mask, log2_buckets) + 2];
  }
  for (std::size_t b = 2; b < begin.size(); ++b) begin[b] += begin[b - 1];
  for (std::size_t i = 0; i < rows.size(); ++i)
    order[begin[bucket_of(rows[i] & mask, log2_buckets) + 1]++] = static_cast<std::uint32_t>(i);
  std::vector<Packed> out, bucket;
  out.reserve(most);
  for (std::size_t b = 0; b + 1 < begin.size() && out.size() < most; ++b) {
    bucket.clear();
    for (std::uint32_t k = begin[b]; k < begin[b + 1]; ++k) bucket.push_back(rows[order[k]]);
    std::ranges::sort(bucket, {}, mixed);
    bucket.erase(std::ranges::unique(bucket).begin(), bucket.end());
    for (std::size_t i = 1; i < bucket.size() && out.size() < most; ++i) {
      if ((out.size() + i) % 65536 == 0) stop.check();
      for (std::size_t j = 0; j < i && out.size() < most; ++j) {
        if (((bucket[i] ^ bucket[j]) & mask) != 0) continue;
        const Packed row = fields.subtract(bucket[i], bucket[j]);
        if (fields.coefficients(row) != 0) out.push_back(row);
      }
    }
  }
  return out;
}

std::vector<Packed> packed_samples(const Challenge& challenge, const std::vector<Residue>& known,
                                   std::int64_t count, const Fields& fields) {
  const ProblemParameters& p = challenge.parameters;
  const Window allowed = window(p);
  std::vector<Packed> out;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto row = challenge.samples.row(i);
    const std::int64_t told = anchor(p, challenge.samples.label(i)) - inner_product(row, known, p.q);
    out.push_back(fields.pack(row, residue(2 * told + allowed.low + allowed.high, 2 * p.q)));
  }
  return out;
}

/// The next bit of every entry of the secret; how it was found.
std::size_t next_bits(const Challenge& challenge, const std::vector<Residue>& known, int known_bits,
                      const Mod2Plan& plan, const StopToken& stop, std::string& how) {
  const ProblemParameters& p = challenge.parameters;
  const Fields fields(p.n, log2_modulus(p) - known_bits, log2_modulus(p));
  std::vector<Packed> rows = packed_samples(challenge, known, plan.samples, fields);
  std::size_t largest = rows.size();
  int cancelled = 0;
  for (const int bits : plan.bits) {
    rows = differences(rows, fields, fields.mask(cancelled, cancelled + bits),
                       static_cast<std::size_t>(plan.rows), stop);
    cancelled += bits;
    largest = std::max(largest, rows.size());
  }
  how = fmt::format("{} rounds of up to {} rows, {} combinations", plan.bits.size(), largest, rows.size());
  std::vector<float> sums(std::size_t{1} << p.n, 0);
  const double turn = std::numbers::pi / static_cast<double>(p.q);
  for (const Packed row : rows)
    sums[fields.top(row)] += static_cast<float>(std::cos(turn * static_cast<double>(fields.phase(row))));
  rows = {};
  stop.check();
  simple_walsh_hadamard(std::span(sums));
  return static_cast<std::size_t>(std::ranges::max_element(sums) - sums.begin());
}

/// Bits t, t + 1, .. of the secret after those known, and the verified secret of them.
Candidate lifted(const Challenge& challenge, const std::vector<Residue>& known, int t,
                 const RunContext& context, std::string& message) {
  const ProblemParameters& p = challenge.parameters;
  if (t == log2_modulus(p)) {
    if (verify(p, challenge.samples, known).verified()) return known;
    return std::nullopt;
  }
  context.progress.report("BKW", static_cast<double>(t) / log2_modulus(p));
  const auto plan = plan_bkw_mod2(p, challenge.samples.count(), t);
  if (!plan) return std::nullopt;
  std::string how;
  const std::size_t bits = next_bits(challenge, known, t, *plan, context.stop, how);
  if (t == 0) message = how + ", one transform over all secrets mod 2";
  // With two levels s and -s make nearly the same labels, and differ first by the lowest bits in bit 1.
  for (const bool mirrored : {false, true}) {
    std::vector<Residue> longer = known;
    for (std::size_t j = 0; j < known.size(); ++j)
      longer[j] |= static_cast<Residue>((bits >> j & 1) ^ (mirrored ? known[j] & 1 : 0)) << t;
    if (auto secret = lifted(challenge, longer, t + 1, context, message)) return secret;
    if (t != 1 || p.problem != ProblemKind::lwr || p.p != 2) break;
  }
  return std::nullopt;
}

Candidate run_bkw_mod2(const Challenge& challenge, const RunContext& context, std::string& message) {
  const std::vector<Residue> nothing(static_cast<std::size_t>(challenge.parameters.n), 0);
  // Of the secret 0 the errors of rounded labels are all the same, and their sums say nothing.
  if (verify(challenge.parameters, challenge.samples, nothing).verified()) return nothing;
  auto secret = lifted(challenge, nothing, 0, context, message);
  if (!secret) message += ": no secret verified";
  return secret;
}

Cost bkw_mod2_cost(const ProblemParameters& p, std::int64_t samples) {
  if (p.problem == ProblemKind::lpn || !is_power_of_two(p.q) || p.q < 4)
    return Cost::impossible("it lifts bit by bit: for lwe and lwr with q = 4, 8, 16, ..");
  if (p.n > most_mod2_length)
    return Cost::impossible(fmt::format("it takes 2^n sums: n is at most {}", most_mod2_length));
  // More samples where these are too few for any plan.
  for (std::int64_t used = samples; used <= std::int64_t{1} << most_log2_rows; used *= 2) {
    Cost out{std::nullopt, machine.start, 0, 0};
    bool complete = true;
    for (int t = 0; t < log2_modulus(p) && complete; ++t) {
      const auto plan = plan_bkw_mod2(p, used, t);
      complete = plan.has_value();
      if (!plan) break;
      out.seconds += plan->seconds;
      out.memory_bytes = std::max(out.memory_bytes, plan->memory_bytes);
      out.samples = used == samples ? static_cast<double>(p.n) : static_cast<double>(used);
    }
    if (complete) return out;
  }
  return Cost::impossible(fmt::format("no plan of at most 2^{} rows of {} bits", most_log2_rows, row_bits));
}

}  // namespace

namespace {

/// What a round makes of rows: see Mod2Plan.
struct Round {
  double rows = 0;      ///< made
  double share = 1;     ///< of the differences that there are
  double repeated = 0;  ///< P: of pairs of these rows, those that come from rows of one key
  double together = 0;  ///< rows of a key
};

Round round_of(double rows, int cancelled, int bits, int width, double most) {
  const int here = width - 1;
  const int coefficients = bits == 0 ? 0 : (cancelled + bits - 1) / here - cancelled / here + 1;
  const double own = std::exp2(coefficients - bits);  // of the keys, those that are their own negatives
  const double all = rows * rows * std::exp2(-bits) * (1 - own / 2);
  Round out{.rows = std::min(most, all)};
  out.share = all > 0 ? out.rows / all : 1;
  out.together = rows * std::exp2(-bits) * (2 - own);
  out.repeated = std::min(1.0, std::exp2(-bits) * (8 - 7 * own) / ((2 - own) * (2 - own)) / out.share);
  return out;
}

}  // namespace

std::optional<Mod2Plan> plan_bkw_mod2(const ProblemParameters& p, std::int64_t samples, int known) {
  const int width = log2_modulus(p) - known;
  const auto n = static_cast<int>(p.n);
  std::optional<Mod2Plan> best;
  if (n > most_mod2_length || n * width + log2_modulus(p) + 1 > row_bits) return best;
  const double sums = std::exp2(n);
  for (int rounds = 0; rounds <= most_mod2_rounds; ++rounds) {
    if ((rounds == 0) != (width == 1)) continue;
    const double beta = std::pow(sample_bias(p), std::exp2(rounds));
    const double doubt = n * std::numbers::ln2 + 5;
    const double wanted = std::max(least_combinations, (known == 0 ? 2.5 : 8.0) * doubt / (beta * beta));
    for (double log2_rows = 10; log2_rows <= most_log2_rows; log2_rows += 0.25) {
      const double most = std::floor(std::exp2(log2_rows));
      double now = std::min(static_cast<double>(samples), most), handled = now, repeated = 0, together = 1;
      Mod2Plan plan{
          .bits = {}, .rows = static_cast<std::int64_t>(most), .samples = static_cast<std::int64_t>(now)};
      int left = n * (width - 1);
      for (int i = 0; i < rounds; ++i) {
        const int room = static_cast<int>(std::floor(2 * std::log2(now) - log2_rows));
        plan.bits.push_back(i + 1 == rounds ? left : std::clamp(room, 0, left));
        const Round next = round_of(now, n * (width - 1) - left, plan.bits.back(), width, most);
        left -= plan.bits.back();
        handled += next.rows;
        now = next.rows * (1 - repeated * next.share / 2);
        repeated = next.repeated;
        together = std::min(next.together, std::sqrt(2 * now));
      }
      if (now < std::max(wanted, 2 * together * doubt / beta)) continue;
      plan.combinations = now;
      plan.seconds = machine.combine_step * handled + machine.walsh_step * n * sums;
      plan.memory_bytes = 36 * most + 8 * sums;
      if (!best || plan.seconds < best->seconds) best = plan;
      break;
    }
  }
  return best;
}

Attack detail::bkw_mod2_attack() {
  return {"bkw-mod2",
          "BKW to multiples of q/2, q = 2^l: all secrets mod 2 by one Walsh-Hadamard transform, then lifted",
          "heuristic: combinations are taken to be independent; the witness is verified", bkw_mod2_cost,
          run_bkw_mod2};
}

}  // namespace hardhead::lwe
