#include "lwe/attacks/information_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <random>

#include "base/error.h"
#include "base/numeric/int128.h"
#include "lwe/attacks/machine_speeds.h"
#include "lwe/attacks/registered_attacks.h"
#include "lwe/problem/gf2.h"

namespace hardhead::lwe {
namespace {

using Word = std::uint64_t;

constexpr std::int64_t most_rows = 1 << 16;  // samples that pools are drawn from
constexpr std::int64_t most_check_words = 256;
constexpr double most_choices = 16777216;  // of a half: 2^24
constexpr int most_matched = 30;
constexpr double patience = 30;  // times the expected trials: one of e^30 searches ends too early
constexpr std::int64_t trials_of_a_pool = 16;  // times n / exchanged

/// As many of `labels` are wrong, or fewer, where the secret is right: by default in all but one of thousands
/// of trials. The labels that decide in the end are the same in every trial, and are given more.
std::int64_t most_wrong(double labels, double rate, double deviations = 3.5) {
  return static_cast<std::int64_t>(labels * rate + deviations * std::sqrt(labels * rate * (1 - rate)) + 1);
}

/// ln of Hoeffding's bound of the chance that a wrong choice leaves no more wrong than most_wrong().
double log_false(double labels, double rate) {
  const double gap = labels / 2 - static_cast<double>(most_wrong(labels, rate));
  return gap <= 0 || labels <= 0 ? 0 : -2 * gap * gap / labels;
}

/// sum_{i <= errors} C(length, i) weight^i.
double sum_of_choices(std::int64_t length, int errors, double weight) {
  double term = 1, sum = 1;
  for (int i = 1; i <= errors; ++i) {
    term *= static_cast<double>(length - i + 1) / i * weight;
    sum += std::max(0.0, term);
  }
  return sum;
}

/// The choices of at most `errors` of `length` columns, each as an earlier one and a column more.
struct Choices {
  std::vector<std::uint32_t> before{0};
  std::vector<std::uint16_t> last{0};

  Choices(std::int64_t length, int errors) {
    std::size_t begin = 0;
    for (int weight = 1; weight <= errors; ++weight) {
      const std::size_t end = before.size();
      for (std::size_t k = begin; k < end; ++k)
        for (std::int64_t j = weight == 1 ? 0 : last[k] + 1; j < length; ++j) {
          before.push_back(static_cast<std::uint32_t>(k));
          last.push_back(static_cast<std::uint16_t>(j));
        }
      begin = end;
    }
  }
  std::size_t count() const { return last.size(); }
};

class Decoder {
 public:
  Decoder(const Challenge& challenge, const DecodingPlan& plan)
      : samples_(challenge.samples),
        rate_(challenge.parameters.rate),
        plan_(plan),
        n_(static_cast<std::size_t>(challenge.parameters.n)),
        checks_(static_cast<std::size_t>(plan.checks)),
        words_((checks_ + 63) / 64),
        halves_{Choices(challenge.parameters.n / 2, plan.errors),
                Choices(challenge.parameters.n - challenge.parameters.n / 2, plan.errors)},
        order_(static_cast<std::size_t>(std::min(samples_.count(), most_rows))),
        mask_((Word{1} << plan.matched) - 1) {
    std::iota(order_.begin(), order_.end(), 0);
    for (std::size_t h = 0; h < 2; ++h) sums_[h].resize(halves_[h].count());
    next_.resize(halves_[0].count());
    heads_.resize(std::size_t{1} << plan.matched);
  }

  Candidate run(const RunContext& context, std::string& message) {
    const double most = patience * std::exp2(plan_.log2_trials);
    const auto a_pool = trials_of_a_pool * static_cast<std::int64_t>(n_) / plan_.exchanged;
    std::int64_t trials = 0;
    Candidate found;
    for (; !found && static_cast<double>(trials) < most; ++trials) {
      if (plan_.errors > 0 || trials % a_pool == 0) context.stop.check();
      if (trials % a_pool == 0) {
        fill_pool();
        context.progress.report("decoding",
                                -std::expm1(-static_cast<double>(trials) / std::exp2(plan_.log2_trials)));
      }
      for (std::int64_t i = 0; i < plan_.exchanged; ++i) exchange_one();
      found = try_choices();
    }
    message = fmt::format("{} trials, {:.3g} were expected, of {} choices a half matched on {} labels",
                          trials, std::exp2(plan_.log2_trials), halves_[1].count(), plan_.matched);
    return found;
  }

