#include "lwe/attacks/kannan.h"

#include <NTL/LLL.h>
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <utility>

#include "base/process/child_process.h"
#include "lwe/attacks/embedding.h"
#include "lwe/attacks/registered_attacks.h"

namespace hardhead::lwe {
namespace {

using detail::Reducer;

constexpr int last_block = 60;

class NtlReducer final : public Reducer {
 public:
  explicit NtlReducer(const Basis& basis) {
    const auto d = static_cast<long>(basis.size());
    rows_.SetDims(d, d);
    for (long i = 0; i < d; ++i)
      for (long j = 0; j < d; ++j)
        rows_[i][j] = basis[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
  }
  void lll() override { NTL::LLL_FP(rows_, 0.99); }
  void bkz(int block) override { NTL::BKZ_FP(rows_, 0.99, block, block >= 30 ? 10 : 0); }
  Basis basis() const override {
    Basis out(static_cast<std::size_t>(rows_.NumRows()));
    for (std::size_t i = 0; i < out.size(); ++i)
      for (long j = 0; j < rows_.NumCols(); ++j)
        out[i].push_back(NTL::to_long(rows_[static_cast<long>(i)][j]));
    return out;
  }

 private:
  NTL::mat_ZZ rows_;
};

std::optional<std::vector<Residue>> secret_in(const Reducer::Basis& basis, const Embedding& embedding,
                                              const Challenge& challenge) {
  for (const auto& row : basis)
    if (auto secret = embedding.secret_of(row))
      if (verify(challenge.parameters, challenge.samples, *secret).verified()) return secret;
  return std::nullopt;
}

/// The child's answer: what it reduced with, then the secret, if any.
std::string answer(std::int32_t block, const std::vector<Residue>& secret) {
  std::string bytes(reinterpret_cast<const char*>(&block), sizeof block);
  for (const Residue entry : secret) bytes.append(reinterpret_cast<const char*>(&entry), sizeof entry);
  return bytes;
}

std::string reduce_and_look(const Challenge& challenge, std::int64_t m, const detail::MakeReducer& make,
                            const std::function<void(double)>& progress) {
  const Embedding embedding(challenge, m);
  const auto reducer = make(embedding.basis());
  reducer->lll();
  if (auto secret = secret_in(reducer->basis(), embedding, challenge)) return answer(0, *secret);
  for (int block = 10; block <= last_block; block += 10) {
    progress(static_cast<double>(block) / (last_block + 10));
    reducer->bkz(block);
    if (auto secret = secret_in(reducer->basis(), embedding, challenge)) return answer(block, *secret);
  }
  return answer(last_block, {});
}

Attack make_attack() {
  return {"kannan", "primal lattice attack by Kannan's embedding: LLL, then progressive BKZ (NTL)",
          "heuristic; the witness is verified", detail::primal_cost,
          [](const Challenge& challenge, const RunContext& context, std::string& message) {
            return detail::primal_attack(
                challenge, context,
                [](const Reducer::Basis& basis) { return std::make_unique<NtlReducer>(basis); }, message);
          }};
}

}  // namespace

std::optional<std::vector<Residue>> detail::primal_attack(const Challenge& challenge,
                                                          const RunContext& context, const MakeReducer& make,
                                                          std::string& message) {
  const EmbeddingPlan plan = plan_embedding(challenge.parameters, challenge.samples.count());
  const std::string bytes = run_in_child(
      [&](const std::function<void(double)>& progress) {
        return reduce_and_look(challenge, plan.m, make, progress);
      },
      context, "lattice reduction");
  std::int32_t block = 0;
  std::memcpy(&block, bytes.data(), sizeof block);
  std::vector<Residue> secret((bytes.size() - sizeof block) / sizeof(Residue));
  const char* at = bytes.data() + sizeof block;
  for (Residue& entry : secret) std::memcpy(&entry, std::exchange(at, at + sizeof entry), sizeof entry);
  message =
      fmt::format("dimension {}, {}", plan.dimension, block == 0 ? "LLL" : fmt::format("BKZ-{}", block));
  if (secret.empty()) {
    message += ": no short vector is a secret's";
    if (plan.block == 0)
      message += fmt::format(", as predicted (it is too long by a factor 2^{:.1f})", -plan.margin_bits);
    return std::nullopt;
  }
  return secret;
}

Cost detail::primal_cost(const ProblemParameters& p, std::int64_t samples) {
  if (p.problem == ProblemKind::lpn) return Cost::impossible("mod 2 every vector is short");
  if (p.problem == ProblemKind::lwe && p.sigma == 0 && p.noise == Noise::gaussian)
    return Cost::impossible("there is no noise: elimination does it");
  const EmbeddingPlan plan = plan_embedding(p, samples);
  const auto d = static_cast<double>(plan.dimension);
  return {std::nullopt, plan.seconds, 64 * d * d, static_cast<double>(least_samples(p))};
}

Attack detail::kannan_attack() {
  return make_attack();
}

}  // namespace hardhead::lwe
