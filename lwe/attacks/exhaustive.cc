#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <mutex>

#include "base/numeric/walsh_hadamard.h"
#include "base/run/parallel.h"
#include "lwe/attacks/best_fit.h"
#include "lwe/attacks/machine_speeds.h"
#include "lwe/attacks/registered_attacks.h"

namespace hardhead::lwe {
namespace {

constexpr double max_log2_candidates = 44, max_lpn_length = 28;
constexpr std::int64_t filters = 64;
constexpr double mask_bytes = 3e8;

// The last coordinates of the secret are tried all at once: bit k of mask(i, r) says whether their k-th
// setting fits sample i when the other coordinates sum to r. The settings that fit all samples are an AND of
// masks.
class MaskSearch {
 public:
  explicit MaskSearch(const Challenge& challenge)
      : challenge_(challenge), parameters_(challenge.parameters), alphabet_(parameters_.alphabet()) {
    do {
      settings_ *= alphabet_.size();
      ++inner_;
    } while (inner_ < parameters_.n && settings_ * alphabet_.size() <= 1024);
    words_ = (settings_ + 63) / 64;
    const double bytes_a_filter = static_cast<double>(parameters_.q) * static_cast<double>(words_) * 8;
    count_ = std::min(
        {filters, challenge.samples.count(), static_cast<std::int64_t>(mask_bytes / bytes_a_filter)});
    outer_ = parameters_.n - inner_;
    make_masks();
  }

  Candidate run(const RunContext& context) {
    // A task fixes the first coordinates; the others run through all settings as an odometer.
    std::int64_t fixed = 0, tasks = 1;
    while (fixed < outer_ && tasks < 256) {
      tasks *= static_cast<std::int64_t>(alphabet_.size());
      ++fixed;
    }
    std::atomic<std::int64_t> done = 0;
    parallel_for_each_index(tasks, [&](std::int64_t task) {
      if (found_one_) return;
      search(task, fixed, context.stop);
      context.progress.report("exhaustive search", static_cast<double>(++done) / static_cast<double>(tasks));
    });
    return found_.secret();
  }

 private:
  std::size_t place(std::int64_t i, std::uint64_t r) const {
    return (static_cast<std::size_t>(i) * static_cast<std::size_t>(parameters_.q) + r) * words_;
  }
  const std::uint64_t* mask(std::int64_t i, std::uint64_t r) const { return masks_.data() + place(i, r); }

  std::vector<Residue> setting(std::size_t k) const {
    std::vector<Residue> out(static_cast<std::size_t>(inner_));
    for (Residue& value : out) {
      value = alphabet_[k % alphabet_.size()];
      k /= alphabet_.size();
    }
    return out;
  }

  void make_masks() {
    const std::int64_t q = parameters_.q;
    const Window allowed = window(parameters_);
    masks_.assign(static_cast<std::size_t>(count_ * q) * words_, 0);
    for (std::int64_t i = 0; i < count_; ++i)
      for (std::size_t k = 0; k < settings_; ++k) {
        const auto values = setting(k);
        const std::int64_t own = inner_product(challenge_.samples.row(i).last(values.size()), values, q);
        const std::int64_t centre = anchor(parameters_, challenge_.samples.label(i)) - own;
        for (std::int64_t f = allowed.low; f <= allowed.high; ++f) {
          masks_[place(i, residue(centre + f, q)) + k / 64] |= std::uint64_t{1} << (k % 64);
        }
      }
  }

  void search(std::int64_t task, std::int64_t fixed, const StopToken& stop) {
    const auto q = static_cast<std::uint32_t>(parameters_.q);
    std::vector<std::size_t> digit(static_cast<std::size_t>(outer_), 0);
    auto rest = static_cast<std::size_t>(task);
    for (std::int64_t j = 0; j < fixed; ++j) {
      digit[static_cast<std::size_t>(j)] = rest % alphabet_.size();
      rest /= alphabet_.size();
    }
    std::vector<std::uint32_t> sums(static_cast<std::size_t>(count_));
    const auto add = [&](std::size_t j, std::uint64_t value) {
      for (std::size_t i = 0; i < sums.size(); ++i)
        sums[i] = static_cast<std::uint32_t>(
            (sums[i] + value * challenge_.samples.row(static_cast<std::int64_t>(i))[j]) % q);
    };
    for (std::size_t j = 0; j < digit.size(); ++j) add(j, alphabet_[digit[j]]);
    // Steps of the last digits, by far the most, are additions of a column prepared once.
    std::vector<std::vector<std::uint32_t>> columns(digit.size() * alphabet_.size());
    for (auto j = static_cast<std::size_t>(fixed); j < digit.size(); ++j)
      for (std::size_t v = 0; v < alphabet_.size(); ++v) {
        const std::size_t next = (v + 1) % alphabet_.size();
        const std::uint64_t change = (std::uint64_t{alphabet_[next]} + q - alphabet_[v]) % q;
        for (std::int64_t i = 0; i < count_; ++i)
          columns[j * alphabet_.size() + v].push_back(
              static_cast<std::uint32_t>(change * challenge_.samples.row(i)[j] % q));
      }
    std::vector<std::uint64_t> left(words_);
    for (std::uint64_t step = 1;; ++step) {
      if (step % 4096 == 0) {
        stop.check();
        if (found_one_) return;
      }
      if (survivors(sums, left)) test(task, digit, left);
      std::size_t j = digit.size();
      while (j > static_cast<std::size_t>(fixed)) {
        --j;
        const auto& column = columns[j * alphabet_.size() + digit[j]];
        for (std::size_t i = 0; i < sums.size(); ++i) {
          const std::uint32_t sum = sums[i] + column[i];
          sums[i] = std::min(sum, sum - q);  // the smaller one is below q
        }
        digit[j] = (digit[j] + 1) % alphabet_.size();
        if (digit[j] != 0) break;
        if (j == static_cast<std::size_t>(fixed)) return;
      }
      if (digit.size() == static_cast<std::size_t>(fixed)) return;
    }
  }

