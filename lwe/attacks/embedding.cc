#include "lwe/attacks/embedding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "base/error.h"
#include "lwe/attacks/core_svp.h"
#include "lwe/problem/echelon.h"

namespace hardhead::lwe {
namespace {

/// Standard deviation of f. The embedding's last entry, 1 or more, counts as well: less gains nothing.
double deviation(const ProblemParameters& p) {
  return std::max(0.3, noise_deviation(p));
}

std::int64_t embedding_factor(const ProblemParameters& p) {
  return std::max<std::int64_t>(1, std::llround(deviation(p)));
}

/// Root mean square of an entry of the secret.
double secret_rms(const ProblemParameters& p) {
  if (p.secret == SecretKind::binary) return std::numbers::sqrt2 / 2;
  if (p.secret == SecretKind::fixed_weight)
    return std::sqrt(static_cast<double>(p.weight) / static_cast<double>(p.n));
  return secret_deviation(p);  // others are centred
}

std::int64_t secret_scale(const ProblemParameters& p) {
  return std::max<std::int64_t>(1, std::llround(deviation(p) / secret_rms(p)));
}

bool is_small(const ProblemParameters& p) {
  return p.secret != SecretKind::uniform;
}

/// `delta` is the root Hermite factor.
double margin_bits(const ProblemParameters& p, std::int64_t m, double delta) {
  const auto n = static_cast<double>(p.n), rows = static_cast<double>(m);
  const double sigma = deviation(p), log_q = std::log2(static_cast<double>(p.q));
  const auto factor = static_cast<double>(embedding_factor(p));
  double d = rows + 1, volume = (rows - n) * log_q, norm = rows * sigma * sigma;
  if (is_small(p)) {
    const auto scale = static_cast<double>(secret_scale(p));
    d += n;
    volume = rows * log_q + n * std::log2(scale);
    norm += n * std::pow(scale * secret_rms(p), 2);
  }
  volume += std::log2(factor);
  norm += factor * factor;
  const double gap =
      0.5 * std::log2(d / (2 * std::numbers::pi * std::numbers::e)) + volume / d - 0.5 * std::log2(norm);
  constexpr double bits_to_spare = 0.5;  // the constant 0.7 of the condition
  return gap - d * std::log2(delta) + bits_to_spare;
}

/// Of LLL, and of BKZ with the first `blocks` blocks.
double reduction_seconds(const ProblemParameters& p, std::int64_t dimension, std::size_t blocks,
                         const ReductionModel& model) {
  const double size = static_cast<double>(dimension) / 100;
  double out = machine.lattice_start +
               model.lll * std::pow(size, model.lll_power) * std::log2(static_cast<double>(p.q));
  for (std::size_t i = 0; i < blocks; ++i) out += model.bkz[i] * std::pow(size, model.bkz_power[i]);
  return out;
}

}  // namespace

std::int64_t least_samples(const ProblemParameters& p) {
  return is_small(p) ? 1 : p.n + 1;
}

EmbeddingPlan plan_embedding(const ProblemParameters& p, std::int64_t samples, const ReductionModel& model) {
  const std::int64_t least = least_samples(p), extra = is_small(p) ? p.n + 1 : 1;
  const std::int64_t most = std::min(samples, 6 * p.n + 40);
  EmbeddingPlan widest;  // for the largest block
  widest.margin_bits = -INFINITY;
  for (std::int64_t m = least; m <= most; ++m)
    if (const double margin = margin_bits(p, m, model.root_hermite.back()); margin > widest.margin_bits)
      widest = {m, m + extra, 0, margin, 0, m, 0};
  widest.seconds = reduction_seconds(p, widest.dimension, model.bkz.size(), model);
  widest.success = chance_of_length(static_cast<double>(widest.dimension), std::exp2(2 * widest.margin_bits));
  EmbeddingPlan best = widest;
  for (std::size_t blocks = 0; blocks < model.root_hermite.size(); ++blocks)
    for (std::int64_t m = least; m <= widest.widest; ++m) {
      const double margin = margin_bits(p, m, model.root_hermite[blocks]);
      if (margin < 0) continue;
      const double seconds = reduction_seconds(p, m + extra, blocks, model);
      const int block = blocks == 0 ? 2 : block_step * static_cast<int>(blocks);
      if (best.block == 0 || seconds < best.seconds)
        best = {m, m + extra, block, margin, seconds, widest.widest, widest.success};
      break;  // more samples cost more
    }
  return best;
}

std::vector<EmbeddingAttempt> attempts(const EmbeddingPlan& plan) {
  constexpr int rounds = 4;
  std::vector<EmbeddingAttempt> out;
  for (int round = 0; round < rounds; ++round) {
    const int block =
        round + 1 < rounds ? std::min(largest_block, plan.block + block_step * (round + 1)) : largest_block;
    out.push_back({plan.m + (plan.widest - plan.m) * round / (rounds - 1), block});
  }
  return out;
}

namespace {

/// m samples, in order, that have rank n modulo the prime in q: the first that are independent, and the first
/// of the others. The first m samples alone often lack a rank mod 2.
std::vector<std::int64_t> of_full_rank(const Challenge& challenge, std::int64_t m) {
  constexpr std::int64_t surplus = 80;
  const std::int64_t n = challenge.parameters.n, q = challenge.parameters.q;
  ModMatrix columns(n, std::min(challenge.samples.count(), m + surplus));
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < columns.columns; ++i)
      columns.row(j)[i] = challenge.samples.row(i)[static_cast<std::size_t>(j)];
  const std::vector<std::int64_t> independent = reduce_rows(columns, columns.columns, q);
  if (std::ssize(independent) < n)
    throw Error(fmt::format("embedding: {} samples have rank {} mod {}, n={} is needed", columns.columns,
                            independent.size(), q, n));
  std::vector<std::int64_t> out = independent;
  for (std::int64_t i = 0; std::ssize(out) < m; ++i)
    if (!std::ranges::binary_search(independent, i)) out.push_back(i);
  std::ranges::sort(out);
  return out;
}

std::vector<std::int64_t> first_samples(std::int64_t m) {
  std::vector<std::int64_t> out(static_cast<std::size_t>(m));
  std::iota(out.begin(), out.end(), std::int64_t{0});
  return out;
}

}  // namespace

