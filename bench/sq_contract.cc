// A million answers of every kind of oracle and every policy, each checked against its promise in exact
// arithmetic, as a markdown table; then policies that break it, through the same check.
//
// Arguments: answers in all (default 1,000,000).
#include <fmt/format.h>

#include <memory>

#include "bench/study_program.h"
#include "sq/concepts/parities.h"
#include "sq/oracle/oracle.h"
#include "sq/oracle/random_query.h"

namespace {

using namespace hardhead;
using namespace hardhead::sq;

constexpr int n = 7, m = 3;
constexpr std::int64_t target = 4, a_game = 100;  // answers before the adversary starts afresh
const Rational tolerances[] = {Rational(1, 3), Rational(1, 20), Rational(1, 1000), Rational(1, 1'000'000)};

struct Count {
  std::int64_t answers = 0, broken = 0;
  void add(const Transcript& transcript) {
    answers += transcript.queries();
    broken += transcript.violations();
  }
};

void print_row(const char* oracle, const std::string& policy, const Count& count) {
  fmt::print("| {} | {} | {} | {} |\n", oracle, policy, count.answers, count.broken);
  std::fflush(stdout);
}

/// Gaussian noise around the true mean, as one finds it in circulation: no promise can be kept by that.
class GaussianNoise final : public Answerer {
 public:
  GaussianNoise(Concept f, Rational sigma) : target_(std::move(f)), sigma_(std::move(sigma)) {}
  int bits() const override { return n; }
  Reply reply(const Query& query, const Contract&) override {
    const Mean truth = exact_mean(query, target_, n);
    double normal = 0;
    stream_.normals(asked_++, {&normal, 1});
    return {.answer = truth.value + sigma_ * Rational(normal), .truth = truth};
  }

 private:
  Concept target_;
  Rational sigma_;
  Stream stream_{Domain::samples, 1, "noise"};
  std::uint64_t asked_ = 0;
};

class Contracts {
 public:
  Contracts(std::int64_t each, const RunContext& context) : each_(each), context_(context) {}

  /// Games of a_game answers, each by a fresh make(game, tolerance), until there are enough.
  template <class MakeAnswerer>
  void run(const std::string& policy, const MakeAnswerer& make) {
    Count stat, vstat, csq;
    for (std::int64_t game = 0; stat.answers < each_; ++game) {
      context_.stop.check();
      const Rational& tau = tolerances[game % std::ssize(tolerances)];
      const auto one = make(game, tau), two = make(game, tau), three = make(game, tau);
      StatOracle stat_oracle(Stat(tau), *one);
      VstatOracle vstat_oracle(Vstat(1 / tau), *two);
      CorrelationalOracle csq_oracle(Stat(tau), *three);
      for (std::int64_t i = 0; i < a_game; ++i) {
        const auto item = static_cast<std::uint64_t>(game * a_game + i);
        stat_oracle.ask(random_query(queries_, item, Range::signed_unit, n));
        vstat_oracle.ask(random_query(queries_, item, Range::unit, n));
        const Query g = random_query(queries_, item, Range::signed_unit, n);
        csq_oracle.ask({g.name, g.sees, [&g](Bits z) { return g.value(z, 1); }});
      }
      stat.add(stat_oracle.transcript());
      vstat.add(vstat_oracle.transcript());
      csq.add(csq_oracle.transcript());
    }
    print_row("STAT", policy, stat);
    print_row("VSTAT", policy, vstat);
    print_row("correlational", policy, csq);
  }

  void sampled(const Concept& hidden) {
    Count honest;
    HonestOracle samples(hidden, n, 1000, 1 - 1e-12, 1);
    OneStatOracle one(hidden, n, 1);
    Count bits;
    for (std::uint64_t item = 0; item < static_cast<std::uint64_t>(each_); ++item) {
      if (item % 1000 == 0) context_.stop.check();
      if (item % 10 == 0) samples.ask(random_query(queries_, item, Range::signed_unit, n));
      const Query query = random_query(queries_, item, Range::bit, n);
      const std::int64_t example = one.examples();
      const bool bit = one.ask(query);
      ++bits.answers;
      if (bit != one.bit_of(query, example)) ++bits.broken;
    }
    honest.add(samples.transcript());
    print_row("honest, 1000 examples a query, confidence 1 - 1e-12", "honest", honest);
    print_row("1-STAT", "honest", bits);
  }

 private:
  std::int64_t each_;
  const RunContext& context_;
  Stream queries_{Domain::test, 1, "contract"};
};

}  // namespace

int main(int argc, char** argv) {
  return bench::run_study([&](const RunContext& context) {
    const std::int64_t answers = bench::integer_argument(argc, argv, 1, 1'000'000, 1000, 1'000'000'000);
    const Parities members = Parities::behind_switch(n, m);
    const Concept hidden = members.member(target);
    Contracts contracts(answers / 13,
                        context);  // 12 rows, one of single bits, a tenth of one
    fmt::print("| oracle | policy | answers | broken |\n|---|---|---|---|\n");
    for (const Policy& policy : policies())
      contracts.run(policy.name, [&](std::int64_t game, const Rational&) {
        return std::make_unique<FixedTarget>(hidden, n, policy, static_cast<std::uint64_t>(game));
      });
    contracts.run("adversarial",
                  [&](std::int64_t, const Rational&) { return std::make_unique<Adversary>(members); });
    contracts.sampled(hidden);
    contracts.run(
        "Gaussian noise, sigma = tau/2 (broken on purpose)",
        [&](std::int64_t, const Rational& tau) { return std::make_unique<GaussianNoise>(hidden, tau / 2); });
  });
}