 private:
  Word* row(std::size_t i) { return matrix_.data() + i * words_; }

  std::size_t below(std::size_t bound) {
    return static_cast<std::size_t>(UnsignedInt128{random_()} * bound >> 64);
  }

  /// Draws a pool of n + checks samples, its first independent ones as information set: row i of the matrix
  /// says which checks contain sample i of the set, and row n which checks are wrong if all of it is right.
  void fill_pool() {
    constexpr int tries = 8;
    for (int t = 0; t < tries; ++t)
      if (draw_pool()) return;
    throw Error(fmt::format("{} tries to draw {} independent samples failed", tries, n_));
  }

  bool draw_pool() {
    const std::size_t pool = n_ + checks_, width = (pool + 63) / 64;
    for (std::size_t c = 0; c < pool; ++c) std::swap(order_[c], order_[c + below(order_.size() - c)]);
    std::vector<Word> wide((n_ + 1) * width, 0);
    for (std::size_t c = 0; c < pool; ++c) {
      const auto coefficients = samples_.row(order_[c]);
      const Word bit = Word{1} << (c % 64);
      for (std::size_t j = 0; j < n_; ++j)
        if (coefficients[j] != 0) wide[j * width + c / 64] |= bit;
      if (samples_.label(order_[c]) != 0) wide[n_ * width + c / 64] |= bit;
    }
    std::vector<char> chosen(pool, 0);
    set_.clear();
    for (std::size_t i = 0; i < n_; ++i) {
      const Word* own = wide.data() + i * width;
      std::size_t w = 0;
      while (w < width && own[w] == 0) ++w;
      if (w == width) return false;
      const std::size_t c = 64 * w + static_cast<std::size_t>(std::countr_zero(own[w]));
      chosen[c] = 1;
      set_.push_back(order_[c]);
      for (std::size_t k = 0; k <= n_; ++k) {
        Word* other = wide.data() + k * width;
        if (k == i || (other[w] >> (c % 64) & 1) == 0) continue;
        for (std::size_t v = 0; v < width; ++v) other[v] ^= own[v];
      }
    }
    matrix_.assign((n_ + 1) * words_, 0);
    outside_.clear();
    for (std::size_t c = 0; c < pool; ++c) {
      if (chosen[c] != 0) continue;
      const std::size_t t = outside_.size();
      outside_.push_back(order_[c]);
      for (std::size_t k = 0; k <= n_; ++k)
        row(k)[t / 64] |= (wide[k * width + c / 64] >> (c % 64) & 1) << (t % 64);
    }
    return true;
  }

  /// A sample of the information set and a check that contains it change places. The column of the check is
  /// then that of the sample: the same, since the one pivots on the other.
  void exchange_one() {
    const std::size_t i = below(n_), first = below(checks_);
    Word* own = row(i);
    std::size_t w = first / 64;
    Word left = own[w] >> (first % 64) << (first % 64);
    for (std::size_t v = 0; left == 0 && v < words_; ++v) left = own[w = (w + 1) % words_];
    if (left == 0) return;  // in no check: equal rows
    const Word bit = left & (~left + 1);
    const std::size_t t = 64 * w + static_cast<std::size_t>(std::countr_zero(left));
    own[w] ^= bit;
    for (std::size_t k = 0; k <= n_; ++k) {
      Word* other = row(k);
      if (k == i || (other[w] & bit) == 0) continue;
      for (std::size_t v = 0; v < words_; ++v) other[v] ^= own[v];
    }
    own[w] ^= bit;
    std::swap(set_[i], outside_[t]);
  }

  Candidate try_choices() {
    const std::size_t split = n_ / 2;
    sums_[0][0] = row(n_)[0];
    sums_[1][0] = 0;
    for (std::size_t h = 0; h < 2; ++h)
      for (std::size_t k = 1; k < sums_[h].size(); ++k)
        sums_[h][k] = sums_[h][halves_[h].before[k]] ^ row(h * split + halves_[h].last[k])[0];
    std::ranges::fill(heads_, none);
    for (std::size_t k = 0; k < sums_[0].size(); ++k) {
      std::uint32_t& head = heads_[sums_[0][k] & mask_];
      next_[k] = head;
      head = static_cast<std::uint32_t>(k);
    }
    const auto in_word = static_cast<double>(std::min<std::size_t>(64, checks_));
    const std::int64_t most = most_wrong(in_word - plan_.matched, rate_);
    for (std::size_t k = 0; k < sums_[1].size(); ++k)
      for (std::uint32_t a = heads_[sums_[1][k] & mask_]; a != none; a = next_[a])
        if (std::popcount(sums_[0][a] ^ sums_[1][k]) <= most && few_wrong({a, k}))
          if (auto secret = secret_of({a, k})) return secret;
    return std::nullopt;
  }