Embedding::Embedding(const Challenge& challenge, std::int64_t m)
    : parameters_(challenge.parameters),
      m_(m),
      factor_(embedding_factor(challenge.parameters)),
      chosen_(is_small(challenge.parameters) ? first_samples(m) : of_full_rank(challenge, m)) {
  const Window allowed = window(parameters_);
  const std::int64_t middle = (allowed.low + allowed.high + 1) / 2;
  for (const std::int64_t i : chosen_)
    target_.push_back(anchor(parameters_, challenge.samples.label(i)) + middle);
  if (is_small(parameters_))
    embed_small(challenge);
  else
    embed_uniform(challenge);
  std::vector<std::int64_t> last = target_;
  last.resize(basis_.front().size(), 0);
  last.back() = factor_;
  basis_.push_back(std::move(last));
}

void Embedding::embed_uniform(const Challenge& challenge) {
  const std::int64_t n = parameters_.n, q = parameters_.q;
  ModMatrix rows(n, m_ + n);  // [A^T | I] becomes [R | T]
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < m_; ++i)
      rows.row(j)[i] =
          challenge.samples.row(chosen_[static_cast<std::size_t>(i)])[static_cast<std::size_t>(j)];
    rows.row(j)[m_ + j] = 1;
  }
  pivots_ = reduce_rows(rows, m_, q);
  const auto width = static_cast<std::size_t>(m_ + 1);
  // Rows of q first: they are reduced, and what follows is reduced against them.
  for (std::int64_t i = 0; i < m_; ++i) {
    if (std::ranges::binary_search(pivots_, i)) continue;
    basis_.emplace_back(width, 0)[static_cast<std::size_t>(i)] = q;
  }
  for (std::int64_t j = 0; j < n; ++j) {
    undo_.emplace_back(rows.row(j) + m_, rows.row(j) + m_ + n);
    std::vector<std::int64_t> row(rows.row(j), rows.row(j) + m_);
    row.resize(width, 0);
    basis_.push_back(std::move(row));
  }
}

void Embedding::embed_small(const Challenge& challenge) {
  const std::int64_t n = parameters_.n;
  scale_ = secret_scale(parameters_);
  const auto width = static_cast<std::size_t>(m_ + n + 1);
  for (std::int64_t j = 0; j < n; ++j) {
    std::vector<std::int64_t>& row = basis_.emplace_back(width, 0);
    for (std::int64_t i = 0; i < m_; ++i)
      row[static_cast<std::size_t>(i)] = challenge.samples.row(i)[static_cast<std::size_t>(j)];
    row[static_cast<std::size_t>(m_ + j)] = scale_;
  }
  for (std::int64_t i = 0; i < m_; ++i)
    basis_.emplace_back(width, 0)[static_cast<std::size_t>(i)] = parameters_.q;
}

Candidate Embedding::secret_of(std::span<const std::int64_t> vector) const {
  if (vector.back() != factor_ && vector.back() != -factor_) return std::nullopt;
  const std::int64_t sign = vector.back() == factor_ ? 1 : -1, n = parameters_.n, q = parameters_.q;
  std::vector<Residue> secret;
  if (is_small(parameters_)) {
    for (std::int64_t j = 0; j < n; ++j) {
      const std::int64_t entry = -sign * vector[static_cast<std::size_t>(m_ + j)];
      if (entry % scale_ != 0) return std::nullopt;
      secret.push_back(residue(entry / scale_, q));
    }
    return secret;
  }
  // h = t - f at the pivots is y with y R = h: s^T A^T = y T A^T, so s^T = y T.
  std::vector<std::uint64_t> sum(static_cast<std::size_t>(n), 0);
  for (std::size_t k = 0; k < pivots_.size(); ++k) {
    const auto at = static_cast<std::size_t>(pivots_[k]);
    const std::uint64_t y = residue(target_[at] - sign * vector[at], q);
    for (std::size_t j = 0; j < sum.size(); ++j)
      sum[j] = (sum[j] + y * undo_[k][j]) % static_cast<std::uint64_t>(q);
  }
  secret.assign(sum.begin(), sum.end());
  return secret;
}

}  // namespace hardhead::lwe
