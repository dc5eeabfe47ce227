#include "experiments/attacks/parity_elimination.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/run/run_context.h"
#include "lwe/problem/gf2.h"

namespace hardhead::experiments {
namespace {

using attention::Block;
using attention::Index;

constexpr std::int64_t check_examples = 1000;

void validate(const attention::SampleSource& source, Index j0, std::int64_t examples) {
  if (source.k() != 2 || source.inputs() != attention::Inputs::boolean || source.d() < 2)
    throw InputError(fmt::format("elimination needs k = 2, Boolean inputs and d >= 2, not k = {}, {}, d = {}",
                                 source.k(), name_of(source.inputs()), source.d()));
  if (j0 < 0 || j0 >= source.d())
    throw InputError(fmt::format("switch coordinate {}: 0 .. {} is expected", j0, source.d() - 1));
  if (examples < 1 || examples > source.size() - check_examples)
    throw InputError(fmt::format("{} examples to eliminate with and {} to check on: the source has {}",
                                 examples, check_examples, source.size()));
}

/// An example with the switch on: which other coordinates have z_j = -1, and the label on the switch's sign.
struct Observation {
  lwe::Gf2Equation flipped;  // without a right side
  double level;
};

std::vector<Observation> observe(const attention::SampleSource& source, Index j0, std::int64_t first,
                                 std::int64_t count) {
  Block block(source.d(), source.k(), count);
  source.read(first, block);
  std::vector<Observation> out;
  for (Index n = 0; n < count; ++n) {
    const auto flipped = [&](Index j) { return block.token(0)(j, n) * block.token(1)(j, n) < 0; };
    if (!flipped(j0)) continue;
    Observation seen{lwe::Gf2Equation::zero(static_cast<std::size_t>(source.d() - 1)),
                     block.label(0)(0, n) / block.token(0)(j0, n)};
    for (Index j = 0; j < source.d(); ++j)
      if (j != j0 && flipped(j)) seen.flipped.set(static_cast<std::size_t>(j < j0 ? j : j - 1));
    out.push_back(std::move(seen));
  }
  return out;
}

bool agrees(const Observation& seen, const std::vector<std::uint8_t>& set, double smaller_level) {
  bool odd = false;
  for (std::size_t j = 0; j < set.size(); ++j)
    odd = odd != (set[j] != 0 && (seen.flipped.coefficients[j / 64] >> (j % 64) & 1) != 0);
  return odd == (seen.level != smaller_level);
}

}  // namespace

std::int64_t elimination_examples(Index d, double failure) {
  if (d < 2) throw InputError(fmt::format("d={}, but elimination needs d >= 2", d));
  if (!(failure > 0 && failure < 1))
    throw InputError(fmt::format("probability of failure {}: a number in (0, 1) is expected", failure));
  const double ln_sets =
      static_cast<double>(d - 1) * std::log(2) + std::log1p(std::exp2(1.0 - static_cast<double>(d)));
  return static_cast<std::int64_t>(std::ceil((ln_sets - std::log(failure)) / std::log(4.0 / 3)));
}

ParityElimination eliminate_parity(const attention::SampleSource& source, Index switch_coordinate,
                                   std::int64_t examples) {
  validate(source, switch_coordinate, examples);
  const Stopwatch watch;
  ParityElimination result;
  result.examples = examples;
  const std::vector<Observation> seen = observe(source, switch_coordinate, 0, examples);
  result.equations = static_cast<std::int64_t>(seen.size());
  if (seen.empty()) return result;

  const double smaller = std::ranges::min(seen, {}, &Observation::level).level;
  std::vector<lwe::Gf2Equation> equations;
  for (const Observation& one : seen) equations.push_back({one.flipped.coefficients, one.level != smaller});
  const auto solution = lwe::solve_gf2(equations, source.d() - 1);
  result.unique = solution && solution->unique();
  if (result.unique) {
    for (std::size_t j = 0; j < solution->x.size(); ++j)
      if (solution->x[j] != 0)
        result.found.push_back(static_cast<Index>(j) + (static_cast<Index>(j) >= switch_coordinate ? 1 : 0));
    for (const Observation& later : observe(source, switch_coordinate, examples, check_examples)) {
      ++result.checked;
      if (agrees(later, solution->x, smaller)) ++result.agreeing;
    }
  }
  result.seconds = watch.seconds();
  return result;
}

}  // namespace hardhead::experiments