  /// Visits the samples of the information set that a choice of each half calls wrong.
  template <class Visit>
  void for_each_wrong(const std::array<std::size_t, 2>& choice, const Visit& visit) const {
    for (std::size_t h = 0; h < 2; ++h)
      for (std::size_t k = choice[h]; k != 0; k = halves_[h].before[k])
        visit(h * (n_ / 2) + halves_[h].last[k]);
  }

  bool few_wrong(const std::array<std::size_t, 2>& choice) {
    std::int64_t wrong = 0;
    wrong_.assign(row(n_), row(n_) + words_);
    for_each_wrong(choice, [&](std::size_t i) {
      for (std::size_t v = 0; v < words_; ++v) wrong_[v] ^= row(i)[v];
    });
    for (const Word word : wrong_) wrong += std::popcount(word);
    return wrong <= most_wrong(static_cast<double>(plan_.checks - plan_.matched), rate_);
  }

  /// The secret of the choice, if it is right of all samples that pools are drawn from as often as it should.
  Candidate secret_of(const std::array<std::size_t, 2>& choice) const {
    std::vector<char> wrong(n_, 0);
    for_each_wrong(choice, [&](std::size_t i) { wrong[i] = 1; });
    std::vector<Gf2Equation> equations;
    for (std::size_t i = 0; i < n_; ++i)
      equations.push_back(
          Gf2Equation::of(samples_.row(set_[i]), (samples_.label(set_[i]) != 0) != (wrong[i] != 0)));
    Candidate secret = only_gf2_solution(equations, samples_.n);
    if (!secret) return std::nullopt;
    const std::int64_t errors = std::ranges::count_if(order_, [&](std::int64_t i) {
      return inner_product(samples_.row(i), *secret, 2) != samples_.label(i);
    });
    constexpr double at_the_end = 6;
    if (errors > most_wrong(static_cast<double>(order_.size()), rate_, at_the_end)) return std::nullopt;
    return secret;
  }

  static constexpr std::uint32_t none = 0xFFFFFFFF;

