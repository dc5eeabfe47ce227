#include "experiments/attacks/rounding_attack.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "hardness/families/family.h"
#include "hardness/families/lwr.h"
#include "lwe/attacks/low_bits.h"

namespace hardhead::experiments {
namespace {

using attention::Block;
using attention::Index;
using lwe::Residue;

constexpr std::int64_t checked_examples = 1000;

struct Public {
  lwe::ProblemParameters parameters;
  std::int64_t length;         ///< H
  std::vector<double> levels;  ///< Y_{r,1} / x_{r,j0} for h = 0 .. H
};

Public public_part(const Spec& spec, const attention::SampleSource& source) {
  const hardness::Family& family = hardness::find_family(spec.name);
  const bool is_exact = family.hides == hardness::Hidden::lwr_secret;
  if (!is_exact && family.hides != hardness::Hidden::staircase_secret)
    throw InputError(
        fmt::format("spec '{}': the family hides no secret of learning with rounding", spec.str()));
  const auto problem = hardness::rounding_problem(spec);
  if (source.d() != problem.gadget.d || source.k() != 2 || source.inputs() != attention::Inputs::boolean)
    throw InputError(fmt::format("spec '{}': examples of d={}, k={} are not of its shape, d={}, k=2, Boolean",
                                 spec.str(), source.d(), source.k(), problem.gadget.d));
  const auto gadget = is_exact ? hardness::exact_rounding(problem) : hardness::staircase_rounding(problem);
  return {problem.parameters, problem.length(), gadget.levels(0)};
}

Block read(const attention::SampleSource& source, std::int64_t first, std::int64_t count) {
  Block block(source.d(), source.k(), count);
  source.read(first, block);
  return block;
}

/// Y_{1,1} / x_{1,j0} of the examples with the switch on, in the order of rounding_samples().
std::vector<double> observed_levels(const Block& block) {
  const Index j0 = block.d() - 1;
  std::vector<double> out;
  for (Index n = 0; n < block.count; ++n)
    if (block.token(0)(j0, n) != block.token(1)(j0, n))
      out.push_back(block.label(0)(0, n) / block.token(0)(j0, n));
  return out;
}

/// h of a sample, 0 .. H, under a claimed secret: s_f = 2^e w_j mod q where bit e of a_j is set.
std::int64_t sum_of(std::span<const Residue> a, const std::vector<Residue>& w, std::int64_t q) {
  std::int64_t h = 0;
  for (std::size_t j = 0; j < w.size(); ++j)
    for (int e = 0; std::int64_t{1} << e < q; ++e)
      if ((a[j] >> e & 1) != 0) h += (std::int64_t{w[j]} << e) % q;
  return h;
}

}  // namespace

RoundingLinearisation linearise_rounding(const Spec& spec, const attention::SampleSource& source,
                                         std::int64_t examples, const RunContext& context) {
  const Public known = public_part(spec, source);
  const std::int64_t q = known.parameters.q;
  if (examples < 1 || examples > source.size() - checked_examples)
    throw InputError(fmt::format("{} examples to linearise and {} to check on: the source has {}", examples,
                                 checked_examples, source.size()));
  const Stopwatch watch;
  std::map<double, std::set<Residue>> left_by;  // a label value leaves these residues
  for (std::size_t h = 0; h < known.levels.size(); ++h)
    left_by[known.levels[h]].insert(static_cast<Residue>(static_cast<std::int64_t>(h) % q));

  RoundingLinearisation out;
  out.examples = examples;
  const Block block = read(source, 0, examples);
  const lwe::Samples samples = hardness::rounding_samples(known.parameters, block);
  const std::vector<double> levels = observed_levels(block);
  std::vector<lwe::ResidueEquation> equations;
  for (std::int64_t i = 0; i < samples.count(); ++i) {
    const auto left = left_by.find(levels[static_cast<std::size_t>(i)]);
    if (left == left_by.end()) continue;
    const auto row = samples.row(i);
    equations.push_back({{row.begin(), row.end()}, {left->second.begin(), left->second.end()}});
  }
  out.equations = static_cast<std::int64_t>(equations.size());
  if (auto secret = lwe::linearise_low_bits(equations, q, context.stop, out.message)) {
    out.secret = std::move(*secret);
    const Block later = read(source, examples, checked_examples);
    const lwe::Samples fresh = hardness::rounding_samples(known.parameters, later);
    const std::vector<double> wanted = observed_levels(later);
    for (std::int64_t i = 0; i < fresh.count(); ++i) {
      const auto h = static_cast<std::size_t>(sum_of(fresh.row(i), out.secret, q));
      ++out.checked;
      if (h < known.levels.size() && known.levels[h] == wanted[static_cast<std::size_t>(i)]) ++out.agreeing;
    }
    out.message = fmt::format("right on {} of {} further labels", out.agreeing, out.checked);
  }
  out.seconds = watch.seconds();
  return out;
}

lwe::Challenge rounding_challenge(const Spec& spec, const attention::SampleSource& source,
                                  std::int64_t examples) {
  const Public known = public_part(spec, source);
  return {known.parameters, hardness::rounding_samples(known.parameters, read(source, 0, examples))};
}

}  // namespace hardhead::experiments
