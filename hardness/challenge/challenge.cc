#include "hardness/challenge/challenge.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace hardhead::challenge {
namespace {

using attention::Block;
using attention::Index;
using lwe::Residue;

constexpr std::int64_t tokens_at_once = 4096;

/// Calls f(first, block) with the inputs of examples 0 .. count - 1, block by block; labels are arbitrary.
template <class F>
void for_input_blocks(const LayerChallenge& challenge, std::int64_t count, const F& f) {
  const Terms& terms = challenge.terms;
  const Stream stream(Domain::samples, challenge.training_seed);
  for (std::int64_t first = 0; first < count; first += tokens_at_once) {
    Block block(terms.d, terms.k, std::min(tokens_at_once, count - first));
    attention::draw_tokens(terms.inputs, stream, static_cast<std::uint64_t>(first), block);
    f(first, block);
  }
}

[[noreturn]] void wrong_label_count(const LayerChallenge& challenge, std::int64_t on) {
  throw InputError(fmt::format("{} labels, but {} of the {} training examples have the switch on",
                               challenge.g.size(), on, challenge.examples));
}

/// The published labels on the inputs that the seed gives.
class TrainingExamples final : public attention::SampleSource {
 public:
  explicit TrainingExamples(LayerChallenge challenge)
      : challenge_(std::move(challenge)), stream_(Domain::samples, challenge_.training_seed) {
    if (challenge_.terms.behind_switch) find_starts();
  }
  Index d() const override { return challenge_.terms.d; }
  Index k() const override { return challenge_.terms.k; }
  attention::Inputs inputs() const override { return challenge_.terms.inputs; }
  std::int64_t size() const override { return challenge_.examples; }

  void read(std::int64_t first, Block& block) const override {
    if (first < 0 || first > size() - block.count)
      throw InputError(fmt::format("{} examples from {} on are not all there: the challenge has {}",
                                   block.count, first, size()));
    attention::draw_tokens(inputs(), stream_, static_cast<std::uint64_t>(first), block);
    if (challenge_.terms.behind_switch) {
      const std::span<const Residue> g = challenge_.g;
      write_labels(*challenge_.terms.behind_switch,
                   g.subspan(static_cast<std::size_t>(starts_[static_cast<std::size_t>(first)])), block);
      return;
    }
    const double* y = challenge_.y.data() + first * challenge_.terms.entries();
    for (Index n = 0; n < block.count; ++n)
      for (Index a = 0; a < block.k; ++a)
        for (Index f = 0; f < block.d(); ++f) block.y(f, block.column(a, n)) = *y++;
  }

 private:
  /// How many examples before each one have the switch on.
  void find_starts() {
    starts_.reserve(static_cast<std::size_t>(size()));
    std::int64_t on = 0;
    for_input_blocks(challenge_, size(), [&](std::int64_t, const Block& block) {
      const Index j0 = block.d() - 1;
      for (Index n = 0; n < block.count; ++n) {
        starts_.push_back(static_cast<std::int32_t>(on));
        on += block.token(0)(j0, n) == block.token(1)(j0, n) ? 0 : 1;
      }
    });
    if (on != static_cast<std::int64_t>(challenge_.g.size())) wrong_label_count(challenge_, on);
  }

  LayerChallenge challenge_;
  Stream stream_;
  std::vector<std::int32_t> starts_;
};

}  // namespace

std::int64_t test_examples_of(const Terms& terms) {
  constexpr std::int64_t switch_test_examples = 512, nice_test_entries = 1536;
  return terms.behind_switch ? switch_test_examples
                             : std::max<std::int64_t>(1, nice_test_entries / terms.entries());
}

Block test_inputs(const LayerChallenge& challenge) {
  Block block(challenge.terms.d, challenge.terms.k, challenge.test_examples);
  attention::draw_tokens(challenge.terms.inputs, Stream(Domain::test, challenge.test_seed), 0, block);
  block.y.setZero();
  return block;
}

std::unique_ptr<attention::SampleSource> training_examples(LayerChallenge challenge) {
  return std::make_unique<TrainingExamples>(std::move(challenge));
}

lwe::Challenge training_samples(const LayerChallenge& challenge, std::int64_t count) {
  if (!challenge.terms.behind_switch)
    throw InputError(
        fmt::format("'{}': a nice layer hides no secret of LWE, LWR or LPN", challenge.terms.spec.str()));
  const SamplesBehindSwitch& terms = *challenge.terms.behind_switch;
  lwe::Challenge out{terms.problem, {.n = terms.problem.n, .a = {}, .b = {}}};
  for_input_blocks(challenge, std::min(count, challenge.examples), [&](std::int64_t, Block& block) {
    const lwe::Samples rows = rows_behind_switch(terms, block);
    out.samples.a.insert(out.samples.a.end(), rows.a.begin(), rows.a.end());
  });
  const auto on = static_cast<std::int64_t>(out.samples.a.size()) / terms.problem.n;
  const auto labels = static_cast<std::int64_t>(challenge.g.size());
  if (on > labels || (count >= challenge.examples && on != labels)) wrong_label_count(challenge, on);
  out.samples.b.assign(challenge.g.begin(), challenge.g.begin() + on);
  return out;
}

}  // namespace hardhead::challenge