  const Samples& samples_;
  double rate_;
  DecodingPlan plan_;
  std::size_t n_, checks_, words_;
  std::array<Choices, 2> halves_;
  std::vector<std::int64_t> order_, set_, outside_;  ///< samples: all, of the information set, the checks
  std::vector<Word> matrix_, wrong_;
  std::array<std::vector<Word>, 2> sums_;  ///< first words
  std::vector<std::uint32_t> heads_, next_;
  Word mask_;
  std::mt19937_64 random_{1};  // of which samples are tried: no secret depends on it
};

template <int most_errors>
Candidate run_decoding(const Challenge& challenge, const RunContext& context, std::string& message) {
  const auto plan = plan_decoding(challenge.parameters, challenge.samples.count(), most_errors);
  if (!plan) return std::nullopt;
  return Decoder(challenge, *plan).run(context, message);
}

template <int most_errors>
Cost decoding_cost(const ProblemParameters& p, std::int64_t samples) {
  if (p.problem != ProblemKind::lpn) return Cost::impossible("it decodes labels mod 2: for lpn");
  if (p.rate == 0) return Cost::impossible("there is no noise: elimination does it");
  const auto plan = plan_decoding(p, std::max(samples, p.n + 1), most_errors);
  if (!plan) return Cost::impossible("half of the labels are wrong");
  return {std::nullopt, machine.start + plan->seconds, plan->memory_bytes, static_cast<double>(p.n) + 1};
}

/// The plan of these numbers, whose checks are as many as tell right candidates from wrong ones.
DecodingPlan plan_of(const ProblemParameters& p, std::int64_t samples, DecodingPlan plan) {
  const std::int64_t half = p.n / 2, other = p.n - half;
  const double odds = p.rate / (1 - p.rate), exchanged = static_cast<double>(plan.exchanged);
  const double mended = static_cast<double>(plan.errors + 1) / static_cast<double>(p.n);
  const double back = mended / (mended + p.rate / (plan.errors == 0 ? 1 : 2));
  const double log2_hit =
      static_cast<double>(p.n + plan.matched) * std::log2(1 - p.rate) +
      std::log2(sum_of_choices(half, plan.errors, odds) * sum_of_choices(other, plan.errors, odds));
  // The first trial is new; of the next ones so many are.
  const double is_new = -std::expm1(exchanged * std::log1p(-p.rate * (1 - back)));
  constexpr double many = 60;
  plan.log2_trials = -log2_hit > many ? -log2_hit - std::log2(is_new)
                                      : std::log2(1 + std::expm1(-log2_hit * std::numbers::ln2) / is_new);
  const double first = sum_of_choices(half, plan.errors, 1), second = sum_of_choices(other, plan.errors, 1);
  const double matches = first * second * std::exp2(-plan.matched);
  const double log_candidates = std::numbers::ln2 * plan.log2_trials + std::log(matches);
  constexpr double rarely = -5;
  const std::int64_t most = std::min(samples, most_rows) - p.n;
  std::int64_t words = 1;
  const auto checks = [&] { return std::min(most, 64 * words); };
  const auto log_wrong = [&](std::int64_t count) {
    return log_false(static_cast<double>(count - plan.matched), p.rate);
  };
  while (words < most_check_words && checks() < most && log_candidates + log_wrong(checks()) > rarely)
    ++words;
  plan.checks = checks();
  const auto width = static_cast<double>((plan.checks + 63) / 64), n = static_cast<double>(p.n);
  const double whole = machine.decode_word * width * (2 * plan.errors + 2);
  const double trial =
      exchanged * (machine.decode_exchange + n * (machine.decode_row + machine.decode_word / 2 * width)) +
      machine.decode_choice * (first + second) + machine.decode_head * std::exp2(plan.matched) +
      matches * (machine.decode_match + whole * std::exp(log_wrong(std::min<std::int64_t>(64, plan.checks))));
  // As rarely as the checks are chosen for, none counts: how far below that they get goes by whole words.
  const double log_believed = log_candidates + log_wrong(plan.checks);
  const double believed = log_believed <= rarely ? 0 : std::exp(std::min(700.0, log_believed));
  const double rows = static_cast<double>(std::min(samples, most_rows));
  plan.seconds = trial * std::exp2(plan.log2_trials) + (1 + believed) * machine.word_step * n * (n + rows);
  plan.memory_bytes = 8 * rows + 18 * (first + second) + 4 * std::exp2(plan.matched) + n * width * 16;
  return plan;
}

}  // namespace

std::optional<DecodingPlan> plan_decoding(const ProblemParameters& p, std::int64_t samples, int most_errors) {
  std::optional<DecodingPlan> best;
  const std::int64_t half = p.n - p.n / 2;
  if (samples <= p.n || !(p.rate < 0.5)) return best;
  for (int errors = 0; errors <= std::min<std::int64_t>(most_errors, p.n / 2); ++errors) {
    const double choices = sum_of_choices(half, errors, 1);
    if (choices > most_choices) break;
    const auto matched = static_cast<int>(std::log2(choices)) + 3;
    for (int m = 0;
         m <= (errors == 0 ? 0 : std::min<std::int64_t>(std::min(matched, most_matched), samples - p.n - 1));
         ++m)
      for (std::int64_t exchanged = 1; exchanged <= p.n; exchanged *= 2) {
        const DecodingPlan plan =
            plan_of(p, samples, {.errors = errors, .matched = m, .exchanged = exchanged});
        if (!best || plan.seconds < best->seconds) best = plan;
      }
  }
  return best;
}

Attack detail::prange_attack() {
  return {"prange", "information-set decoding, or pooled Gauss: n labels that are right by chance",
          "heuristic; the witness is verified", decoding_cost<0>, run_decoding<0>};
}

Attack detail::stern_attack() {
  return {"stern", "information-set decoding with few wrong labels in each half of the set, matched",
          "heuristic; the witness is verified", decoding_cost<most_half_errors>,
          run_decoding<most_half_errors>};
}

}  // namespace hardhead::lwe
