#include "lwe/attacks/kannan.h"

#include <NTL/LLL.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/process/child_process.h"
#include "lwe/attacks/core_svp.h"
#include "lwe/attacks/embedding.h"
#include "lwe/attacks/registered_attacks.h"

namespace hardhead::lwe {
namespace {

using detail::Reducer;

constexpr std::int64_t samples_a_sieve_may_take = 100;  // times n; the best d is far below

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

Candidate secret_in(const Reducer::Basis& basis, const Embedding& embedding, const Challenge& challenge) {
  for (const auto& row : basis)
    if (auto secret = embedding.secret_of(row))
      if (verify(challenge.parameters, challenge.samples, *secret).verified()) return secret;
  return std::nullopt;
}

/// What the attempts came to, as it goes from the child to its parent: no secret where none did.
struct Found {
  std::int32_t dimension = 0, block = 0;
  std::vector<Residue> secret{};

  std::string bytes() const {
    std::vector<Residue> all{static_cast<Residue>(dimension), static_cast<Residue>(block)};
    all.insert(all.end(), secret.begin(), secret.end());
    return {reinterpret_cast<const char*>(all.data()), all.size() * sizeof(Residue)};
  }
  static Found of(const std::string& bytes) {
    std::vector<Residue> all(bytes.size() / sizeof(Residue));
    std::memcpy(all.data(), bytes.data(), bytes.size());
    return {
        static_cast<std::int32_t>(all[0]), static_cast<std::int32_t>(all[1]), {all.begin() + 2, all.end()}};
  }
};

/// LLL, then BKZ with blocks of 10, 20, .. 60, as far as the attempt goes.
Found reduce_and_look(const Challenge& challenge, const EmbeddingAttempt& attempt,
                      const detail::MakeReducer& make, const std::function<void(double)>& progress) {
  const Embedding embedding(challenge, attempt.m);
  const auto reducer = make(embedding.basis());
  Found out{static_cast<std::int32_t>(embedding.basis().size()), 0};
  reducer->lll();
  for (;;) {
    if (auto secret = secret_in(reducer->basis(), embedding, challenge)) {
      out.secret = std::move(*secret);
      return out;
    }
    if (out.block + block_step > attempt.block) return out;
    out.block += block_step;
    progress(static_cast<double>(out.block) / (attempt.block + block_step));
    reducer->bkz(out.block);
  }
}

/// In the child: NTL warns on stderr of precision that it then finds.
void silence() {
  if (const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC); nowhere >= 0)
    ::dup2(nowhere, STDERR_FILENO);
}

}  // namespace

std::unique_ptr<Reducer> detail::ntl_reducer(const Reducer::Basis& basis) {
  return std::make_unique<NtlReducer>(basis);
}

Candidate detail::primal_attack(const Challenge& challenge, const RunContext& context,
                                const MakeReducer& make, const ReductionModel& model, std::string& message) {
  const std::vector<EmbeddingAttempt> all =
      attempts(plan_embedding(challenge.parameters, challenge.samples.count(), model));
  const Found found = Found::of(run_in_child(
      [&](const std::function<void(double)>& progress) {
        silence();
        Found last;
        for (std::size_t i = 0; i < all.size() && last.secret.empty(); ++i)
          last = reduce_and_look(challenge, all[i], make, [&](double share) {
            progress((static_cast<double>(i) + share) / static_cast<double>(all.size()));
          });
        return last.bytes();
      },
      context, "lattice reduction"));
  message = fmt::format("dimension {}, {}", found.dimension,
                        found.block == 0 ? "LLL" : fmt::format("BKZ-{}", found.block));
  if (!found.secret.empty()) return found.secret;
  message += fmt::format(": no short vector is a secret's, of {} embeddings", all.size());
  return std::nullopt;
}

Cost detail::primal_cost(const ProblemParameters& p, std::int64_t samples, const ReductionModel& model) {
  if (p.problem == ProblemKind::lpn) return Cost::impossible("mod 2 every vector is short");
  if (p.problem == ProblemKind::lwe && p.sigma == 0 && p.noise == Noise::gaussian)
    return Cost::impossible("there is no noise: elimination does it");
  const EmbeddingPlan plan = plan_embedding(p, samples, model);
  const auto d = static_cast<double>(plan.dimension);
  Cost out{std::nullopt, plan.seconds, 64 * d * d, static_cast<double>(least_samples(p)), plan.success};
  out.block = plan.block;
  out.dimension = plan.dimension;
  if (plan.block > 0) return out;
  // More samples where these are too few for any block.
  const std::int64_t most = std::max(samples, samples_a_sieve_may_take * p.n);
  std::optional<CoreSvp> sieved;
  for (std::int64_t used = std::max<std::int64_t>(1, samples); !sieved && used <= most; used *= 2) {
    sieved = core_svp(ShortVectorProblem::of(p, used));
    if (used > samples) out.samples = static_cast<double>(used);
  }
  if (!sieved) return Cost::impossible("hopeless: the noise is too wide for any block size");
  out.seconds = std::max(plan.seconds, std::exp2(sieved->log2_operations) / machine.operations_a_second);
  out.success = sieved->success;
  out.block = std::max(sieved->block, largest_block + 1);
  out.dimension = sieved->dimension;
  out.beyond = fmt::format(
      "hopeless here: blocks of {} are needed, and the program's largest is {}; what they cost is not "
      "measured, but by the core-SVP model",
      out.block, largest_block);
  return out;
}

Attack detail::kannan_attack() {
  return {
      "kannan", "primal lattice attack by Kannan's embedding: LLL, then progressive BKZ (NTL)",
      "heuristic; the witness is verified",
      [](const ProblemParameters& p, std::int64_t samples) { return primal_cost(p, samples, machine.ntl); },
      [](const Challenge& challenge, const RunContext& context, std::string& message) {
        return primal_attack(challenge, context, ntl_reducer, machine.ntl, message);
      }};
}

}  // namespace hardhead::lwe