  bool survivors(const std::vector<std::uint32_t>& sums, std::vector<std::uint64_t>& left) const {
    std::copy_n(mask(0, sums[0]), words_, left.data());
    for (std::int64_t i = 1; i < count_; ++i) {
      const std::uint64_t* next = mask(i, sums[static_cast<std::size_t>(i)]);
      std::uint64_t any = 0;
      for (std::size_t w = 0; w < words_; ++w) any |= left[w] &= next[w];
      if (any == 0) return false;
    }
    return true;
  }

  void test(std::int64_t task, const std::vector<std::size_t>& digit,
            const std::vector<std::uint64_t>& left) {
    for (std::size_t k = 0; k < settings_; ++k) {
      if ((left[k / 64] >> (k % 64) & 1) == 0) continue;
      std::vector<Residue> secret;
      secret.reserve(static_cast<std::size_t>(parameters_.n));
      for (const std::size_t d : digit) secret.push_back(alphabet_[d]);
      for (const Residue value : setting(k)) secret.push_back(value);
      const Verification says = verify(parameters_, challenge_.samples, secret);
      if (!says.fits) continue;
      const std::lock_guard lock(mutex_);
      found_.offer(says, std::move(secret), task);
      if (found_.verified()) found_one_ = true;
    }
  }

  const Challenge& challenge_;
  const ProblemParameters& parameters_;
  std::vector<Residue> alphabet_;
  std::int64_t inner_ = 0, outer_ = 0, count_ = 0;
  std::size_t settings_ = 1, words_ = 1;
  std::vector<std::uint64_t> masks_;
  std::atomic<bool> found_one_ = false;
  std::mutex mutex_;
  BestFit found_;
};

/// All 2^n correlations at once; the largest one of a secret.
Candidate transform(const Challenge& challenge, const StopToken& stop) {
  const auto n = static_cast<std::size_t>(challenge.parameters.n);
  std::vector<std::int32_t> values(std::size_t{1} << n, 0);
  for (std::int64_t i = 0; i < challenge.samples.count(); ++i) {
    std::size_t at = 0;
    const auto row = challenge.samples.row(i);
    for (std::size_t j = 0; j < n; ++j) at |= static_cast<std::size_t>(row[j]) << j;
    values[at] += challenge.samples.label(i) == 0 ? 1 : -1;
  }
  stop.check();
  simple_walsh_hadamard(std::span(values));
  const ProblemParameters& p = challenge.parameters;
  std::optional<std::size_t> best;
  for (std::size_t at = 0; at < values.size(); ++at)
    if (p.secret != SecretKind::fixed_weight || std::popcount(at) == p.weight)
      if (!best || values[at] > values[*best]) best = at;
  std::vector<Residue> secret;
  secret.reserve(n);
  for (std::size_t j = 0; j < n; ++j) secret.push_back(static_cast<Residue>(*best >> j & 1));
  return secret;
}

Candidate run_exhaustive(const Challenge& challenge, const RunContext& context, std::string& message) {
  auto found = challenge.parameters.problem == ProblemKind::lpn ? transform(challenge, context.stop)
                                                                : MaskSearch(challenge).run(context);
  if (!found) message = "no secret fits all samples";
  return found;
}

Cost exhaustive_cost(const ProblemParameters& p, std::int64_t) {
  const auto n = static_cast<double>(p.n);
  if (p.problem == ProblemKind::lpn) {
    if (n > max_lpn_length)
      return Cost::impossible(fmt::format("2^{} correlations are more than 2^{}", p.n, max_lpn_length));
    const double gap = 0.5 - p.rate;
    return {std::nullopt, machine.start + machine.walsh_step * n * std::exp2(n), 4 * std::exp2(n),
            (n + 20) / (gap * gap)};
  }
  const auto values = static_cast<double>(p.entry_values());
  const double candidates = n * std::log2(values), settings = std::max(1024.0, values);
  const double width = static_cast<double>(window(p).width()) / static_cast<double>(p.q);
  if (width >= 1) return Cost::impossible("a sample excludes no secret");
  if (candidates > max_log2_candidates)
    return Cost::impossible(
        fmt::format("2^{:.0f} secrets are more than 2^{}", candidates, max_log2_candidates));
  if (static_cast<double>(p.q) * settings / 8 > mask_bytes / 8)
    return Cost::impossible(fmt::format("q={} makes its tables too large", p.q));
  // Masks ANDed until none of a block of settings is left; more where a sample says less. Before, the masks
  // are made.
  const double ands = 4 + std::log2(settings) / -std::log2(width);
  const double blocks = std::exp2(std::max(0.0, candidates - std::log2(settings)));
  const double tables =
      static_cast<double>(filters) * settings * (static_cast<double>(p.q) * (1 / 8.0 + width));
  return {std::nullopt,
          machine.threads_start + machine.mask_bit * tables +
              blocks * (machine.mask_block + machine.mask_and * ands),
          mask_bytes, p.log2_secrets() / -std::log2(width)};
}

}  // namespace

Attack detail::exhaustive_attack() {
  return {"exhaustive",
          "every secret, filtered by masks (lpn: all correlations by one Walsh-Hadamard transform)",
          "proved: finds the secret whenever the samples determine it", exhaustive_cost, run_exhaustive};
}

}  // namespace hardhead::lwe
